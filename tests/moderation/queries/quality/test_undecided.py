"""What undecided posts do to the figures."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from moderation.models import Case
from moderation.models.cases import CaseReason
from moderation.queries.quality import undecided
from moderation.queries.quality.labelled_posts import labelled_posts
from moderation.queries.quality.undecided import Undecided
from tests.moderation.conftest import Case_, Judged

AUDIT = {"route": "review", "route_reason": "audit", "is_audit_sample": True, "audit_probability": 0.1}


@pytest.mark.parametrize(
    ("reason", "drawn", "review"),
    [(CaseReason.UNCERTAIN, 0, 1), (CaseReason.AUDIT, 1, 0), (CaseReason.COMPLAINTS, 0, 0)],
)
def test_counts_review_and_draws_apart_and_leaves_out_what_gives_no_label_of_a_sample(
    open_case: Case_, at: datetime, reason: CaseReason, drawn: int, review: int
) -> None:
    case = open_case()
    Case.objects.update(reason=reason)

    found = undecided.undecided(
        since=at - timedelta(days=1), until=at + timedelta(days=1), platform=case.post.platform
    )

    assert found == Undecided(drawn=drawn, review=review)


class TestRow:
    def test_says_how_far_they_could_move_the_figures(
        self, open_case: Case_, judged_alike: Judged, at: datetime
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

    def test_says_no_share_of_few_labels(self, open_case: Case_, judged_alike: Judged, at: datetime) -> None:
        judged_alike(open_case(), probability=0.5, spam=19, fine=50)
        posts = labelled_posts(since=at - timedelta(days=1), until=at + timedelta(days=1))

        assert undecided.row(posts, Undecided(drawn=0, review=1), passed=posts)["with_recall"] is None
