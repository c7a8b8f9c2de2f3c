"""Which releases were live; posts that other thresholds route otherwise; what labels say of a candidate."""

from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from moderation import scorer
from moderation.models import Platform, Post, Promotion, Release, Revision
from moderation.models.releases import PromotionKind
from moderation.operations.scoring import score
from moderation.queries.learning import dry_run, models, shadow_figures, traffic
from moderation.queries.learning.dry_run import Change
from moderation.queries.learning.shadow_figures import (
    ALL,
    Comparison,
    Difference,
    Mistake,
    Outcome,
    Routes,
    ShadowLabels,
)
from scoring.release import Safety, Thresholds
from tests.moderation.conftest import Case_, Post_
from tests.moderation.fakes import FakeScorer


@pytest.mark.django_db
class TestLiveReleases:
    def test_those_of_promotions_and_those_that_scored_without_any_were_live(
        self, open_case: Case_, at: datetime
    ) -> None:
        shipped = open_case().score.release_id
        promoted, replaced, failed = (
            Release.objects.create(pk=letter * 64, manifest={}, first_used_at=at) for letter in "012"
        )
        Promotion.objects.create(release=promoted, replaced=replaced, kind=PromotionKind.PROMOTE, at=at)

        found = models.were_live([shipped, promoted.pk, replaced.pk, failed.pk])

        assert found == {shipped, promoted.pk, replaced.pk}


WANTED = Thresholds(review_from=0.3, remove_from=0.8, audit_rate=0.0)


"""Live are 0.2 and 0.9."""


@pytest.fixture
def scored(post: Post_, fake_scorer: FakeScorer, at: datetime) -> Callable[[list[float]], list[Post]]:
    def run(probabilities: list[float]) -> list[Post]:
        fake_scorer.probabilities = {f"post {one}": one for one in probabilities}
        rows = [post(text=f"post {one}") for one in probabilities]
        score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=at)
        return rows

    return run


class TestCount:
    def test_counts_each_change_of_a_week(self, scored: Callable[..., list[Post]], at: datetime) -> None:
        scored([0.1, 0.2, 0.25, 0.3, 0.5, 0.8, 0.85, 0.9, 0.95])

        found, later = (
            dry_run.count(traffic.subject(scorer.release()), wanted=WANTED, at=at + timedelta(days=days))
            for days in (0, 7)
        )

        assert later.posts == 0
        assert found.changes == (
            Change(before="review", after="allow", posts=2),
            Change(before="review", after="remove", posts=2),
        )
        assert found.is_whole

    def test_keeps_the_safety_bounds(
        self, scored: Callable[..., list[Post]], fake_scorer: FakeScorer, at: datetime
    ) -> None:
        scored([0.85])
        fake_scorer.release.safety = Safety(remove_alone_from={"content": 0.9})

        found = dry_run.count(traffic.subject(scorer.release()), wanted=WANTED, at=at)

        assert found.changes == ()


