"""Why a case stands where it does, in words."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from moderation.models.cases import CaseReason
from moderation.queries.cases.queue import QueueRow
from moderation.queries.cases.queue_filter import Sort
from moderation.web.cases import queue_position


def row(*, followers: int | None, spread: int) -> QueueRow:
    rest: dict[str, Any] = {field.name: None for field in dataclasses.fields(QueueRow)}
    return QueueRow(**rest | {"followers": followers, "spread": spread})


def test_every_reason_has_short_words_of_its_own() -> None:
    assert set(queue_position._REASONS) == set(CaseReason)


@pytest.mark.parametrize(
    ("followers", "spread", "words"),
    [
        (13, 6, "13 followers · 6 reactions"),
        (1, 0, "1 follower"),
        (None, 1, "1 reaction"),
        (None, 0, "no known reach"),
        (0, 0, "no known reach"),
    ],
)
def test_the_default_order_is_told_by_whom_a_post_reaches(
    followers: int | None, spread: int, words: str
) -> None:
    """Never by the product that orders it, "harm 4.7"."""
    assert queue_position.place_words(row(followers=followers, spread=spread), Sort.HARM) == words
