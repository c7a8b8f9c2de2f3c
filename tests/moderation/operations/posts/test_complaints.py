"""Complaints come in, also before their post."""

from datetime import datetime
from typing import Any

from moderation.models import Platform, Post, ScoringJob
from moderation.models.posts import ScoreState
from moderation.operations.posts import complaints
from tests.moderation.conftest import Incoming
from tests.moderation.instants import AT
from tests.moderation.operations.posts.arrivals import accept


class TestComplain:
    def complaint(self, at: datetime, **given: str) -> complaints.IncomingComplaint:
        values: dict[str, Any] = {"post": "post-1", "reporter": "reporter", "reason": "spam"} | given
        return complaints.IncomingComplaint(reported_at=at, **values)

    def test_waits_for_its_post_and_joins_it(self, platform: Platform, incoming: Incoming) -> None:
        """Whoever complained writes it: its author is known by then."""
        complaint = self.complaint(AT, reporter="honest_author")
        early = complaints.record(platform=platform, complaint=complaint, at=AT)
        assert early.post is None

        accept(platform, AT, incoming())

        early.refresh_from_db()
        assert early.post == Post.objects.get()

    def test_scores_again_when_complaints_double(self, platform: Platform, incoming: Incoming) -> None:
        accept(platform, AT, incoming())
        generations = []

        for number in range(1, 9):
            ScoringJob.objects.update(state=ScoreState.SCORED)
            complaints.record(platform=platform, complaint=self.complaint(AT, reporter=f"r{number}"), at=AT)
            generations.append(ScoringJob.objects.get().generation)

        assert generations == [2, 3, 3, 4, 4, 4, 4, 5]
