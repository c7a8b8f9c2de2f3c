"""Figures of quality are stored anew by a sweep."""

from datetime import timedelta

import pytest

from moderation.models import Case, Platform, QualityFigure, QualityTable, Score, User
from moderation.models.quality import Dimension, Measure, QualitySpan, QualityUnit
from moderation.operations import rules
from moderation.operations.quality import refresh
from moderation.queries.quality import labelled_posts
from tests.moderation.conftest import AUDIT, Case_, Cases, Judged, with_thresholds
from tests.moderation.instants import AT

OF_ALL_ROUTES = {Measure.RECALL, Measure.PREVALENCE, Measure.FALSE_ALARMS}


def figure(
    platform: Platform | None, measure: Measure, unit: QualityUnit = QualityUnit.POSTS
) -> QualityFigure:
    return QualityFigure.objects.get(
        platform=platform, span=QualitySpan.DAYS_28, dimension=Dimension.ALL, measure=measure, unit=unit
    )


@pytest.fixture
def judged(open_case: Case_, judged_alike: Judged) -> Case:
    """20 removed posts of which 18 are spam, 40 let through of which 4 are, 10 reviewed."""
    case = with_thresholds(open_case())
    judged_alike(case, probability=0.95, spam=18, fine=2, score=AUDIT)
    judged_alike(case, probability=0.05, spam=4, fine=36, score=AUDIT)
    judged_alike(case, probability=0.5, spam=6, fine=4)
    return case


