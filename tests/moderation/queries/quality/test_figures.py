"""Figures of quality: undecided posts, needed labels, agreement, rows of the European transparency report."""

import dataclasses
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from moderation.models import Case, Score
from moderation.models.cases import CaseReason, CaseState
from moderation.models.quality import Measure
from moderation.queries.labels import audit_chance
from moderation.queries.quality import (
    coverage,
    figures,
    labelled_posts,
    needed_labels,
    transparency,
    undecided,
)
from moderation.queries.quality.labelled_posts import LabelledPosts, passed_over
from moderation.queries.quality.tables import agreement
from moderation.queries.quality.undecided import Undecided
from tests.moderation.conftest import AUDIT, Case_, Judged, with_thresholds
from tests.moderation.instants import AT

WEEKS, DRAWN = 100, 400


def posts(rows: list[tuple[str, bool]]) -> LabelledPosts:
    """Return labelled posts of (verdict of the filter, spam)."""
    number = len(rows)
    automatic, is_spam = (np.asarray(column, dtype=object) for column in zip(*rows, strict=True))
    ones, texts = np.ones(number), np.asarray(["en"] * number, dtype=object)
    instants = np.asarray([datetime(2026, 3, 1, tzinfo=UTC)] * number, dtype=object)
    return LabelledPosts(
        post_id=np.arange(number), spam_probability=ones * 0.5, automatic=automatic,
        is_spam=is_spam.astype(bool), chance=ones, is_uniform=np.ones(number, dtype=bool),
        uniform_chance=ones, platform_id=np.ones(number, dtype=np.int64), language=texts, reason=texts,
        release_id=texts, decided_by=np.ones(number, dtype=np.int64), scored_at=instants,
        labelled_at=instants, views=ones * np.nan,
    )  # fmt: skip


def world(dice: np.random.Generator) -> tuple[LabelledPosts, LabelledPosts]:
    """Return the three fifths that reach most people, and the others, which hide most of the missed spam."""
    automatic = np.where(dice.random(DRAWN) < 0.2, "remove", "allow")
    reach = dice.normal(2.6, 1.0, DRAWN)
    is_spam = dice.random(DRAWN) < np.where(automatic == "remove", 0.9, 0.06)
    reach -= 1.1 * is_spam
    order = np.argsort(-reach)
    rows = [(str(automatic[place]), bool(is_spam[place])) for place in order]
    drawn = dataclasses.replace(posts(rows), chance=np.full(DRAWN, 0.02))
    is_decided = np.arange(DRAWN) < DRAWN * 3 // 5
    return drawn.where(is_decided), drawn.where(~is_decided)


