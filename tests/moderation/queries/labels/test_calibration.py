"""What a probability came to on the posts that people judged."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from moderation.models import Case, Label, Platform, Score
from moderation.queries.labels import calibration
from tests.moderation.conftest import Case_, Judged


@pytest.fixture(autouse=True)
def _nothing_remembered() -> Iterator[None]:
    calibration.forget()
    yield
    calibration.forget()


@pytest.fixture
def case(open_case: Case_) -> Case:
    """A case at 93 %."""
    found = open_case()
    Score.objects.filter(pk=found.score_id).update(spam_probability=0.93)
    found.score.refresh_from_db()
    return found


def measured(case: Case, at: datetime, *, has_link: bool = False) -> calibration.Measured | None:
    return calibration.measured(case.score, platform_id=case.post.platform_id, has_link=has_link, at=at)


class TestMeasured:
    def test_counts_the_posts_scored_alike(self, case: Case, judged_alike: Judged, at: datetime) -> None:
        judged_alike(case, probability=0.91, spam=60, fine=12)
        judged_alike(case, probability=0.3, spam=20, fine=108)

        found = measured(case, at)

        assert found == calibration.Measured(low=90, high=100, posts=72, spam=60, first_at=at, last_at=at)

    def test_is_silent_below_two_hundred_labels(self, case: Case, judged_alike: Judged, at: datetime) -> None:
        judged_alike(case, probability=0.91, spam=150, fine=49)

        assert measured(case, at) is None

    def test_is_silent_where_few_were_scored_alike(
        self, case: Case, judged_alike: Judged, at: datetime
    ) -> None:
        judged_alike(case, probability=0.91, spam=10, fine=9)
        judged_alike(case, probability=0.3, spam=20, fine=208)

        assert measured(case, at) is None

    @pytest.mark.parametrize(
        "score",
        [
            {"audit_probability": 0.02},  # a complaint or an appeal brought it
            {"audit_probability": 0.02, "is_audit_sample": True},  # its doubtful score brought it
            {"is_degraded": True},
        ],
    )
    def test_leaves_out_what_did_not_come_by_chance_or_score(
        self, case: Case, judged_alike: Judged, at: datetime, score: dict[str, Any]
    ) -> None:
        judged_alike(case, probability=0.91, spam=200, fine=0, score=score)
        judged_alike(case, probability=0.91, spam=100, fine=99)

        assert measured(case, at) is None

    def test_counts_the_uniform_part_of_audit_samples(
        self, case: Case, judged_alike: Judged, at: datetime
    ) -> None:
        sample = {"audit_probability": 0.02, "is_audit_sample": True, "audit_uniform_probability": 0.006}
        judged_alike(case, probability=0.91, spam=200, fine=10, score=sample)

        found = measured(case, at)

        assert found is not None
        assert found.posts == 210

    def test_leaves_out_retracted_labels(self, case: Case, judged_alike: Judged, at: datetime) -> None:
        judged_alike(case, probability=0.91, spam=200, fine=0)
        Label.objects.filter(pk=Label.objects.earliest("pk").pk).update(retracted_at=at)

        assert measured(case, at) is None

    def test_keeps_platforms_apart(self, case: Case, judged_alike: Judged, at: datetime) -> None:
        judged_alike(case, probability=0.91, spam=200, fine=10)
        other = Platform.objects.create(slug="other", name="Other", created_at=at)

        assert calibration.measured(case.score, platform_id=other.pk, has_link=False, at=at) is None

    @pytest.mark.parametrize("kind", ["links", "language"])
    def test_says_nothing_of_another_kind(
        self, case: Case, judged_alike: Judged, at: datetime, kind: str
    ) -> None:
        judged_alike(case, probability=0.91, spam=200, fine=10)
        assert measured(case, at) is not None
        if kind == "language":
            case.score.revision.language = "th"

        assert measured(case, at, has_link=kind == "links") is None

    def test_counts_again_after_five_minutes(self, case: Case, judged_alike: Judged, at: datetime) -> None:
        assert measured(case, at) is None
        judged_alike(case, probability=0.91, spam=200, fine=10)

        assert measured(case, at) is None
        assert measured(case, at + timedelta(minutes=5)) is not None
