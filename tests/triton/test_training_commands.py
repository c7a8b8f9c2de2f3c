"""Commands of training on the real server: two reports that the gate reads, and the table of promises."""

import argparse
import json
import os
from pathlib import Path

import pytest

from scoring import gate
from scoring.release import MANIFEST, Release
from scoring.splits import Split, split_of
from tests import releases
from tests.scoring.random_records import labelled
from tests.scoring.starter import STARTER
from training import __main__ as command_line
from training import evaluate_releases, labelled_posts, measure_promise


def compare(*, release: Path, data: Path, out: Path, part: Split = Split.TEST) -> None:
    parser = argparse.ArgumentParser()
    evaluate_releases.add_arguments(parser)
    given = {
        "release": release, "against": STARTER, "data": data, "part": part,
        "triton": os.environ["TRITON_URL"], "out": out,
    }  # fmt: skip
    evaluate_releases.main(
        parser.parse_args([word for name, value in given.items() for word in (f"--{name}", str(value))])
    )


@pytest.fixture
def few_curated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave thousands of curated posts unread: test_added_links.py of training judges what links change."""
    path = texts(tmp_path / "curated.jsonl", source="written")
    posts = [post for split in Split for post in labelled_posts.load([path], split=split)]
    monkeypatch.setattr(labelled_posts, "kept_out", lambda: posts)


@pytest.fixture
def data(tmp_path: Path, few_curated: None) -> Path:
    """As many honest posts as the gate asks for, and less spam: each is attacked in every way, slowly."""
    honest, spam = ([one for one in labelled(2_400) if one.is_spam == is_spam] for is_spam in (False, True))
    path = tmp_path / "records.jsonl"
    with path.open("w") as lines:
        for one in (*honest, *spam[::3]):
            stored = {"record": one.record.to_json(), "is_spam": one.is_spam, "kind": "x", "group": one.group}
            lines.write(json.dumps(stored) + "\n")
    return path


SPAM = (
    "Congratulations, you won a free prize! Call 0800 123 456 now",
    "Win cash at https://prize.example/x now",
)
HONEST = ("Shall we meet at the station at six?", "The match report is at https://www.bbc.com/sport/1 today")


def texts(path: Path, *, source: str) -> Path:
    lines = [
        {
            "id": f"{source}{place}",
            "source": source,
            "lang": "en",
            "text": f"{(SPAM if place % 2 else HONEST)[place // 2 % 2]} {place}",
            "label": place % 2,
            "group": f"{source}{place}",
        }
        for place in range(48)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def urls(path: Path) -> Path:
    kinds = (("benign", "about"), ("phishing", "login.php"))
    rows = [
        f"http://{kind}{place}.example/{page},{kind}{place}.example,{kind}\n"
        for place in range(20)
        for kind, page in kinds
    ]
    path.write_text("url,dom,cls\n" + "".join(rows))
    return path


def run(folder: Path, *more: str | Path) -> None:
    given = {
        "texts": texts(folder / "real.jsonl", source="real"),
        "curated": texts(folder / "curated.jsonl", source="written"),
        "unseen": folder / "gone.jsonl",
        "urls": urls(folder / "urls.csv"),
        "popular": folder / "gone.csv",
        "against": releases.REPOSITORY,
        "most": 60,
        "triton": os.environ["TRITON_URL"],
    }
    words = [str(word) for name, value in given.items() for word in (f"--{name}", value)]
    command_line.main(["promise", "--kept-back", *words, *map(str, more)])


@pytest.mark.xdist_group("triton")
@pytest.mark.timeout(300)
class TestEvaluate:
    def test_compares_two_releases(self, triton_url: str, data: Path, tmp_path: Path) -> None:
        # Routes stay: what a link changes is as in the live release, whatever that is.
        same = json.loads((STARTER / MANIFEST).read_text())["thresholds"]
        candidate = releases.release(tmp_path / "candidate", thresholds=same | {"audit_rate": 0.03})

        compare(release=candidate.folder, data=data, out=tmp_path / "out")

        report = json.loads((tmp_path / "out" / "report.json").read_text())
        live = Release.load(STARTER)
        findings = gate.findings(report, candidate=candidate.id, live=live.id)
        assert [one.question for one in findings if not one.passed] == []
        assert report["slices"][0]["metrics"]["pr_auc"]["difference_interval"] == [0.0, 0.0]
        assert report["data"][0]["rows"] > 50
        assert {attack["attack"] for attack in report["robustness"]} >= {"homoglyph", "spacing"}

    @pytest.mark.long
    def test_candidates_can_be_compared_without_the_test_part(
        self, triton_url: str, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        candidate = releases.release(tmp_path / "candidate")

        compare(release=candidate.folder, data=data, out=tmp_path / "out", part=Split.VALIDATION)

        report = json.loads((tmp_path / "out" / "report.json").read_text())
        groups = [json.loads(line)["group"] for line in data.read_text().splitlines()]
        expected = sum(split_of(group) is Split.VALIDATION for group in groups)
        assert report["slices"][0]["rows"] == expected > 50
        assert report["part"] == "validation"
        assert f"{expected} posts of the validation part" in capsys.readouterr().out


@pytest.mark.xdist_group("triton")
@pytest.mark.timeout(300)
class TestPromise:
    def test_prints_one_table_and_compares_with_an_earlier_run(
        self,
        triton_url: str,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(measure_promise, "_TIMED", 16)
        page, figures = tmp_path / "models.md", tmp_path / "figures.json"

        run(tmp_path, "--card", page, "--json", figures)

        card, progress = capsys.readouterr()
        assert card == page.read_text()
        assert f"Release `{Release.load(STARTER).id[:12]}`" in card
        for row in (
            "| honest posts, small link added: route unchanged | 24 |",
            "| real honest posts with links: held | 12 |",
            "| curated posts: precision of that | 48 |",
            "| attacks: recall that the worst costs (",
            "| URL model by domain: ROC-AUC | 40 |",
            "| en | real | 48 (24) |",
            "left out: gone.jsonl.",
        ):
            assert row in card
        assert "s  attacks: recall that the worst costs\n" in progress
        found = json.loads(figures.read_text())
        assert found["processor time of reading a text, against the other repository"] == pytest.approx(
            1, abs=0.4
        )

        broken = "real: ROC-AUC of content"
        figures.write_text(json.dumps(found | {broken: 1.9}))
        run(tmp_path, "--before", figures)
        assert f"| {found[broken]:.3f} (" in (card := capsys.readouterr().out)
        assert "| 1.900 | ≥ 1.895 | **not kept** |" in card
        with pytest.raises(SystemExit, match=f"certainly broken: .*{broken}"):
            run(tmp_path, "--before", figures, "--strict")
