"""Canaries need two names and a clean shadow run, and end at one press or by themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

import pytest
from django.db import IntegrityError, transaction

from moderation import scorer
from moderation.models import AuditEntry, CanaryRun, Promotion, Release, ShadowRun, User
from moderation.models.canary import CanaryEnd
from moderation.models.releases import PromotionKind
from moderation.models.users import Role
from moderation.operations.learning import canary
from moderation.operations.refusals import NotAllowed
from moderation.operations.releases import triton
from moderation.queries.learning import canary_figures, shadow_findings
from moderation.queries.learning.canary_figures import ArmFigure
from moderation.queries.quality.estimates import Estimate
from scoring.gate import Finding
from tests.moderation.fakes import RELEASE_ID

pytestmark = pytest.mark.django_db

Later = Callable[[float], datetime]


@pytest.fixture(autouse=True)
def _no_triton(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(triton, "stage", lambda *_args, **_named: None)
    monkeypatch.setattr(triton, "tidy", lambda: None)
    monkeypatch.setattr(scorer, "kept", lambda _release: None)


@pytest.fixture
def second_lead(db: None) -> User:
    return User.objects.create_user("second_lead", role=Role.LEAD)


@pytest.fixture
def proposed(shadow_run: ShadowRun, lead: User, at: datetime) -> CanaryRun:
    return canary.propose(shadow_id=shadow_run.pk, share=0.1, actor=lead, at=at)


@pytest.fixture
def running(proposed: CanaryRun, second_lead: User, later: Later) -> CanaryRun:
    return canary.confirm(canary_id=proposed.pk, actor=second_lead, at=later(60))


class TestPropose:
    def test_refuses_all_but_leads(self, shadow_run: ShadowRun, at: datetime) -> None:
        ml_engineer = User.objects.create_user("ml_engineer", role=Role.ML_ENGINEER)

        with pytest.raises(NotAllowed):
            canary.propose(shadow_id=shadow_run.pk, share=0.1, actor=ml_engineer, at=at)

    @pytest.mark.parametrize("share", [0.0, 0.51])
    def test_refuses_other_shares(
        self, shadow_run: ShadowRun, lead: User, at: datetime, share: float
    ) -> None:
        with pytest.raises(canary.OutOfRange):
            canary.propose(shadow_id=shadow_run.pk, share=share, actor=lead, at=at)

    def test_refuses_a_second_one(self, proposed: CanaryRun, lead: User, at: datetime) -> None:
        with pytest.raises(canary.AlreadyOpen):
            canary.propose(shadow_id=proposed.shadow_id, share=0.1, actor=lead, at=at)

    def test_refuses_a_candidate_that_is_worse_in_shadow(
        self, shadow_run: ShadowRun, lead: User, at: datetime, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def worse(**_: str) -> Sequence[Finding]:
            return [Finding(question="in shadow", passed=False, answer="language th")]

        monkeypatch.setattr(shadow_findings, "findings", worse)

        with pytest.raises(canary.WorseInShadow):
            canary.propose(shadow_id=shadow_run.pk, share=0.1, actor=lead, at=at)
        assert not CanaryRun.objects.exists()


class TestConfirm:
    def test_needs_a_second_person(self, proposed: CanaryRun, lead: User, later: Later) -> None:
        with pytest.raises(canary.OwnProposal):
            canary.confirm(canary_id=proposed.pk, actor=lead, at=later(60))

    def test_the_database_wants_two_names(self, proposed: CanaryRun, lead: User, later: Later) -> None:
        with pytest.raises(IntegrityError, match="canary_has_two_names"), transaction.atomic():
            CanaryRun.objects.update(confirmed_by=lead, started_at=later(60))

    def test_starts_it_and_says_who(self, running: CanaryRun, second_lead: User, later: Later) -> None:
        assert running.is_running
        assert (running.confirmed_by, running.started_at) == (second_lead, later(60))
        assert AuditEntry.objects.get(action="canary.started").actor == second_lead

    def test_refuses_what_was_confirmed_or_is_a_week_old(
        self, proposed: CanaryRun, second_lead: User, at: datetime
    ) -> None:
        with pytest.raises(canary.NotOpen):
            canary.confirm(canary_id=proposed.pk, actor=second_lead, at=at + timedelta(days=8))


class TestStop:
    def test_ends_at_one_press(self, running: CanaryRun, lead: User, later: Later) -> None:
        canary.stop(canary_id=running.pk, actor=lead, at=later(120))

        running.refresh_from_db()
        assert (running.end, running.stopped_by) == (CanaryEnd.PERSON, lead)
        with pytest.raises(canary.NotOpen):
            canary.stop(canary_id=running.pk, actor=lead, at=later(121))


class TestWatch:
    def ended(self, row: CanaryRun) -> str:
        row.refresh_from_db()
        return row.end

    def test_goes_on_while_nothing_is_known(self, running: CanaryRun, later: Later) -> None:
        assert canary.watch(at=later(300)) == 0

        assert self.ended(running) == ""
        assert [row["name"] for row in running.figures] == ["precision", "missed", "taken_back"]

    def test_rolls_back_what_is_certainly_worse(
        self, running: CanaryRun, later: Later, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        good, bad = (
            Estimate(value=(low + high) / 2, low=low, high=high, labels=50)
            for low, high in ((0.0, 0.02), (0.1, 0.3))
        )
        figure = ArmFigure(name="missed", live=good, candidate=bad, is_worse=True)
        monkeypatch.setattr(canary_figures, "of", lambda *_args, **_named: [figure])

        assert canary.watch(at=later(300)) == 1

        assert self.ended(running) == CanaryEnd.WORSE
        assert "missed: 0.100 to 0.300, live 0.000 to 0.020" in running.end_details
        assert AuditEntry.objects.get(action="canary.stopped").actor is None

    def test_rolls_back_what_cannot_score(self, running: CanaryRun, later: Later) -> None:
        CanaryRun.objects.update(failures=canary.MOST_FAILURES)

        canary.watch(at=later(300))

        assert self.ended(running) == CanaryEnd.FAILED

    def test_ends_when_another_release_goes_live(self, running: CanaryRun, later: Later) -> None:
        other = Release.objects.create(pk="1" * 64, manifest={}, first_used_at=later(1))
        live = Release.objects.get(pk=RELEASE_ID)
        Promotion.objects.create(release=other, replaced=live, kind=PromotionKind.PROMOTE, at=later(1))

        canary.watch(at=later(300))

        assert self.ended(running) == CanaryEnd.LIVE_CHANGED

    def test_closes_a_proposal_that_nobody_confirmed(self, proposed: CanaryRun, at: datetime) -> None:
        canary.watch(at=at + timedelta(days=6))
        assert self.ended(proposed) == ""

        canary.watch(at=at + timedelta(days=8))
        assert self.ended(proposed) == CanaryEnd.EXPIRED
