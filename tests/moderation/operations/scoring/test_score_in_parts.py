"""A busy machine scores in smaller batches: what a batch holds is stored, and no task runs into its limit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.db import OperationalError

from moderation.models import Revision
from moderation.models.posts import ScoreState
from moderation.operations.scoring import score
from tests.moderation.conftest import Post_
from tests.moderation.instants import later

pytestmark = pytest.mark.usefixtures("fake_scorer")

SOFT_LIMIT_SECONDS = 45.0


class Machine:
    """A machine on which each post takes so many seconds; a task that runs into its limit is ended."""

    def __init__(self, post_seconds: float) -> None:
        self.post_seconds = post_seconds
        self.now = 0.0
        self.task_began_at = 0.0
        self.sizes: list[int] = []

    def batch(self, *, revisions: Sequence[Revision], **_: Any) -> int:
        self.sizes.append(len(revisions))
        self.now += self.post_seconds * len(revisions)
        if self.now - self.task_began_at > SOFT_LIMIT_SECONDS:
            self.now = self.task_began_at + SOFT_LIMIT_SECONDS
            raise SoftTimeLimitExceeded
        Revision.objects.filter(pk__in=[row.pk for row in revisions]).update(score_state=ScoreState.SCORED)
        return len(revisions)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], Machine]:
    def run_on(post_seconds: float) -> Machine:
        made = Machine(post_seconds)
        monkeypatch.setattr(score, "batch", made.batch)
        monkeypatch.setattr(score, "monotonic", lambda: made.now)
        monkeypatch.setattr(score, "pace", score.new_pace())
        return made

    return run_on


def test_loses_a_fifth_at_most_where_sixty_four_posts_take_a_minute(
    machine: Callable[[float], Machine], post: Post_
) -> None:
    slow = machine(60 / 64)
    for _ in range(200):
        post()
    scored, killed = 0, 0
    while slow.now < 150:
        slow.task_began_at = slow.now
        waiting = list(Revision.objects.filter(score_state=ScoreState.PENDING).values_list("pk", flat=True))
        try:
            scored += score.run(revision_ids=waiting[:64], at=later(slow.now))
        except SoftTimeLimitExceeded:
            killed += 1

    assert killed == 0
    assert scored >= 0.8 * slow.now / slow.post_seconds
    assert not Revision.objects.filter(score_state=ScoreState.SCORING).exists()
    assert set(
        Revision.objects.filter(score_state=ScoreState.PENDING).values_list("attempts", flat=True)
    ) == {0}


def test_a_free_machine_scores_whole_batches_after_the_first(
    machine: Callable[[float], Machine], post: Post_
) -> None:
    quick = machine(0.01)
    for _ in range(3):
        for _ in range(64):
            post()
        score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True))[-64:], at=later(1))

    assert quick.sizes[-1] == 64


def test_a_machine_that_is_slower_than_any_limit_scores_one_at_a_time(
    post: Post_, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = score.new_pace()
    for _ in range(16):
        made.took(1, seconds=400.0)
    monkeypatch.setattr(score, "pace", made)
    for _ in range(2):
        post()

    assert score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=later(1)) >= 1


def test_what_was_not_begun_is_given_back_when_a_batch_fails(
    machine: Callable[[float], Machine], post: Post_
) -> None:
    machine(10.0)  # the first sixteen take longer than a task may
    for _ in range(40):
        post()

    with pytest.raises(SoftTimeLimitExceeded):
        score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=later(1))

    states = Counter(Revision.objects.values_list("score_state", "attempts"))
    assert states == {(ScoreState.SCORING, 1): 16, (ScoreState.PENDING, 0): 24}


@pytest.mark.parametrize("failure", [SoftTimeLimitExceeded, OperationalError])
def test_what_is_no_posts_fault_is_not_tried_one_by_one(
    post: Post_, monkeypatch: pytest.MonkeyPatch, failure: type[Exception]
) -> None:
    asked = []

    def fail(*, revisions: Sequence[Revision], **_: Any) -> int:
        asked.append(len(revisions))
        raise failure

    monkeypatch.setattr(score, "batch", fail)
    monkeypatch.setattr(score, "pace", score.new_pace())
    for _ in range(3):
        post()

    with pytest.raises(failure):
        score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=later(1))

    assert asked == [3]
