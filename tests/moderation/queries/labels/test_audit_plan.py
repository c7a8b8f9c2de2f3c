"""The audit sample. Promise: what it finds, weighed by its logged chances, is the true share."""

import math
import random
from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import Settings

from moderation.models import Case, DeskSettings, Platform, Revision, Score, ScoringJob, User
from moderation.models.decisions import Verdict
from moderation.operations.scoring import score
from moderation.queries.labels import audit_chance, audit_plan
from moderation.queries.labels.audit_chance import Chance
from moderation.queries.labels.audit_plan import Plan, strata
from scoring import routing
from scoring.records import History, PostRecord
from tests.moderation.caches import forget
from tests.moderation.conftest import Post_, judge
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import AT, later
from tests.scoring.random_records import record


def plan(**given: object) -> Plan:
    values = {"first": 0.2, "floor": 0.02, "bound": 200, "posts_per_day": 500, "labels": {}}
    return Plan(**(values | given))  # type: ignore[arg-type]  # tests name real fields


def sent(number: int = 1, *, language: str = "en", likes: int = 0) -> PostRecord:
    similar = History(posts=likes)
    return record(platform="social", external_id=f"post-{number}", language=language, similar=similar)


def chance(one: Plan, post: PostRecord, *, content: float, spam: float = 0.05, drawn_today: int = 0) -> float:
    return one.chance(post, content_probability=content, spam_probability=spam, drawn_today=drawn_today).total


class TestShare:
    @pytest.mark.parametrize(
        ("labels", "share"), [(0, 0.2), (50, 0.2), (100, 0.1), (250, 0.04), (500, 0.02), (50_000, 0.02)]
    )
    def test_falls_with_random_labels_to_that_of_the_release(self, labels: int, share: float) -> None:
        assert plan().share(labels) == pytest.approx(share)

    def test_never_falls_below_the_release_nor_rises_above_the_platform(self) -> None:
        assert plan(first=0.01).share(0) == 0.02
        assert plan(first=1.0).share(0) == 1.0

    def test_is_that_of_the_stratum_with_fewest_labels(self) -> None:
        labels = {stratum: 500 for language in ("en", "ru") for stratum in strata(sent(), 0.01)} | {
            "language:ru": 100
        }
        known = plan(labels=labels)

        english = chance(known, sent(), content=0.01)
        russian = chance(known, sent(language="ru-RU"), content=0.01)
        unsure = chance(known, sent(), content=0.3)
        alike = chance(known, sent(likes=3), content=0.01)

        assert (english, russian, unsure, alike) == pytest.approx((0.02, 0.1, 0.2, 0.2))


class TestBound:
    def test_keeps_a_large_platform_to_its_cases_a_day(self) -> None:
        bounded = chance(plan(posts_per_day=1_000_000), sent(), content=0.1)

        assert bounded * 1_000_000 == pytest.approx(160)

    def test_all_but_ends_the_day_and_leaves_no_post_without_a_chance(self) -> None:
        full = plan(posts_per_day=1_000_000)

        beyond = chance(full, sent(), content=0.1, drawn_today=200)

        assert 0.0 < beyond * 1_000_000 < 1

    def test_keeps_to_the_cases_a_day_where_chances_follow_the_score(self) -> None:
        scores = [number / 1_000 for number in range(1_000)]
        bounded = plan(posts_per_day=1_000_000, mean_doubt=sum(map(audit_chance.doubt, scores)) / len(scores))

        expected = sum(chance(bounded, sent(), content=0.1, spam=one) for one in scores) * 1_000

        assert expected == pytest.approx(160, rel=0.001)


