"""Which posts a task takes: those without a score before those scored again, and none is forgotten."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import pytest
from django.db import transaction

from moderation import enqueue
from moderation.models import Revision
from moderation.models.posts import ScoreState
from moderation.operations import rescore
from moderation.operations.scoring import leases, score
from tests.moderation.conftest import Post_
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import later

pytestmark = pytest.mark.usefixtures("fake_scorer")


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """What was enqueued for scoring, message by message."""
    messages: list[list[int]] = []

    def keep(*, revision_ids: Sequence[int]) -> None:
        if revision_ids:
            messages.append(list(revision_ids))

    monkeypatch.setattr(enqueue, "scoring", keep)
    return messages


@pytest.fixture
def again(post: Post_, sent: list[list[int]]) -> list[int]:
    """Revisions that have a score and are to get another one."""
    for _ in range(40):
        post()
    ids = list(Revision.objects.order_by("pk").values_list("pk", flat=True))
    score.run(revision_ids=ids, at=later(1))
    with transaction.atomic():
        rescore.again(ids, at=later(2))
    sent.clear()
    return ids


def claimed(ids: Sequence[int], *, at: datetime) -> list[int]:
    return [row.pk for row in leases.claim(revision_ids=ids, at=at)]


def test_posts_without_a_score_go_first(again: list[int], post: Post_, sent: list[list[int]]) -> None:
    new = post().revisions.get().pk

    assert claimed(again[:2], at=later(3)) == [new]
    assert sent[-1] == again[:2]  # put off, not forgotten
    assert claimed(again[:2], at=later(4))[:2] == again[:2]


def test_a_new_post_takes_no_old_ones_along(again: list[int], post: Post_) -> None:
    new = post().revisions.get().pk

    assert claimed([new], at=later(3)) == [new]
    assert Revision.objects.filter(pk__in=again, score_state=ScoreState.PENDING).count() == len(again)


def test_few_are_scored_again_at_once_so_that_a_new_post_waits_little(again: list[int]) -> None:
    assert claimed(again[:1], at=later(3)) == again[: leases.AGAIN_CHUNK]


def test_as_many_as_a_message_names(again: list[int]) -> None:
    assert claimed(again, at=later(3)) == again


@pytest.mark.whole
def test_all_get_their_score_whatever_comes_between(
    again: list[int], post: Post_, sent: list[list[int]], fake_scorer: FakeScorer
) -> None:
    messages = [[pk] for pk in again]
    seconds = 3
    while messages:
        if seconds < 40:
            messages.append([post().revisions.get().pk])
        sent.clear()
        score.run(revision_ids=messages.pop(0), at=later(seconds))
        messages += sent
        seconds += 1

    assert set(Revision.objects.values_list("score_state", flat=True)) == {ScoreState.SCORED}
