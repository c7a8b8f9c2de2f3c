"""The promise command on the real server, with small data: one table, an earlier run beside, an exit code."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from scoring.release import Release
from tests import releases
from tests.scoring.starter import STARTER
from training import __main__ as command_line

pytestmark = [pytest.mark.xdist_group("triton"), pytest.mark.timeout(300)]

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


def test_prints_one_table_and_compares_with_an_earlier_run(
    triton_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
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