class TestRefresh:
    def test_weighs_each_label_by_its_chance_and_replaces_what_was_stored(self, judged: Case) -> None:
        refresh.refresh(at=AT + timedelta(minutes=1))
        before = (QualityFigure.objects.count(), QualityTable.objects.count())
        refresh.refresh(at=AT + timedelta(minutes=11))

        everywhere = {measure: figure(None, measure).value for measure in Measure}
        route = QualityFigure.objects.get(
            platform=None, span=QualitySpan.DAYS_28, dimension=Dimension.ROUTE, slice="review"
        )

        assert everywhere == pytest.approx(
            {
                Measure.PRECISION: 18 / 20,
                Measure.MISSED: 4 / 40,
                Measure.RECALL: 180 / 226,
                Measure.PREVALENCE: 226 / 610,
                Measure.FALSE_ALARMS: 20 / 384,
            }
        )
        assert figure(judged.post.platform, Measure.PRECISION).labels == 20
        assert (route.value, route.labels) == (None, 10)  # no share of few labels
        assert (QualityFigure.objects.count(), QualityTable.objects.count()) == before

    @pytest.mark.parametrize(
        ("took", "is_banned", "withheld"),
        [
            ({"route": "remove"}, False, OF_ALL_ROUTES),
            ({"route": "review", "route_reason": "unproven"}, False, OF_ALL_ROUTES),
            ({"route": "remove"}, True, set()),
            ({"route": "allow"}, False, set()),
        ],
        ids=["removed", "unproven", "banned", "let through"],
    )
    def test_withholds_figures_of_all_routes_while_one_has_no_label(
        self,
        open_case: Case_,
        judged_alike: Judged,
        lead: User,
        took: dict[str, str],
        *,
        is_banned: bool,
        withheld: set[Measure],
    ) -> None:
        case = open_case()
        judged_alike(case, probability=0.5, spam=30, fine=30, decision={"reason": "advertising"})
        judged_alike(case, probability=0.05, spam=0, fine=20, score=AUDIT)
        Case.objects.update(state="withdrawn")
        ban = rules.impose(value="shop.example", reason="Pills", actor=lead, at=AT) if is_banned else None
        Score.objects.filter(pk=case.score_id).update(**took, ban=ban)

        refresh.refresh(at=AT + timedelta(minutes=1))

        rows = QualityFigure.objects.filter(platform=None, span=QualitySpan.DAYS_28, labels__gte=20)
        found = rows.filter(dimension__in=(Dimension.ALL, Dimension.LANGUAGE, Dimension.REASON), value=None)
        assert {row.measure for row in found} == withheld
        assert {(row.low, row.high) for row in found} <= {(0.0, 1.0)}
        assert rows.get(dimension=Dimension.ROUTE, slice="review").value == 0.5

    @pytest.mark.parametrize(("waiting", "withheld"), [(1, False), (40, True)])
    def test_withholds_what_posts_that_wait_in_review_may_change(
        self, judged: Case, open_cases: Cases, waiting: int, *, withheld: bool
    ) -> None:
        open_cases([{}] * (waiting - 1))
        Case.objects.update(opened_at=AT)

        refresh.refresh(at=AT + timedelta(minutes=1))

        days = QualityFigure.objects.filter(platform=None, span=QualitySpan.DAY)
        for measure in (Measure.RECALL, Measure.PREVALENCE):
            assert (figure(None, measure).value is None) is withheld
            assert (days.get(measure=measure).value is None) is withheld
        assert figure(None, Measure.FALSE_ALARMS).value is not None

    def test_widens_intervals_by_what_was_passed_over(
        self, judged: Case, open_cases: Cases, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(labelled_posts, "_SPARED", 0)
        refresh.refresh(at=AT + timedelta(minutes=1))
        before = figure(None, Measure.MISSED)
        for case in open_cases([{}, {}]):
            Case.objects.filter(pk=case.pk).update(is_drawn=True, opened_at=AT)
            Score.objects.filter(pk=case.score_id).update(**AUDIT, spam_probability=0.05)
        younger = {"state": "decided", "opened_at": AT + timedelta(seconds=5), "closed_at": AT}
        Case.objects.filter(pk=case.pk).update(**younger)

        refresh.refresh(at=AT + timedelta(minutes=1))

        after = figure(None, Measure.MISSED)
        assert (after.value, after.low < before.low, after.high > before.high) == (before.value, True, True)
        [row] = QualityTable.objects.get(platform=None, span=QualitySpan.DAYS_28, kind="undecided").rows
        assert row["passed"] == 1

    def test_weighs_by_views_where_platforms_send_them(self, judged: Case, judged_alike: Judged) -> None:
        refresh.refresh(at=AT + timedelta(minutes=1))
        without = QualityFigure.objects.filter(unit=QualityUnit.VIEWS).count()
        for views, spam, fine in ((90, 10, 0), (10, 10, 10), (0, 5, 0)):
            judged.score.revision.views = views
            judged_alike(judged, probability=0.95, spam=spam, fine=fine, score=AUDIT)

        refresh.refresh(at=AT + timedelta(minutes=1))

        by_views = figure(None, Measure.PRECISION, QualityUnit.VIEWS)
        assert without == 0
        assert by_views.value == pytest.approx((10 * 90 + 10 * 10) / (10 * 90 + 20 * 10))
        # Those that nobody saw, and those without views, say nothing of a share of views.
        assert (by_views.labels, figure(None, Measure.PRECISION).labels) == (30, 55)
        assert figure(None, Measure.MISSED, QualityUnit.VIEWS).value is None

    def test_stores_nothing_but_empty_figures_without_labels(self, platform: Platform) -> None:
        refresh.refresh(at=AT)

        assert figure(platform, Measure.MISSED).labels == 0

    def test_a_language_that_is_none_stops_nothing(self, judged: Case, judged_alike: Judged) -> None:
        judged.score.revision.language = "a" * 16
        judged_alike(judged, probability=0.95, spam=20, fine=0, score=AUDIT)

        refresh.refresh(at=AT + timedelta(minutes=1))

        assert QualityFigure.objects.filter(
            dimension=Dimension.LANGUAGE_RELEASE, slice=f"{'a' * 8}:{judged.score.release_id}"
        ).exists()

    def test_stores_no_part_of_a_day_as_a_day(self, judged: Case) -> None:
        """Labels of the noon of the first day are read from noon on: half of what the day had."""
        days = QualityFigure.objects.filter(platform=None, span=QualitySpan.DAY, measure=Measure.PRECISION)
        refresh.refresh(at=AT + timedelta(days=27))
        before = [row.start for row in days]

        refresh.refresh(at=AT + timedelta(days=28))

        assert before == [AT.replace(hour=0)]
        assert not days.all().exists()
