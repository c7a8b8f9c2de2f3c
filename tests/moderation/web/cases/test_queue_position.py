"""Why a case stands where it does, in words."""

from __future__ import annotations

import pytest
from django.utils import timezone

from moderation.models.cases import CaseReason
from moderation.queries.cases.queue import QueueRow
from moderation.queries.cases.queue_filter import Sort
from moderation.web.cases import queue_position


def row(*, followers: int | None, spread: int) -> QueueRow:
    return QueueRow(
        case_id=1,
        version=1,
        reason=CaseReason.UNCERTAIN,
        is_escalated=False,
        uncertainty=0.4,
        is_hidden=False,
        opened_at=timezone.now(),
        is_mine=False,
        holder="",
        post_external_id="post-1",
        author="Author",
        is_author_gone=False,
        excerpt="cheap pills",
        language="en",
        domains=(),
        spam_probability=0.8,
        is_degraded=False,
        complaints=0,
        followers=followers,
        spread=spread,
        campaign_id=None,
        campaign_posts=0,
    )


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
