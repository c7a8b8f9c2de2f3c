"""The URL model: what its rows weigh, that it generalises to new domains, and by what it is measured."""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from scoring.splits import Split, split_of
from scoring.urls import UrlModel
from tests.training.made_up_urls import SITES, made_up, written
from training import __main__ as command
from training import fit_urls, measure_urls, train_urls
from training.fit_urls import SHARES, Row
from training.labelled_lines import Malformed
from training.labelled_urls import LabelledUrl, load, relatives
from training.train_urls import Trained


def row(domain: str, *, kind: str = "benign", part: str = "listed", written: str = "") -> Row:
    return Row(LabelledUrl(url=f"http://{domain}/", domain=domain, kind=kind, pattern=written), part)


def trained_on(rows: list[LabelledUrl]) -> Trained:
    return train_urls.train(rows, sites=SITES, seed=1, everyday_per_kind=30)


@pytest.fixture(scope="module")
def trained() -> Trained:
    return trained_on(made_up(900))


def urls(counts: dict[str, int], *, kind: str = "benign") -> list[LabelledUrl]:
    return [
        LabelledUrl(url=f"http://{domain}/{number}", domain=domain, kind=kind)
        for domain, count in counts.items()
        for number in range(count)
    ]


class TestWeights:
    def test_a_domain_weighs_the_same_however_many_urls_it_has(self) -> None:
        rows = [*[row("many.example")] * 9, row("few.example"), row("bad.example", kind="malware")]

        weights = fit_urls.weights(rows)

        assert weights[:9].sum() == pytest.approx(weights[9])
        assert weights[:10].sum() == pytest.approx(weights[10])

    def test_parts_have_their_shares_and_kinds_of_written_links_weigh_alike(self) -> None:
        rows = [
            row("listed.example"),
            *[row("maps.example", part="everyday", written="map")] * 3,
            row("news.example", part="everyday", written="news"),
            *[row("bad.example", kind="phishing")] * 4,
        ]

        weights = fit_urls.weights(rows)

        assert weights[1:4].sum() == pytest.approx(weights[4])
        assert weights[1:5].sum() == pytest.approx(SHARES["everyday"] / SHARES["benign"] * weights[0])
        assert np.mean(weights) == pytest.approx(1.0)


@pytest.mark.xdist_group("train urls")
@pytest.mark.timeout(300)
class TestCommand:
    def test_the_command_writes_model_manifest_and_page(self, tmp_path: Path) -> None:
        source = written(made_up(400), tmp_path / "urls.csv.gz")
        popular, listed, page = (tmp_path / name for name in ("popular.csv", "listed.txt", "models.md"))
        popular.write_text("\n".join(SITES))
        listed.write_text(
            "# kept by volunteers\ncheap-pills.example\nseen here\nhttp://free-coins.example/#/a\n"
        )
        arguments = ["--urls", source, "--popular", popular, "--lists", listed, "--out", tmp_path / "out"]

        command.main(["urls", *map(str, arguments), "--everyday", "30", "--card", str(page)])

        manifest = json.loads((tmp_path / "out" / train_urls.URLS_MANIFEST).read_text())
        assert manifest["urls"] == 400
        assert manifest["lists"][0]["urls"] == 2
        assert f"{manifest['measured']['test domains']['roc_auc']['value']:.4f}" in page.read_text()
        assert UrlModel.load(tmp_path / "out").review_from == manifest["review_from"]

    def test_relatives_are_of_benign_hosts_only(self) -> None:
        rows = [
            LabelledUrl(url=f"http://news.example/a/b/{number}", domain="news.example", kind="benign")
            for number in range(40)
        ]
        others = [
            LabelledUrl(url="http://bad.example/a/b", domain="bad.example", kind="malware"),
            LabelledUrl(url="http://[torn/", domain="torn", kind="benign"),
        ]

        found = relatives([*rows, *others], generator=np.random.default_rng(1))

        assert {page.domain for page in found} == {"news.example"}
        assert all(not page.is_bad for page in found)
        assert {"http://news.example/", "http://news.example/a/"} <= {page.url for page in found}
        assert any(".news.example/a/b/" in page.url for page in found)


