"""What undecided posts do to the figures."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from moderation.models import Case
from moderation.models.cases import CaseReason
from moderation.queries.quality import undecided
from moderation.queries.quality.labelled_posts import labelled_posts
from moderation.queries.quality.undecided import Undecided

AUDIT = {"route": "review", "route_reason": "audit", "is_audit_sample": True, "audit_probability": 0.1}


def counted(at: datetime, case: Case) -> Undecided:
    return undecided.undecided(
        since=at - timedelta(days=1), until=at + timedelta(days=1), platform=case.post.platform
    )


class TestUndecided:
    def test_counts_posts_in_review(self, open_case: Callable[..., Case], at: datetime) -> None:
        case = open_case()

        assert counted(at, case) == Undecided(drawn=0, review=1)

    def test_counts_drawn_posts_apart(self, open_case: Callable[..., Case], at: datetime) -> None:
        case = open_case()
        Case.objects.update(reason=CaseReason.AUDIT)

        assert counted(at, case) == Undecided(drawn=1, review=0)

    def test_leaves_out_what_gives_no_label_of_a_sample(
        self, open_case: Callable[..., Case], at: datetime
    ) -> None:
        case = open_case()
        Case.objects.update(reason=CaseReason.COMPLAINTS)

        assert counted(at, case) == Undecided(drawn=0, review=0)


class TestRow:
    def test_says_how_far_they_could_move_the_figures(
        self, open_case: Callable[..., Case], judged_alike: Callable[..., None], at: datetime
    ) -> None:
        case = open_case()
        case.score.release.manifest = {"thresholds": {"review_from": 0.2, "remove_from": 0.9}}
        case.score.release.save()
        judged_alike(case, probability=0.95, spam=20, fine=0, score=AUDIT)
        judged_alike(case, probability=0.5, spam=50, fine=50)
        posts = labelled_posts(since=at - timedelta(days=1), until=at + timedelta(days=1))

        row = undecided.row(posts, Undecided(drawn=0, review=150), passed=posts.where(posts.is_spam))

        assert row["passed"] == 70
        assert row["with_recall"] == pytest.approx(200 / (200 + 50 + 150))
        assert row["with_prevalence"] == pytest.approx((250 + 150) / (300 + 150))

    def test_says_no_share_of_few_labels(
        self, open_case: Callable[..., Case], judged_alike: Callable[..., None], at: datetime
    ) -> None:
        judged_alike(open_case(), probability=0.5, spam=19, fine=50)
        posts = labelled_posts(since=at - timedelta(days=1), until=at + timedelta(days=1))

        assert undecided.row(posts, Undecided(drawn=0, review=1), passed=posts)["with_recall"] is None
