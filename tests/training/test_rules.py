"""Labels by rule: sure or silent, and measured against people's."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.json_lines import written
from training import rules
from training.dataset import Example, Malformed, Provenance


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("You have won a £1000 cash prize, claim before Friday", 1),
        ("Y o u h a v e won a cash pr1ze, claim it at once", 1),
        ("FREE entry: txt WIN to 80086", 1),
        ("Please subscribe to my channel", 1),
        ("Airdrop is live: https://drop.example/claim", 1),
        ("see you later then", 0),
        ("ok miss you lots, sleep well and call when you are up in the morning please", 0),
        ("The committee published its report on transport in the northern provinces, 214 pages", None),
    ],
)
def test_says(text: str, expected: int | None) -> None:
    assert rules.label(text) == expected


def test_is_silent_when_rules_disagree() -> None:
    assert rules.label("miss you! check out my new video") is None


def test_labels_the_texts_of_a_file_that_it_is_sure_of(tmp_path: Path) -> None:
    texts = ["Please subscribe to my channel", "The committee published 214 pages on transport", "see you"]
    path = written(tmp_path / "crawl.jsonl", ({"text": text} for text in texts))
    path.write_text(path.read_text() + "\n")

    spam, ham = rules.load(path)

    assert (spam.label, ham.label) == (1, 0)
    assert spam.provenance is ham.provenance is Provenance.RULE
    assert spam.source == "crawl"


def test_near_duplicates_share_a_group(tmp_path: Path) -> None:
    text = "Congratulations Ann, you have been selected to receive a cash reward, claim it on our page today"
    path = written(tmp_path / "crawl.jsonl", [{"text": text}] * 2)

    first, second = rules.load(path)

    assert first.group == second.group


@pytest.mark.parametrize("line", ["[]", "{}", "nonsense", '{"text": 1}', "3"])
def test_names_the_line_that_cannot_be_used(tmp_path: Path, line: str) -> None:
    path = tmp_path / "crawl.jsonl"
    path.write_text('{"text": "see you"}\n' + line + "\n")

    with pytest.raises(Malformed, match=r"crawl\.jsonl, line 2"):
        rules.load(path)


def test_measures_each_rule_on_labelled_texts() -> None:
    texts = {
        "Please subscribe to my channel": 1,
        "subscribe to me": 0,
        "nothing to see in these 214 pages": 0,
    }
    examples = [
        Example(id=text, source="s", text=text, label=label, group=text) for text, label in texts.items()
    ]

    (found,) = [one for one in rules.measure(examples) if one.rule == "subscribe_to_me"]

    assert (found.labelled, found.right) == (2, 0.5)
