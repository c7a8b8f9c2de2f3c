"""Two names: nobody confirms their own proposal, and of two who confirm at once one is refused."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from moderation import scorer
from moderation.models import AuditEntry, Promotion, ReleaseProposal, User
from moderation.models.learning import ProposalKind
from moderation.models.users import Role
from moderation.operations.learning import proposals, thresholds
from moderation.operations.releases import promote
from scoring.release import MANIFEST, Thresholds
from tests.moderation.instants import AT, later
from tests.moderation.operations.conftest import ON_TRITON, side_by_side

pytestmark = [pytest.mark.django_db, *ON_TRITON]

WANTED = Thresholds(review_from=0.1, remove_from=0.97, audit_rate=0.03)
Propose = Callable[..., ReleaseProposal]


@pytest.fixture
def propose(lead: User) -> Propose:
    def run(**given: Any) -> ReleaseProposal:
        live = scorer.release()
        wanted = given.pop("wanted", WANTED)
        candidate = thresholds.derive(live, thresholds=wanted)
        made: dict[str, Any] = {
            "kind": ProposalKind.THRESHOLDS,
            "candidate": candidate.id,
            "changes": {"to": thresholds.values(wanted)},
            "evidence": {},
            "reason": "fewer wrong removals",
            "actor": lead,
            "at": AT,
        }
        return proposals.propose(**(made | given))

    return run


class TestConfirm:
    def test_a_second_person_lets_the_thresholds_go_live(self, propose: Propose, ml_engineer: User) -> None:
        shipped = scorer.release()
        proposal = propose()

        promotion = proposals.confirm(proposal_id=proposal.pk, actor=ml_engineer, at=later(60))

        scorer.forget()
        live = scorer.release()
        assert live.id == proposal.candidate == promotion.release_id
        assert live.thresholds == WANTED
        assert live.files == shipped.files
        assert scorer.content().is_ready()
        proposal.refresh_from_db()
        assert (proposal.confirmed_by, proposal.promotion) == (ml_engineer, promotion)
        acts = AuditEntry.objects.filter(subject_id=proposal.candidate).order_by("id")
        assert list(acts.values_list("action", "actor__username")) == [
            ("release.proposed", "lead"),
            ("release.promote", "ml_engineer"),
            ("release.confirmed", "ml_engineer"),
        ]

    def test_the_database_refuses_one_name_for_both(self, propose: Propose, lead: User) -> None:
        proposal = propose()

        with pytest.raises(IntegrityError, match="proposal_"), transaction.atomic():
            ReleaseProposal.objects.filter(pk=proposal.pk).update(confirmed_by=lead, closed_at=AT)

    @pytest.mark.whole
    def test_refuses_when_another_release_went_live(self, propose: Propose, ml_engineer: User) -> None:
        first = propose()
        second = propose(wanted=Thresholds(review_from=0.1, remove_from=0.98, audit_rate=0.02))
        proposals.confirm(proposal_id=first.pk, actor=ml_engineer, at=later(60))

        with pytest.raises(proposals.LiveHasChanged):
            proposals.confirm(proposal_id=second.pk, actor=ml_engineer, at=later(90))

    def test_refuses_after_a_week(self, propose: Propose, ml_engineer: User) -> None:
        with pytest.raises(proposals.Closed, match="expired"):
            proposals.confirm(proposal_id=propose().pk, actor=ml_engineer, at=AT + timedelta(days=7))

    def test_refuses_other_thresholds_than_were_shown(self, propose: Propose, ml_engineer: User) -> None:
        proposal = propose(changes={"to": thresholds.values(WANTED) | {"remove_from": 0.96}})

        with pytest.raises(promote.NotGoodEnough, match="thresholds that were shown"):
            proposals.confirm(proposal_id=proposal.pk, actor=ml_engineer, at=later(60))

        proposal.refresh_from_db()
        assert proposal.closed_at is None
        assert "thresholds that were shown" in proposal.failure
        assert not proposal.is_going_live(at=later(61))

    def test_refuses_what_the_simulation_finds_certainly_less_precise(
        self, propose: Propose, ml_engineer: User
    ) -> None:
        now, then = ({"labels": 300, "low": low, "high": low + 0.04} for low in (0.95, 0.8))
        proposal = propose(evidence={"now": {"precision": now}, "then": {"precision": then}})

        with pytest.raises(promote.NotGoodEnough, match="less precise"):
            proposals.confirm(proposal_id=proposal.pk, actor=ml_engineer, at=later(60))


@pytest.mark.whole
@pytest.mark.django_db(transaction=True)
def test_of_two_people_who_confirm_at_once_one_is_refused(propose: Propose, ml_engineer: User) -> None:
    proposal = propose()
    people = (ml_engineer, User.objects.create_user("other_lead", role=Role.LEAD))

    outcomes = side_by_side(
        *(
            lambda who=who: proposals.confirm(proposal_id=proposal.pk, actor=who, at=later(60))
            for who in people
        )
    )

    live, refused = sorted(outcomes, key=lambda one: isinstance(one, Exception))
    assert live == Promotion.objects.get()
    assert isinstance(refused, proposals.Closed | proposals.GoingLive)


def test_one_on_its_way_is_neither_confirmed_again_nor_refused(
    propose: Propose, ml_engineer: User, lead: User
) -> None:
    proposal = propose()
    ReleaseProposal.objects.update(confirming_by=ml_engineer, confirming_until=later(60))

    for answer, person in ((proposals.confirm, ml_engineer), (proposals.refuse, lead)):
        with pytest.raises(proposals.GoingLive):
            answer(proposal_id=proposal.pk, actor=person, at=later(59))
    proposals.refuse(proposal_id=proposal.pk, actor=lead, at=later(60))  # whoever began it was killed


def test_a_refusal_closes_the_proposal(propose: Propose, ml_engineer: User) -> None:
    proposal = propose()

    proposals.refuse(proposal_id=proposal.pk, actor=ml_engineer, at=later(60))

    with pytest.raises(proposals.Closed, match="answered"):
        proposals.confirm(proposal_id=proposal.pk, actor=ml_engineer, at=later(90))


class TestPropose:
    def test_takes_it_again_when_the_first_ran_out(self, propose: Propose) -> None:
        first = propose()

        propose(at=AT + timedelta(days=8))

        first.refresh_from_db()
        assert first.closed_at == first.expires_at


class TestDerive:
    def test_changes_thresholds_alone(self) -> None:
        live = scorer.release()

        derived = thresholds.derive(live, thresholds=WANTED)

        changed = json.loads((derived.folder / MANIFEST).read_text())
        differing = {name for name in changed if changed[name] != live.manifest.get(name)}
        assert differing == {"thresholds", "derived"}
        assert derived == thresholds.derive(live, thresholds=WANTED)

    def test_refuses_a_platform_without_its_own(self) -> None:
        with pytest.raises(thresholds.NoOwnThresholds):
            thresholds.derive(scorer.release(), thresholds=WANTED, platform="social")