class TestPosts:
    def test_are_listed_page_by_page(
        self, scored: Callable[..., list[Post]], at: datetime, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(dry_run, "_SHOWN", 2)
        rows = scored([0.21, 0.22, 0.5, 0.23, 0.81])
        wanted = [rows[4].pk, rows[3].pk, rows[1].pk, rows[0].pk]

        first = dry_run.posts(traffic.subject(scorer.release()), wanted=WANTED, at=at)
        second = dry_run.posts(
            traffic.subject(scorer.release()), wanted=WANTED, at=at, cursor=first.next_cursor
        )

        assert [row.post_id for row in (*first.rows, *second.rows)] == wanted
        assert second.next_cursor == ""
        assert (first.rows[0].before, first.rows[0].after) == ("review", "remove")


class TestTraffic:
    @pytest.mark.django_db
    def test_traffic_is_counted_by_thousandths(self, scored: Callable[..., list[Post]], at: datetime) -> None:
        scored([0.1, 0.2, 0.25, 0.5, 0.95])
        about = traffic.subject(scorer.release())

        with CaptureQueriesContext(connection) as queries:
            found = traffic.traffic(about, at=at)

        assert len(queries) == 1
        assert (found.allowed(WANTED), found.removed(WANTED), found.posts) == (3, 1, 5)
        assert found.cases(WANTED) == 1

    @pytest.mark.django_db
    def test_a_platform_without_its_own_thresholds_is_refused(self, fake_scorer: FakeScorer) -> None:
        with pytest.raises(Platform.DoesNotExist):
            traffic.subject(scorer.release(), slug="social")


THAI = ("language", "th")
Row = tuple[bool, float, str, str, str]


"""Spam, chance, live route, candidate's route, language."""


def compared(rows: list[Row], *, counted: dict[tuple[str, str], Counter[Routes]]) -> Comparison:
    is_spam, chance, live, candidate, language = zip(*rows, strict=True) if rows else [()] * 5
    labels = ShadowLabels(
        is_spam=np.asarray(is_spam, dtype=bool),
        chance=np.asarray(chance, dtype=float),
        live=np.asarray(live, dtype=object),
        candidate=np.asarray(candidate, dtype=object),
        slices={"language": np.asarray(language, dtype=object)},
    )
    return shadow_figures.compare(labels, counted=counted)


def of(found: Comparison, slice_: tuple[str, str], mistake: Mistake) -> Difference:
    [one] = [
        row for row in found.differences if (row.dimension, row.name) == slice_ and row.mistake is mistake
    ]
    return one


class TestCompare:
    def test_is_certain_of_no_difference_where_all_routes_are_the_same(self) -> None:
        found = compared([], counted={ALL: Counter({("allow", "allow"): 900, ("remove", "remove"): 100})})

        assert {(row.low, row.high, row.outcome) for row in found.differences} == {(0.0, 0.0, Outcome.NEAR)}

    def test_bounds_a_difference_without_labels_by_the_share_that_is_routed_differently(self) -> None:
        routes = Counter({("allow", "allow"): 990, ("remove", "allow"): 10})

        missed = of(compared([], counted={ALL: routes}), ALL, Mistake.MISSED)

        assert (missed.low, missed.high, missed.value) == (-0.01, 0.01, None)
        assert missed.outcome == Outcome.OPEN

    def test_names_the_slice_where_spam_gets_through(self) -> None:
        rows: list[Row] = [(True, 0.5, "remove", "allow", "th")] * 30
        rows += [(True, 1.0, "review", "review", "en")] * 50
        routes = Counter({("remove", "allow"): 60, ("allow", "allow"): 940})
        english = Counter({("allow", "allow"): 49_000})

        found = compared(rows, counted={ALL: routes + english, THAI: routes, ("language", "en"): english})

        missed = of(found, THAI, Mistake.MISSED)
        assert missed.outcome == Outcome.WORSE
        assert missed.value == pytest.approx(0.06)
        assert 0.001 < missed.low < 0.06 <= missed.high + 1e-9
        assert ("language", "en") not in {(row.dimension, row.name) for row in found.differences}

    @pytest.mark.parametrize(
        ("row", "alike", "mistake", "outcome"),
        [
            ((False, 0.5, "remove", "allow", "en"), 920, Mistake.WRONG, Outcome.BETTER),
            ((True, 0.5, "remove", "review", "en"), 920, Mistake.REMOVED, Outcome.WORSE),
            ((True, 0.5, "remove", "review", "en"), 920, Mistake.MISSED, Outcome.NEAR),
            ((True, 1.0, "review", "allow", "en"), 100_000, Mistake.MISSED, Outcome.NEAR),
        ],
        ids=["honest posts come back", "a human must see spam", "but it is not missed", "below one of 1,000"],
    )
    def test_weighs_what_changes(self, row: Row, alike: int, mistake: Mistake, outcome: Outcome) -> None:
        is_spam, chance, live, candidate, _ = row
        routes: Counter[Routes] = Counter({(live, candidate): round(40 / chance), ("allow", "allow"): alike})

        found = compared([row] * 40, counted={ALL: routes})

        assert of(found, ALL, mistake).outcome == outcome
        assert is_spam or of(found, ALL, Mistake.MISSED).outcome != Outcome.WORSE

    def test_gives_each_release_its_own_figures_from_the_same_labels(self) -> None:
        rows: list[Row] = [(True, 1.0, "remove", "allow", "en")] * 20
        rows += [(True, 1.0, "remove", "remove", "en")] * 20

        rates = {
            rate.name: (rate.live.value, rate.candidate.value) for rate in compared(rows, counted={}).rates
        }

        assert list(rates["recall"]) == pytest.approx([1.0, 0.5])

    @pytest.mark.parametrize(
        ("is_review", "audit", "draws", "expected"),
        [(True, 0.0, [], 1.0), (False, 0.1, [], 0.1), (False, 0.1, [0.5, 0.5], 1 - 0.9 * 0.25)],
    )
    def test_chance_is_that_of_being_in_any_sample(
        self, is_review: bool, audit: float, draws: list[float], expected: float
    ) -> None:
        assert shadow_figures.chance(is_review=is_review, audit=audit, draws=draws) == pytest.approx(expected)


class TestFinding:
    def test_refuses_and_says_where(self) -> None:
        rows: list[Row] = [(True, 0.5, "remove", "allow", "th")] * 30
        routes = Counter({("remove", "allow"): 60, ("allow", "allow"): 940})

        finding = shadow_figures.finding(compared(rows, counted={ALL: routes, THAI: routes}), number=7)

        assert not finding.passed
        assert "language th: missed" in finding.answer
        assert finding.answer.startswith("shadow run 7, 1000 posts")

    def test_passes_what_is_not_certainly_worse(self) -> None:
        routes = Counter({("remove", "allow"): 10, ("allow", "allow"): 990})

        assert shadow_figures.finding(compared([], counted={ALL: routes}), number=7).passed
