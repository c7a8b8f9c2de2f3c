"""Which scripts a head has learnt to read."""

from __future__ import annotations

import dataclasses

import pytest

from tests.scoring.platform_posts import decisions
from tests.scoring.random_records import record
from training import head_guards
from training.labelled_records import LabelledRecord


def posts(text: str, *, spam: int, honest: int, weight: float = 1.0) -> list[LabelledRecord]:
    first = decisions(1)[0]
    return [
        dataclasses.replace(
            first,
            record=record(text=f"{text} {place}"),
            is_spam=place < spam,
            weight=weight,
            group=str(place),
        )
        for place in range(spam + honest)
    ]


@pytest.mark.parametrize(
    ("labelled", "scripts"),
    [
        (posts("выигрыш", spam=8, honest=8), ["CYRILLIC"]),
        (posts("выигрыш", spam=7, honest=80), []),
        (posts("выигрыш", spam=80, honest=7), []),
        (posts("выигрыш", spam=8, honest=8, weight=0.0), []),
        (posts("おめでとう漢字カタカナ", spam=9, honest=9), ["HAN", "HIRAGANA", "KATAKANA"]),
        (posts("an English sentence with the one word ไทย", spam=9, honest=9), ["LATIN"]),
        (posts("hello", spam=9, honest=9) + posts("สวัสดี", spam=8, honest=9), ["LATIN", "THAI"]),
        (posts("12345", spam=9, honest=9), []),
    ],
    ids=[
        "enough of either sort",
        "few spam",
        "few honest",
        "complained of",
        "several at once",
        "a word of it",
        "two languages",
        "no letters",
    ],
)
def test_needs_decisions_of_either_sort(labelled: list[LabelledRecord], scripts: list[str]) -> None:
    assert head_guards.scripts_seen(labelled) == scripts
