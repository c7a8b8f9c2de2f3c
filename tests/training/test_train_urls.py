"""Training the URL model on made-up URLs: it generalises to new domains and knows what it was measured on."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from scoring.splits import Split, split_of
from scoring.urls import UrlModel
from tests.training.made_up_urls import SITES, made_up, written
from training import __main__ as command
from training import train_urls
from training.labelled_lines import Malformed
from training.labelled_urls import LabelledUrl, load, relatives
from training.train_urls import Trained

pytestmark = [pytest.mark.xdist_group("train urls"), pytest.mark.timeout(300)]


def trained_on(rows: list[LabelledUrl]) -> Trained:
    return train_urls.train(rows, sites=SITES, seed=1, everyday_per_kind=30)


@pytest.fixture(scope="module")
def trained() -> Trained:
    return trained_on(made_up(900))


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
        assert trained.everyday.flagged.high <= train_urls.FLAGGED_AT_MOST

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


def test_the_command_writes_model_manifest_and_page(tmp_path: Path) -> None:
    source = written(made_up(400), tmp_path / "urls.csv.gz")
    popular, listed, page = (tmp_path / name for name in ("popular.csv", "listed.txt", "models.md"))
    popular.write_text("\n".join(SITES))
    listed.write_text("# kept by volunteers\ncheap-pills.example\nseen here\nhttp://free-coins.example/#/a\n")
    arguments = ["--urls", source, "--popular", popular, "--lists", listed, "--out", tmp_path / "out"]

    command.main(["urls", *map(str, arguments), "--everyday", "30", "--card", str(page)])

    manifest = json.loads((tmp_path / "out" / train_urls.URLS_MANIFEST).read_text())
    assert manifest["urls"] == 400
    assert manifest["lists"][0]["urls"] == 2
    assert f"{manifest['measured']['test domains']['roc_auc']['value']:.4f}" in page.read_text()
    assert UrlModel.load(tmp_path / "out").review_from == manifest["review_from"]


class TestLoad:
    def test_reads_what_was_written(self, tmp_path: Path) -> None:
        rows = made_up(20)

        assert load(written(rows, tmp_path / "urls.csv.gz")) == rows

    def test_names_a_missing_column(self, tmp_path: Path) -> None:
        path = tmp_path / "urls.csv"
        path.write_text("url,cls\nhttp://a.example/,benign\n")

        with pytest.raises(Malformed, match="dom"):
            load(path)

    def test_names_the_line_with_a_gap(self, tmp_path: Path) -> None:
        path = tmp_path / "urls.csv"
        path.write_text("url,dom,cls\nhttp://a.example/,a.example,benign\n,b.example,benign\n")

        with pytest.raises(Malformed, match="line 3"):
            load(path)


def test_relatives_are_of_benign_hosts_only() -> None:
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
