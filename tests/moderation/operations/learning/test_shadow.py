"""Shadow runs start and end; disagreements are drawn for people, blind and with the chance logged."""

from collections.abc import Callable, Sequence
from datetime import datetime

import pytest
from django.db import IntegrityError, transaction

from moderation import enqueue, scorer
from moderation.models import AuditEntry, Case, Label, Promotion, Score, ShadowRun, ShadowScore, User
from moderation.models.cases import CaseReason
from moderation.models.decisions import Verdict
from moderation.operations.labels import draws
from moderation.operations.learning import proposals, shadow, shadow_scoring, thresholds
from moderation.operations.refusals import NotAllowed
from moderation.operations.releases import promote
from moderation.queries.labels import label_lines
from moderation.queries.learning import shadow_labels
from scoring.gate import Finding
from scoring.release import Thresholds
from tests.moderation.conftest import judge
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import AT, later
from tests.moderation.operations.conftest import ON_TRITON
from tests.moderation.operations.learning.conftest import Scored

WANTED = Thresholds(review_from=0.1, remove_from=0.97, audit_rate=0.03)


@pytest.fixture
def other() -> str:
    """A kept release beside the live one."""
    return thresholds.derive(scorer.release(), thresholds=WANTED).id


Begin = Callable[..., ShadowRun]


@pytest.fixture
def begin(other: str, lead: User) -> Begin:
    """Begin a run without Triton, which takes seconds to load a model: for what comes after the start."""

    def create(*, started_at: datetime = AT) -> ShadowRun:
        return ShadowRun.objects.create(
            candidate=other,
            live=scorer.shipped().id,
            share=1,
            started_by=lead,
            started_at=started_at,
            reached=0,
        )

    return create


class TestStart:
    pytestmark = [pytest.mark.django_db, *ON_TRITON]

    @pytest.mark.whole
    def test_starts_a_kept_release_and_says_who(self, other: str, lead: User) -> None:
        run = shadow.start(candidate=other, share=0.5, actor=lead, at=AT)

        assert (run.candidate, run.live, run.share) == (other, scorer.shipped().id, 0.5)
        entry = AuditEntry.objects.get(action="shadow.started")
        assert (entry.actor, entry.details["shadow_run"]) == (lead, run.pk)

    def test_the_database_refuses_a_second_open_run(self, begin: Begin) -> None:
        begin()

        with pytest.raises(IntegrityError, match="one_open_shadow_run"), transaction.atomic():
            begin()

    def test_refuses_a_moderator(self, other: str, moderator: User) -> None:
        with pytest.raises(NotAllowed):
            shadow.start(candidate=other, share=0.5, actor=moderator, at=AT)

    def test_refuses_the_live_release(self, lead: User) -> None:
        with pytest.raises(proposals.AlreadyLive):
            shadow.start(candidate=scorer.shipped().id, share=1, actor=lead, at=AT)


