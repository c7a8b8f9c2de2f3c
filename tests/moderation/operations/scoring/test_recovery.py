"""What was left open is found again: lost messages, dead workers, models that are back."""

from __future__ import annotations

from datetime import datetime

import pytest

from moderation import enqueue
from moderation.models import Revision
from moderation.models.posts import ScoreState
from moderation.operations.infrastructure import sweeps
from moderation.operations.scoring import recovery, score
from tests.moderation.conftest import Post_
from tests.moderation.instants import later

pytestmark = pytest.mark.usefixtures("fake_scorer")


def run(at: datetime) -> int:
    return score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=at)


class TestSweep:
    @pytest.fixture(autouse=True)
    def _empty_broker(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Other tests enqueue, too, and nobody takes their messages."""
        monkeypatch.setattr(enqueue, "scoring_backlog", lambda: 0)

    def test_finds_what_a_lost_message_and_a_dead_worker_left(self, post: Post_) -> None:
        for text in ("lost", "abandoned", "fresh"):
            post(text=text)
        Revision.objects.filter(text="abandoned").update(
            score_state=ScoreState.SCORING, lease_until=later(30)
        )
        Revision.objects.filter(text="fresh").update(enqueued_at=later(60))

        assert recovery.sweep(at=later(61)) == 2

    def test_leaves_alone_what_still_waits_in_the_broker(
        self, post: Post_, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        post()
        monkeypatch.setattr(enqueue, "scoring_backlog", lambda: 1)

        assert recovery.sweep(at=later(sweeps.FORGOTTEN_SECONDS + 1)) == 0
        assert recovery.sweep(at=later(sweeps.FORGOTTEN_BACKLOG_SECONDS + 1)) == 1

    def test_what_a_killed_worker_held_goes_before_a_backlog_once(self, post: Post_) -> None:
        post(text="left")
        Revision.objects.update(score_state=ScoreState.SCORING, lease_until=later(60), attempts=1)
        for number in range(enqueue.SCORING_CHUNK + 9):
            post(text=f"newer {number}", at=later(30))
        newest = Revision.objects.order_by("-pk")[0]

        assert recovery.sweep(at=later(61)) >= 1
        score.run(revision_ids=[newest.pk], at=later(62))

        assert Revision.objects.get(text="left").score_state == ScoreState.SCORED
        assert Revision.objects.filter(score_state=ScoreState.PENDING).count() == 10

    def test_gives_up_visibly(self, post: Post_) -> None:
        post()
        Revision.objects.update(attempts=recovery.MAX_ATTEMPTS)

        assert recovery.sweep(at=later(61)) == 0

        assert Revision.objects.get().score_state == ScoreState.DEAD