class TestPassedOver:
    @pytest.mark.parametrize(
        ("passed", "found"), [({}, [0]), ({"is_drawn": False}, []), ({"state": CaseState.WITHDRAWN}, [])]
    )
    def test_waits_though_a_younger_one_was_decided(
        self, open_case: Case_, passed: dict[str, object], found: list[int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(labelled_posts, "_SPARED", 0)
        cases = [open_case() for _ in range(3)]
        Score.objects.update(is_audit_sample=True, audit_probability=0.1)
        for hour, case in enumerate(cases):
            Case.objects.filter(pk=case.pk).update(is_drawn=True, opened_at=AT + timedelta(hours=hour))
        Case.objects.filter(pk=cases[1].pk).update(state=CaseState.DECIDED, closed_at=AT + timedelta(hours=3))
        Case.objects.filter(pk=cases[0].pk).update(**passed)

        those = passed_over(since=AT - timedelta(days=1), until=AT + timedelta(days=1))

        assert those.post_id.tolist() == [cases[place].post_id for place in found]
        assert those.chance.tolist() == pytest.approx([0.1] * len(found))

    def test_intervals_hold_whatever_they_are(self) -> None:
        truth = {
            Measure.MISSED: 0.06, Measure.PRECISION: 0.9, Measure.PREVALENCE: 0.228,
            Measure.RECALL: 0.18 / 0.228, Measure.FALSE_ALARMS: 0.02 / 0.772,
        }  # fmt: skip
        dice, held, naive = np.random.default_rng(3), dict.fromkeys(truth, 0), 0
        for _ in range(WEEKS):
            decided, left = world(dice)
            unknown = dataclasses.replace(left, is_spam=np.zeros(len(left), dtype=bool))
            for one in figures.figures(decided, looks=7, passed=unknown):
                held[one.measure] += one.weighted.low <= truth[one.measure] <= one.weighted.high
            [alone] = figures.figures(decided, looks=7, measures=(Measure.MISSED,))
            naive += alone.weighted.low <= truth[Measure.MISSED] <= alone.weighted.high

        assert min(held.values()) >= 0.94 * WEEKS
        assert naive < 0.5 * WEEKS


class TestUndecided:
    def test_says_how_far_they_could_move_the_figures(self, open_case: Case_, judged_alike: Judged) -> None:
        case = with_thresholds(open_case())
        judged_alike(case, probability=0.95, spam=20, fine=0, score=AUDIT)
        judged_alike(case, probability=0.05, spam=0, fine=10, score=AUDIT)
        judged_alike(case, probability=0.5, spam=50, fine=50)
        posts = labelled_posts.labelled_posts(since=AT - timedelta(days=1), until=AT + timedelta(days=1))

        row = undecided.row(posts, Undecided(drawn=0, review=150), passed=posts.where(posts.is_spam))

        assert row["passed"] == 70
        assert row["with_recall"] == pytest.approx(200 / (200 + 50 + 150))
        assert row["with_prevalence"] == pytest.approx((250 + 150) / (400 + 150))

    @pytest.mark.parametrize("spam", [19, 50], ids=["few labels", "labels of one route"])
    def test_says_no_share_of_few_labels(self, open_case: Case_, judged_alike: Judged, spam: int) -> None:
        judged_alike(open_case(), probability=0.5, spam=spam, fine=50)
        posts = labelled_posts.labelled_posts(since=AT - timedelta(days=1), until=AT + timedelta(days=1))

        assert undecided.row(posts, Undecided(drawn=0, review=1), passed=posts)["with_recall"] is None

    @pytest.mark.parametrize(
        ("reason", "drawn", "review"),
        [(CaseReason.UNCERTAIN, 0, 1), (CaseReason.AUDIT, 1, 0), (CaseReason.COMPLAINTS, 0, 0)],
    )
    def test_counts_review_and_draws_apart_and_leaves_out_what_gives_no_label_of_a_sample(
        self, open_case: Case_, reason: CaseReason, drawn: int, review: int
    ) -> None:
        case = open_case()
        Case.objects.update(reason=reason)

        found = undecided.undecided(
            since=AT - timedelta(days=1), until=AT + timedelta(days=1), platform=case.post.platform
        )

        assert found == Undecided(drawn=drawn, review=review)


SCORES = np.random.default_rng(1).beta(0.15, 12.35, 5_000)


class TestCoverage:
    @pytest.mark.parametrize(
        ("waiting", "chance", "hides"), [(2, 1.0, False), (3, 1.0, True), (3, 0.5, False)]
    )
    def test_hides_spam_while_much_waits_that_no_draw_stands_for(
        self, waiting: int, chance: float, *, hides: bool
    ) -> None:
        found = posts([("review", True)] * 20 + [("remove", True)] * 20 + [("allow", False)] * 20)
        found.chance[0] = chance

        assert coverage.hides_spam(found, waiting=waiting) is hides


class TestNeededLabels:
    def test_so_many_labels_drawn_by_score_give_the_error(self) -> None:
        dice = np.random.default_rng(2)
        posts = 50_000
        share = float(SCORES.mean())
        needed = needed_labels.by_score(scores=list(SCORES), share=share, within=0.2)
        assert needed < (1 - share) / (share * 0.2**2) / 2  # of uniform draws, by the textbook
        found = []
        for _ in range(200):
            scores = dice.choice(SCORES, posts)
            doubts = np.sqrt(scores * (1 - scores))
            relative = audit_chance.UNIFORM + (1 - audit_chance.UNIFORM) * doubts / doubts.mean()
            chances = np.minimum(1.0, needed / posts * relative)
            is_spam, is_drawn = dice.random(posts) < scores, dice.random(posts) < chances
            worth = is_drawn / chances
            found.append((is_spam @ worth) / worth.sum())

        assert np.std(found) / share == pytest.approx(0.2, rel=0.15)

    @pytest.mark.parametrize(("share", "within", "named"), [(0.0, 0.2, "share"), (0.1, 1.0, "within")])
    def test_refuses_what_is_no_share(self, share: float, within: float, named: str) -> None:
        with pytest.raises(ValueError, match=named):
            needed_labels.by_score(scores=[0.1] * 100, share=share, within=within)


class TestAgreement:
    def test_gives_the_worked_example_of_krippendorff(self) -> None:
        # Computing Krippendorff's Alpha-Reliability (2011), section A: ten units, two observers, alpha 0.095.
        first, second = (0, 1, 0, 0, 0, 0, 0, 0, 1, 0), (1, 1, 1, 0, 0, 1, 0, 0, 0, 0)

        found = agreement([a + b for a, b in zip(first, second, strict=True)])

        assert found.alpha == pytest.approx(0.095, abs=5e-4)
        assert found.texts == 10
        assert found.low is not None
        assert found.high is not None
        assert found.low < 0.095 < found.high

    def test_is_one_where_all_agree(self) -> None:
        assert agreement([2, 0, 2]).alpha == 1.0

    @pytest.mark.parametrize("spam", [[], [2, 2], [0]])
    def test_says_nothing_without_texts_or_of_one_value(self, spam: list[int]) -> None:
        assert agreement(spam).alpha is None


class TestTransparency:
    def test_accuracy_says_how_often_the_filter_alone_was_right(
        self, open_case: Case_, judged_alike: Judged
    ) -> None:
        case = with_thresholds(open_case(language="de-AT"))
        judged_alike(case, probability=0.95, spam=36, fine=4, score=AUDIT)
        judged_alike(case, probability=0.05, spam=4, fine=76, score=AUDIT)
        judged_alike(case, probability=0.5, spam=100, fine=50)

        rows = list(transparency.accuracy(since=AT - timedelta(days=1), until=AT + timedelta(days=1)))

        assert [row.scope for row in rows] == ["Total number"] * 3 + ["de"] * 3
        assert [row.indicator.rpartition(" ")[2] for row in rows[:3]] == ["Accuracy", "Precision", "Recall"]
        accuracy, precision, recall = (row.estimate.value for row in rows[:3])
        assert accuracy == pytest.approx((36 + 76) / 120)
        assert precision == pytest.approx(36 / 40)
        assert recall == pytest.approx(360 / (360 + 40 + 100))