@pytest.mark.xdist_group("train urls")
@pytest.mark.timeout(300)
class TestTrain:
    def test_measures_on_domains_that_it_never_saw(self, trained: Trained) -> None:
        unseen = {row.domain for row in made_up(900) if split_of(row.domain) is Split.TEST}

        tested = trained.measured["test domains"]
        assert tested.domains == len(unseen)
        assert tested.roc_auc.value > 0.9
        assert 0.0 < trained.model.review_from <= 1.0

    def test_flags_few_benign_domains_by_the_upper_end(self, trained: Trained) -> None:
        left_out = trained.measured["listed, left out by folds"]
        assert left_out.false_positives.high <= train_urls.FLAGGED_AT_MOST
        assert trained.everyday["flagged"]["high"] <= train_urls.FLAGGED_AT_MOST

    def test_learns_everyday_links_that_the_list_lacks(self, trained: Trained) -> None:
        assert trained.model.probability("https://www.popular900.com/wiki/Rivers_of_Europe") < 0.5
        assert trained.model.probability("https://site900.example/wp-content/login.php?id=4") > 0.5

    def test_the_same_seed_gives_the_same_model(self) -> None:
        rows = made_up(300)

        first, second = (trained_on(rows).model for _ in range(2))

        assert (first.gram_weights == second.gram_weights).all()
        assert first.review_from == second.review_from

    def test_refuses_a_part_of_one_sort(self) -> None:
        with pytest.raises(ValueError, match="benign and bad"):
            trained_on([row for row in made_up(300) if row.is_bad])


@pytest.mark.xdist_group("train urls")
@pytest.mark.timeout(300)
class TestLoad:
    def test_reads_what_was_written(self, tmp_path: Path) -> None:
        rows = made_up(20)

        assert load(written(rows, tmp_path / "urls.csv.gz")) == rows

    @pytest.mark.parametrize(
        ("lines", "named"),
        [("url,cls\nhttp://a.example/,benign\n", "dom"), ("url,dom,cls\n,b.example,benign\n", "line 2")],
    )
    def test_names_a_missing_column_and_a_gap(self, tmp_path: Path, lines: str, named: str) -> None:
        path = tmp_path / "urls.csv"
        path.write_text(lines)

        with pytest.raises(Malformed, match=named):
            load(path)


class TestBound:
    def test_lowest_bound_keeps_to_the_share_by_the_upper_end_and_no_lower_one_does(self) -> None:
        benign = urls({f"site{number}.example": 2 for number in range(300)})
        probabilities = np.random.default_rng(4).random(600)

        bound = measure_urls.lowest_bound(probabilities, benign=benign, flagged_at_most=0.05, seed=1)

        def upper(at: float) -> float:
            return measure_urls.flagged_share(probabilities >= at, urls=benign, seed=1).high

        below = probabilities[probabilities < bound].max()
        assert upper(bound) <= 0.05 < upper(below)


class TestMeasure:
    def test_a_domain_counts_once(self) -> None:
        benign = urls({"many.example": 98, "one.example": 1, "other.example": 1})
        bad = urls({"bad.example": 3, "worse.example": 1}, kind="phishing")
        probabilities = np.array([0.1] * 98 + [0.9, 0.1] + [0.2, 0.2, 0.2, 0.9])

        measures = measure_urls.measure(probabilities, urls=[*benign, *bad], review_from=0.5, seed=1)

        assert measures.false_positives.value == pytest.approx(1 / 3)
        assert measures.false_positives_by_url == pytest.approx(0.01)
        assert measures.mostly_flagged == 1
        assert measures.recall.value == pytest.approx(0.5)
        assert measures.recall_by_kind == {"phishing": pytest.approx(0.5)}

    def test_the_interval_of_the_area_lies_around_it(self) -> None:
        generator = np.random.default_rng(5)
        benign = urls({f"good{number}.example": 4 for number in range(60)})
        bad = urls({f"bad{number}.example": 4 for number in range(60)}, kind="phishing")
        probabilities = np.round(np.append(generator.random(240), 0.3 + generator.random(240)), 2)

        area = measure_urls.measure(probabilities, urls=[*benign, *bad], review_from=0.5, seed=1).roc_auc

        is_bad = np.arange(480) >= 240
        assert area.value == pytest.approx(roc_auc_score(is_bad, probabilities))
        assert area.low < area.value < area.high
        assert (area.low + area.high) / 2 == pytest.approx(area.value, abs=0.01)

    def test_the_interval_is_over_domains(self) -> None:
        generator = np.random.default_rng(3)
        shares = []
        for domains in (8, 200):
            benign = urls({f"site{number}.example": 20 for number in range(domains)})
            flagged = np.repeat(generator.random(domains) < 0.3, 20)
            shares.append(measure_urls.flagged_share(flagged, urls=benign, seed=1))

        few, many = (share.high - share.low for share in shares)
        assert few > 3 * many
