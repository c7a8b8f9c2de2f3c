"""Shadow runs start with a candidate that can score, one at a time, and end at one press."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

import pytest
from django.db import IntegrityError, transaction

from moderation import scorer
from moderation.models import AuditEntry, Promotion, ShadowRun, User
from moderation.operations.learning import proposals, shadow, thresholds
from moderation.operations.refusals import NotAllowed
from moderation.operations.releases import promote
from moderation.queries.learning import shadow_labels
from scoring.gate import Finding
from scoring.release import Thresholds
from tests.moderation.instants import AT, later
from tests.moderation.operations.conftest import ON_TRITON

pytestmark = [pytest.mark.django_db, *ON_TRITON]

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
    @pytest.mark.whole
    def test_starts_a_kept_release_and_says_who(self, other: str, lead: User) -> None:
        run = shadow.start(candidate=other, share=0.5, actor=lead, at=AT)

        assert (run.candidate, run.live, run.share) == (other, scorer.shipped().id, 0.5)
        entry = AuditEntry.objects.get(action="shadow.started")
        assert (entry.actor, entry.details["shadow_run"]) == (lead, run.pk)

    def test_refuses_a_second_one(self, begin: Begin, other: str, lead: User) -> None:
        begin()

        with pytest.raises(shadow.AlreadyRunning):
            shadow.start(candidate=other, share=0.5, actor=lead, at=AT)

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

    def test_refuses_a_release_that_is_not_here(self, lead: User) -> None:
        with pytest.raises(scorer.NotKept):
            shadow.start(candidate="a" * 64, share=1, actor=lead, at=AT)

        assert not ShadowRun.objects.exists()


class TestStop:
    def test_ends_at_one_press_and_lets_the_next_begin(self, begin: Begin, lead: User) -> None:
        run = begin()

        shadow.stop(run_id=run.pk, actor=lead, at=later(60))

        run.refresh_from_db()
        assert (run.stopped_by, run.stopped_at) == (lead, later(60))
        assert begin(started_at=later(61)).is_open

    def test_refuses_one_that_has_ended(self, begin: Begin, lead: User) -> None:
        run = begin()
        shadow.stop(run_id=run.pk, actor=lead, at=later(60))

        with pytest.raises(shadow.NotRunning):
            shadow.stop(run_id=run.pk, actor=lead, at=later(61))


class TestGate:
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