def estimate(seed: int) -> tuple[float, float, float]:
    """Let simulated traffic pass a platform's first days; return the true number of spam posts among the
    automatically allowed, what the sample says of it, and that estimate's standard error.

    Spam hides where labels are rare, so a sample that was not weighed would be far off.
    """
    dice = random.Random(seed)
    labels: Counter[str | None] = Counter()
    truth, total, variance = 0, 0.0, 0.0
    for number in range(6_000):
        is_russian, has_like = dice.random() < 0.1, dice.random() < 0.3
        content = dice.random() ** 4
        is_spam = dice.random() < (0.3 if is_russian else 0.02) + 0.3 * content
        truth += is_spam
        language = "ru" if is_russian else "en"
        post = sent(seed * 10_000 + number, language=language, likes=2 * has_like)
        today = plan(labels=labels, posts_per_day=2_000, mean_doubt=0.3)
        drawn_by = chance(today, post, content=content, spam=content)
        if routing.draw(post, "a release", key=b"secret") < drawn_by:
            labels.update([None, *strata(post, content)])
            total += is_spam / drawn_by
            variance += is_spam * (1 - drawn_by) / drawn_by**2
    return truth, total, math.sqrt(variance)


@pytest.mark.whole
def test_weighing_by_the_inverse_chance_gives_back_the_true_share() -> None:
    found = [estimate(seed) for seed in range(30)]

    inside = sum(abs(total - truth) <= 1.96 * error for truth, total, error in found)
    bias = sum(total for _, total, _ in found) / sum(truth for truth, _, _ in found) - 1
    assert inside >= 25
    assert abs(bias) < 0.05


