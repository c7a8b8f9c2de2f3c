"""Contributions of a score: what moved nothing is not stored, and shown all the same."""

import json
from typing import Any

from moderation.models import Score
from moderation.queries import latest_scores
from scoring.explain import CONTENT_TEXT
from scoring.features import NAMES, SCHEMA_HASH

_FOUND = "content.page_probability"
_VALUES = [float("nan") if number % 7 == 0 else number / 3 for number in range(len(NAMES))]
_SHARES = [0.0 if number % 5 else (-1) ** number * number / 100 for number in range(len(NAMES))]


def _all() -> list[list[Any]]:
    """Return what a score held when all was stored, the largest first."""
    known = [None if number % 7 == 0 else value for number, value in enumerate(_VALUES)]
    parts = [
        *map(list, zip((*NAMES, CONTENT_TEXT), (*known, 0.4), (*_SHARES, 1.5), strict=True)),
        [_FOUND, 0.2, 0.0],
    ]
    return sorted(parts, key=lambda part: -abs(part[2]))


def _score(**more: Any) -> Score:
    stored = [part for part in _all() if part[2] or part[0] == _FOUND]
    given = {"schema_hash": SCHEMA_HASH, "release_id": "a" * 64, "content_probability": 0.4} | more
    return Score(features=_VALUES, contributions=stored, **given)


class TestContributions:
    def test_are_those_that_were_computed(self) -> None:
        assert json.dumps(latest_scores.contributions(_score())) == json.dumps(_all())

    def test_of_an_earlier_schema_are_those_that_are_stored(self) -> None:
        score = _score(schema_hash="0" * 64)

        assert latest_scores.contributions(score) == score.contributions

    def test_of_a_banned_post_are_none(self) -> None:
        assert (
            latest_scores.contributions(Score(features=[], contributions=[], schema_hash=SCHEMA_HASH)) == []
        )
