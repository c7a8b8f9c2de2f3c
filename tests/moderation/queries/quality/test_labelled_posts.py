"""Which labels count for figures of quality, and with what chance."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from moderation.models import Case, Label, LabelDraw, Revision, Score, User
from moderation.models.cases import CaseReason, CaseState
from moderation.queries.quality.labelled_posts import LabelledPosts, labelled_posts
from tests.moderation.conftest import AUDIT, Case_, Judged, with_thresholds

Read = Callable[[], LabelledPosts]
ALLOWED = {"route": "allow", "route_reason": "", "audit_probability": 0.1}


@pytest.fixture
def case(open_case: Case_) -> Case:
    return with_thresholds(open_case())


@pytest.fixture
def drawn(case: Case, lead: User, at: datetime) -> LabelDraw:
    """A draw of a quarter of the posts."""
    return LabelDraw.objects.create(
        platform=case.post.platform,
        asked_by=lead,
        asked_at=at + timedelta(hours=1),
        days=7,
        wanted=5,
        drawn=5,
        population=20,
    )


@pytest.fixture
def read(case: Case, at: datetime) -> Read:
    return lambda: labelled_posts(since=at - timedelta(days=1), until=at + timedelta(days=1))


def put_in_draw(case: Case, draw: LabelDraw, at: datetime) -> None:
    """Make the judged posts those of a draw."""
    for label in Label.objects.select_related("decision__score"):
        own = Case.objects.create(
            post=label.post,
            platform_id=label.post.platform_id,
            score=label.decision.score,
            state=CaseState.DECIDED,
            reason=CaseReason.RANDOM,
            priority=1.0,
            opened_at=at,
            draw=draw,
            audit_probability=0.25,
        )
        label.decision.case, label.decision.case_version = own, 1
        label.decision.save()


class TestLabelledPosts:
    def test_counts_what_the_route_sent_to_a_human_with_chance_one(
        self, case: Case, judged_alike: Judged, read: Read
    ) -> None:
        judged_alike(case, probability=0.5, spam=1, fine=1)

        found = read()

        assert (found.automatic.tolist(), found.chance.tolist()) == (["review", "review"], [1.0, 1.0])
        assert found.is_spam.tolist() == [True, False]

    @pytest.mark.parametrize(("probability", "automatic"), [(0.95, "remove"), (0.05, "allow")])
    def test_tells_what_the_filter_would_have_done_with_an_audit_sample(
        self, case: Case, judged_alike: Judged, read: Read, probability: float, automatic: str
    ) -> None:
        judged_alike(case, probability=probability, spam=1, fine=0, score=AUDIT)

        found = read()

        assert (found.automatic.tolist(), found.chance.tolist()) == ([automatic], pytest.approx([0.1]))
        assert found.is_uniform.tolist() == [False]

    def test_gives_a_drawn_post_the_chance_of_either_sample(
        self, case: Case, judged_alike: Judged, drawn: LabelDraw, read: Read, at: datetime
    ) -> None:
        judged_alike(case, probability=0.05, spam=1, fine=0, score=ALLOWED)
        put_in_draw(case, drawn, at)

        found = read()

        assert found.automatic.tolist() == ["allow"]
        assert found.chance.tolist() == pytest.approx([1 - 0.9 * 0.75])
        assert found.uniform_chance.tolist() == pytest.approx([0.9 * 0.25])
        assert found.is_uniform.tolist() == [True]

    def test_marks_the_uniform_part_of_the_sample(self, case: Case, judged_alike: Judged, read: Read) -> None:
        judged_alike(case, probability=0.05, spam=1, fine=0, score=AUDIT)
        judged_alike(
            case, probability=0.05, spam=1, fine=0, score=AUDIT | {"audit_uniform_probability": 0.03}
        )

        found = read()

        assert found.is_uniform.tolist() == [False, True]
        assert found.uniform_chance.tolist()[1] == pytest.approx(0.03)

    @pytest.mark.parametrize(
        "score", [ALLOWED, {"route": "remove", "route_reason": "", "audit_probability": 0.02}]
    )
    def test_leaves_out_what_complaints_or_campaigns_brought(
        self, case: Case, judged_alike: Judged, read: Read, score: dict[str, Any]
    ) -> None:
        judged_alike(case, probability=0.05, spam=3, fine=0, score=score)

        assert len(read()) == 0

    def test_goes_by_the_first_score_of_the_text(self, case: Case, judged_alike: Judged, read: Read) -> None:
        judged_alike(case, probability=0.05, spam=1, fine=0, score=ALLOWED)
        first = Score.objects.get(decisions__label__isnull=False)
        second = Score.objects.get(pk=first.pk)
        second.pk, second.generation = None, first.generation + 1
        second.route, second.audit_probability, second.spam_probability = "review", 1.0, 0.6
        second.save()
        first.decisions.update(score=second)

        assert len(read()) == 0

    def test_passes_over_scores_without_the_content_model(
        self, case: Case, judged_alike: Judged, read: Read
    ) -> None:
        judged_alike(case, probability=0.95, spam=1, fine=0, score=AUDIT | {"generation": 2})
        whole = Score.objects.get(decisions__label__isnull=False)
        degraded = Score.objects.get(pk=whole.pk)
        degraded.pk, degraded.generation, degraded.is_degraded = None, 1, True
        degraded.route, degraded.is_audit_sample, degraded.audit_probability = "review", False, 1.0
        degraded.save()

        assert read().automatic.tolist() == ["remove"]

    def test_leaves_out_retracted_labels_and_other_times(
        self, case: Case, judged_alike: Judged, read: Read, at: datetime
    ) -> None:
        judged_alike(case, probability=0.5, spam=2, fine=0)
        Label.objects.filter(pk=Label.objects.earliest("pk").pk).update(retracted_at=at)

        assert len(read()) == 1
        assert len(labelled_posts(since=at + timedelta(days=1), until=at + timedelta(days=2))) == 0


def test_views_are_what_the_platform_last_told(case: Case, judged_alike: Judged, read: Read) -> None:
    for views in (None, 7):
        case.score.revision.views = views
        judged_alike(case, probability=0.5, spam=1, fine=0)
    seen = Revision.objects.get(views=7)
    seen.pk, seen.number, seen.views = None, 2, 30
    seen.save()
    seen.pk, seen.number, seen.views = None, 3, None
    seen.save()

    found = read()

    assert found.with_views.views.tolist() == [30.0]
    assert len(found) == 2
