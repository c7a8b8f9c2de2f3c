"""Texts to learn from: what the simulation wrote, and what was behind decided posts."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from tests.json_lines import written
from tests.scoring.random_records import labelled
from training import worded_texts
from training.labelled_lines import Malformed, Origin
from training.worded_texts import WordedText

LINE = {"text": "casino", "is_spam": True, "kind": "casino", "family": "casino.slots", "shown": "picture"}


def loaded(folder: Path, **changed: object) -> list[WordedText]:
    return worded_texts.load([written(folder / "pages.jsonl", [LINE | changed])])


def test_reads_what_was_written(tmp_path: Path) -> None:
    [one] = loaded(tmp_path)

    assert (one.text, one.is_spam, one.family) == ("casino", True, "casino.slots")
    assert one.weight > 1.0


@pytest.mark.parametrize("changed", [{"is_spam": 1}, {"shown": "poem"}, {"is_spam": None}])
def test_names_a_line_that_is_wrong(tmp_path: Path, changed: dict[str, object]) -> None:
    with pytest.raises(Malformed, match=r"pages\.jsonl, line 1"):
        loaded(tmp_path, **changed)


def test_learns_from_decisions_and_from_no_simulated_record() -> None:
    simulated, decided = labelled(2)
    decided = dataclasses.replace(decided, origin=Origin.DECIDED, group="g1", weight=40.0)

    found = worded_texts.decided([simulated, decided], texts=[["a page"], ["another", "and a picture"]])

    assert [(one.text, one.family, one.weight) for one in found] == [
        ("another", "decided g1", 10.0),
        ("and a picture", "decided g1", 10.0),
    ]