class TestGate:
    pytestmark = [pytest.mark.django_db, *ON_TRITON]

    def test_asks_nothing_of_a_release_that_never_ran_in_shadow(self, other: str) -> None:
        assert shadow_labels.findings(candidate=other, live=scorer.shipped().id) == []

    def test_lets_no_candidate_go_live_that_is_certainly_worse(
        self, other: str, lead: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def worse(**_: str) -> Sequence[Finding]:
            return [Finding(question="in shadow", passed=False, answer="language th: missed")]

        monkeypatch.setattr(shadow_labels, "findings", worse)

        with pytest.raises(promote.NotGoodEnough, match="language th: missed"):
            promote.go_live(
                scorer.kept(other), findings=[], repository=scorer.shipped().folder, actor=lead, at=AT
            )
        assert not Promotion.objects.exists()


@pytest.fixture
def disagreements(
    shadow_run: ShadowRun,
    fake_scorer: FakeScorer,
    candidate_scorer: FakeScorer,
    scored: Scored,
    monkeypatch: pytest.MonkeyPatch,
) -> ShadowRun:
    """Four posts that only the candidate would remove, and one that both allow."""
    monkeypatch.setattr(enqueue, "messages", dict)
    fake_scorer.default = candidate_scorer.default = 0.1
    for number in range(4):
        candidate_scorer.probabilities[f"Post number {number}"] = 0.95
        scored(text=f"Post number {number}")
    scored(text="a quiet post")
    shadow_scoring.sweep(at=later(120))
    return shadow_run


@pytest.mark.django_db
class TestDraw:
    def test_opens_blind_cases_of_disagreements_alone(self, disagreements: ShadowRun, lead: User) -> None:
        assert shadow.draw(run_id=disagreements.pk, posts=2, actor=lead, at=later(200)) == 2

        cases = list(Case.objects.all())
        assert {case.reason for case in cases} == {CaseReason.RANDOM.value}
        assert {case.audit_probability for case in cases} == {0.5}
        assert len({case.priority for case in cases}) == 1
        disagreements.refresh_from_db()
        assert [(draw["drawn"], draw["population"]) for draw in disagreements.draws] == [(2, 4)]
        assert AuditEntry.objects.filter(action="shadow.drawn").exists()

    def test_draws_nobody_twice(self, disagreements: ShadowRun, lead: User) -> None:
        shadow.draw(run_id=disagreements.pk, posts=4, actor=lead, at=later(200))

        with pytest.raises(draws.NothingToDraw):
            shadow.draw(run_id=disagreements.pk, posts=1, actor=lead, at=later(201))

    def test_refuses_a_moderator(self, disagreements: ShadowRun, moderator: User) -> None:
        with pytest.raises(NotAllowed):
            shadow.draw(run_id=disagreements.pk, posts=1, actor=moderator, at=later(200))


@pytest.mark.django_db
class TestLabels:
    def decide_all(self, moderator: User, *, at: datetime) -> None:
        for case in Case.objects.order_by("pk"):
            judge(case, moderator, at=at, verdict=Verdict.NOT_SPAM)

    def test_count_with_the_chance_of_their_draw(
        self, disagreements: ShadowRun, lead: User, moderator: User
    ) -> None:
        shadow.draw(run_id=disagreements.pk, posts=2, actor=lead, at=later(200))
        self.decide_all(moderator, at=later(300))
        disagreements.refresh_from_db()

        found = shadow_labels.labels(disagreements)

        assert found.is_spam.tolist() == [False, False]
        assert found.chance.tolist() == pytest.approx([0.5, 0.5])
        assert set(zip(found.live, found.candidate, strict=True)) == {("allow", "remove")}

    def test_leave_out_posts_that_came_after_the_draw(
        self, disagreements: ShadowRun, scored: Scored, lead: User
    ) -> None:
        shadow.draw(run_id=disagreements.pk, posts=2, actor=lead, at=later(200))
        scored(text="another quiet post")
        shadow_scoring.sweep(at=later(400))
        disagreements.refresh_from_db()

        assert ShadowScore.objects.count() == 6
        assert shadow_labels.counted(disagreements)["all", ""].total() == 5

    def test_are_no_random_labels_in_exports_but_stand_for_themselves(
        self, disagreements: ShadowRun, lead: User, moderator: User
    ) -> None:
        shadow.draw(run_id=disagreements.pk, posts=2, actor=lead, at=later(200))
        self.decide_all(moderator, at=later(300))

        found = label_lines.json_of(decision_ids=list(Label.objects.values_list("decision", flat=True)))

        assert {row["weight"] for row in found.values()} == {1.0}
        said = {(row["provenance"]["sample"], row["provenance"]["is_audit_sample"]) for row in found.values()}
        assert said == {("disagreement", False)}

    def test_on_the_route_review_count_with_the_chance_of_the_audit_lane(
        self, disagreements: ShadowRun, fake_scorer: FakeScorer, scored: Scored, moderator: User
    ) -> None:
        fake_scorer.default = 0.5
        for number in range(2):
            scored(text=f"a doubtful post {number}")
        shadow_scoring.sweep(at=later(200))
        self.decide_all(moderator, at=later(300))
        drawn, other = Score.objects.filter(route="review").order_by("pk")
        Score.objects.filter(pk=other.pk).update(review_probability=0.25)
        Score.objects.filter(pk=drawn.pk).update(review_probability=0.25, is_review_sample=True)

        assert shadow_labels.labels(disagreements).chance.tolist() == [0.25]