@pytest.mark.django_db
@pytest.mark.usefixtures("sampling")
class TestScoring:
    @pytest.fixture
    def sampling(self, fake_scorer: FakeScorer, platform: Platform, remembered: DeskSettings) -> FakeScorer:
        """The release wants 2 %, the platform begins with 20 %; nothing is unsure."""
        remembered.audit_first_percent = 20
        fake_scorer.default = 0.05
        fake_scorer.release.thresholds = replace(fake_scorer.release.thresholds, audit_rate=0.02)
        platform.audit_cases_per_day = 1_000_000
        platform.save()
        forget(audit_plan)
        return fake_scorer

    def scored(self, post: Post_, *, count: int, at: datetime) -> list[Score]:
        """Score posts that nothing resembles."""
        rows = [post(text=f"{at.second} {number}", at=at) for number in range(count)]
        ids = list(Revision.objects.filter(post__in=rows).values_list("pk", flat=True))
        score.run(revision_ids=ids, at=at + timedelta(seconds=1))
        return list(Score.objects.filter(revision__in=ids).order_by("revision_id"))

    def test_draws_a_new_platforms_posts_with_the_first_share_and_logs_it(self, post: Post_) -> None:
        rows = self.scored(post, count=60, at=AT)

        assert {row.audit_probability for row in rows} == {0.2}
        sampled = [row for row in rows if row.is_audit_sample]
        assert 3 <= len(sampled) <= 24
        assert set(Case.objects.values_list("score", flat=True)) == {row.pk for row in sampled}

    def test_draws_the_same_again_under_another_chance_and_key(self, post: Post_, settings: Settings) -> None:
        rows = self.scored(post, count=30, at=AT)
        Platform.objects.update(audit_first_share=0.9)
        settings.SECRET_KEY = "another than the one that drew"
        ScoringJob.objects.update(generation=2, state="pending", attempts=0)
        forget(audit_plan)

        score.run(revision_ids=[row.revision_id for row in rows], at=later(90))

        again, before = (
            [(row.is_audit_sample, row.audit_probability, row.audit_uniform_probability) for row in drawn]
            for drawn in (Score.objects.filter(generation=2).order_by("revision_id"), rows)
        )
        assert again == before

    def test_draws_doubtful_scores_more_often_and_names_the_uniform_part(
        self, post: Post_, sampling: FakeScorer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(audit_plan, "_FEWEST_SCORES", 20)
        self.scored(post, count=20, at=AT)
        forget(audit_plan)
        sampling.probabilities = {f"{later(120).second} {number}": 0.0 for number in range(0, 60, 2)}

        rows = self.scored(post, count=60, at=later(120))

        # All posts before were scored 0.05: one like them is drawn with the share, a sure one with less.
        assert {round(row.audit_probability, 3) for row in rows} == {round(1 - 0.8**0.3, 3), 0.2}
        uniform = [row for row in rows if row.audit_uniform_probability is not None]
        assert {round(row.audit_uniform_probability or 0.0, 3) for row in uniform} <= {round(1 - 0.8**0.3, 3)}
        assert all(row.is_audit_sample for row in uniform)
        assert all(row in uniform for row in rows if row.is_audit_sample and not row.spam_probability)

    def test_tells_nothing_by_the_place_of_a_sample(self, post: Post_, sampling: FakeScorer) -> None:
        Platform.objects.update(audit_first_share=1.0)
        sampling.probabilities = {f"{AT.second} {number}": number / 100 for number in range(10)}

        rows = self.scored(post, count=10, at=AT)

        assert len({row.spam_probability for row in rows}) == 10
        assert [(row.is_audit_sample, row.expected_harm) for row in rows] == [(True, 0.5)] * 10

    def test_draws_others_with_another_key(self, post: Post_, settings: Settings) -> None:
        def drawn(*, secret_key: str) -> list[bool]:
            settings.SECRET_KEY = secret_key
            with transaction.atomic():
                score.run(revision_ids=ids, at=later(1))
                rows = Score.objects.order_by("revision_id").values_list("is_audit_sample", flat=True)
                found = list(rows)
                transaction.set_rollback(True)
            return found

        for number in range(30):
            post(text=f"{number}", at=AT)
        ids = list(Revision.objects.values_list("pk", flat=True))

        first, again, other = (drawn(secret_key=key) for key in ("one", "one", "another"))

        assert first == again
        assert first != other

    def test_keeps_to_the_platforms_bound_within_a_batch(
        self, post: Post_, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(audit_plan, "_counted", lambda *_: (0, {}))  # a burst that nobody counted yet
        Platform.objects.update(audit_first_share=1.0, audit_cases_per_day=5)

        rows = self.scored(post, count=60, at=AT)

        assert sum(row.is_audit_sample for row in rows) in (5, 6)
        assert min(row.audit_probability for row in rows) > 0

    def test_falls_by_labelling(self, post: Post_, moderator: User, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(audit_plan, "SETTLED_LABELS", 2)
        Platform.objects.update(audit_first_share=1.0)
        self.scored(post, count=8, at=AT)
        for case in Case.objects.order_by("id"):
            judge(case, moderator, at=later(6), verdict=Verdict.NOT_SPAM)

        rows = self.scored(post, count=1, at=later(125))

        assert rows[0].audit_probability == pytest.approx(2 / 8)


SHARES = st.floats(min_value=1e-7, max_value=1.0)
PROBABILITIES = st.floats(min_value=0.0, max_value=1.0)


class TestChance:
    @given(share=SHARES, spam_probability=PROBABILITIES, mean_doubt=st.floats(min_value=1e-6, max_value=0.5))
    def test_leaves_no_post_without_a_chance_and_the_uniform_part_within(
        self, share: float, spam_probability: float, mean_doubt: float
    ) -> None:
        chance = audit_chance.of(share=share, spam_probability=spam_probability, mean_doubt=mean_doubt)

        assert 0.0 < chance.uniform <= chance.total <= 1.0
        assert chance.uniform >= 0.29 * share
        assert (chance.total == 1.0) == (share == 1.0)

    @pytest.mark.parametrize("mean_doubt", [None, 0.0])
    def test_is_uniform_while_the_scores_say_nothing(self, mean_doubt: float | None) -> None:
        chance = audit_chance.of(share=0.2, spam_probability=0.4, mean_doubt=mean_doubt)

        assert chance == Chance(total=0.2, uniform=0.2)

    def test_draws_thirty_per_cent_uniformly_and_the_rest_by_doubt(self) -> None:
        share, mean_doubt = 0.001, audit_chance.doubt(0.01)

        sure, usual, unsure = (
            audit_chance.of(share=share, spam_probability=one, mean_doubt=mean_doubt).total / share
            for one in (0.0, 0.01, 0.5)
        )

        assert (sure, usual, unsure) == pytest.approx((0.3, 1.0, 0.3 + 0.7 * 0.5 / mean_doubt), rel=0.01)
