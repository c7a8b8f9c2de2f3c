"""A moderator's work on cases: claim, skip, escalate, decide. One winning decision per case version."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from moderation.models import Case, CaseNote, Decision, User
from moderation.models.cases import CaseReason, CaseState, DecisionSource, Verdict
from moderation.operations import explanations
from moderation.operations.audit import entries
from moderation.operations.cases import overrule
from moderation.operations.decisions import recording
from moderation.operations.infrastructure import erasure_locks, transactions
from moderation.queries.cases.exposure import Exposure
from moderation.queries.health import clocks

PAUSE_SECONDS = 15 * 60
"""How long a moderator who pauses keeps the case in front."""


class Refusal(Exception):
    """Something a moderator asked for that did not happen; the class says what."""


class AlreadyClaimed(Refusal):
    """Another moderator holds a live claim; `holder` says who."""

    def __init__(self, holder: User) -> None:
        super().__init__(_("%(holder)s is looking at this case.") % {"holder": holder})
        self.holder = holder


class AlreadyDecided(Refusal):
    """The case was decided before; `decision` is the one that won."""

    def __init__(self, decision: Decision) -> None:
        super().__init__("This case was decided before.")
        self.decision = decision


class CaseClosed(Refusal):
    """The case no longer waits for a human."""


class ClaimLost(Refusal):
    """The lease ran out or the case was never claimed: claim it again first."""


class PostChanged(Refusal):
    """The post was edited after the case was shown: look at the new text first."""


class NotAllowed(Refusal):
    """The role does not permit this."""


def claim_next(*, moderator: User, at: datetime, count: int = 1, among: Q | None = None) -> list[Case]:
    """Claim the next cases for a moderator: those held already, then the most harmful free ones.

    Escalated cases go to leads, before all others. Two moderators never get the same case: locked rows are
    skipped. `among` narrows the choice: a platform's own cases. Raises NotAllowed.
    """
    with transaction.atomic():
        cases = _lock_held(moderator, at=at, count=count, among=among)
        free = free_cases(moderator=moderator, at=at).filter(among or Q())
        return _claimed(cases + _lock_first(free, count - len(cases), moderator), moderator=moderator, at=at)


def claim_held(*, moderator: User, at: datetime, count: int) -> list[Case]:
    """Claim anew what the moderator holds, in the order it comes up. Raises NotAllowed."""
    with transaction.atomic():
        return _claimed(_lock_held(moderator, at=at, count=count), moderator=moderator, at=at)


def claim_free(*, moderator: User, at: datetime, count: int, sparing: Exposure) -> list[Case]:
    """Claim free cases; what `sparing` names comes only when nothing else is left. Raises NotAllowed."""
    with transaction.atomic():
        free = free_cases(moderator=moderator, at=at)
        cases = _lock_first(sparing.spare(free), count, moderator)
        if sparing:
            others = free.exclude(pk__in=[case.pk for case in cases])
            cases += _lock_first(others, count - len(cases), moderator)
        return _claimed(cases, moderator=moderator, at=at)


def free_cases(*, moderator: User, at: datetime) -> QuerySet[Case]:
    """Return the open cases that nobody holds, but for those that this moderator skipped or may not take."""
    cases = Case.objects.filter(_is_free(at=at), state=CaseState.OPEN)
    cases = cases.exclude(skipped_by__contains=[moderator.pk])
    return cases if moderator.may_lead else cases.filter(is_escalated=False)


def claim(*, case_id: int, moderator: User, at: datetime) -> Case:
    """Claim one case. Raises AlreadyClaimed, CaseClosed or NotAllowed."""
    with transaction.atomic():
        case = locked(case_id)
        _refuse_closed(case)
        if not moderator.may_decide or (case.is_escalated and not moderator.may_lead):
            raise NotAllowed(_("This case waits for a lead."))
        if case.reason == CaseReason.SECOND and moderator.pk in case.skipped_by:
            raise NotAllowed(_("Somebody else is to look at this case."))
        holder = case.claimed_by
        if holder is not None and holder != moderator and not _is_expired(case, at=at):
            raise AlreadyClaimed(holder)
        lease([case], moderator=moderator, at=at)
        explanations.ask([case])
    return case


def renew(*, case_id: int, moderator: User, at: datetime) -> Case:
    """Extend the lease on a held case. Raises ClaimLost, AlreadyDecided or CaseClosed."""
    with transaction.atomic():
        case = locked(case_id)
        _refuse_closed(case)
        _refuse_unclaimed(case, moderator=moderator, at=at)
        lease([case], moderator=moderator, at=at)
    return case


def hand_back(*, case_id: int, moderator: User) -> None:
    """Give up a claim; nothing happens if it is held by somebody else or by nobody."""
    Case.objects.filter(pk=case_id, claimed_by=moderator, state=CaseState.OPEN).update(
        claimed_by=None, lease_end_at=None
    )


def skip(*, case_id: int, moderator: User, at: datetime) -> Case:
    """Hand a case back and not be offered it again, until its post changes. Raises ClaimLost."""
    with transaction.atomic():
        case = locked(case_id)
        _refuse_closed(case)
        _refuse_unclaimed(case, moderator=moderator, at=at)
        _release(case)
        case.skipped_by = [*case.skipped_by, moderator.pk]
        case.save(update_fields=("claimed_by", "lease_end_at", "skipped_by"))
        _audit("case.skipped", case, moderator=moderator, at=at)
    return case


def escalate(*, case_id: int, moderator: User, at: datetime, note: str = "") -> Case:
    """Hand a case to the leads, with a note of 2,000 characters at most. Raises ClaimLost."""
    with transaction.atomic():
        case = locked(case_id)
        _refuse_closed(case)
        _refuse_unclaimed(case, moderator=moderator, at=at)
        _release(case)
        case.is_escalated = True
        case.reason = "escalated"
        case.save(update_fields=("claimed_by", "lease_end_at", "is_escalated", "reason"))
        # The audit log can never be erased: it names the note and does not repeat it.
        told = (
            CaseNote.objects.create(case=case, author=moderator, text=note, written_at=at) if note else None
        )
        _audit("case.escalated", case, moderator=moderator, at=at, note=told.pk if told else None)
    return case


def decide(
    *,
    case_id: int,
    case_version: int,
    moderator: User,
    verdict: Verdict,
    at: datetime,
    reason: str = "",
    note: str = "",
    idempotency_key: UUID | None = None,
) -> Decision:
    """Decide a claimed case. Raises AlreadyDecided, CaseClosed, ClaimLost, PostChanged or NotAllowed.

    The row lock puts concurrent deciders in a line; whoever comes second finds the case closed. A request
    that is repeated because its answer was lost names the same key and gets the same decision. One that says
    the opposite of a human's decision on the same text replaces that by name.
    """
    with transaction.atomic():
        case = locked(case_id)
        try:
            _refuse_closed(case)
        except AlreadyDecided as refusal:
            if _is_repeated(refusal.decision, moderator=moderator, verdict=verdict, key=idempotency_key):
                return refusal.decision
            raise
        _refuse_unclaimed(case, moderator=moderator, at=at)
        if case.version != case_version:
            raise PostChanged(_("The post was edited while you looked at it."))
        decision = _decision(case, moderator=moderator, verdict=verdict, reason=reason, note=note, at=at)
        decision.idempotency_key = idempotency_key
        replaced = overrule.standing(decision)
        recording.retract_label(post_id=case.post_id, at=at)
        recording.record(
            decisions=[decision],
            event="decision.reversed" if replaced else "decision.created",
            reverses={case.post_id: replaced.pk} if replaced else None,
        )
        _release(case)
        case.state = CaseState.DECIDED
        case.closed_at = at
        case.save(update_fields=("claimed_by", "lease_end_at", "state", "closed_at"))
        if replaced is not None:
            overrule.write(replaced=replaced, by=decision, at=at)
    return decision


@transactions.required
def lease(cases: list[Case], *, moderator: User, at: datetime) -> None:
    """Give a moderator the lease on locked cases. Call inside a transaction."""
    lease_end_at = at + timedelta(seconds=settings.LEASE_SECONDS)
    for case in cases:
        case.claimed_by = moderator
        case.lease_end_at = lease_end_at
    Case.objects.filter(pk__in=[case.pk for case in cases]).update(
        claimed_by=moderator, lease_end_at=lease_end_at
    )


def locked(case_id: int) -> Case:
    """Lock a case's row for this transaction, after its post. Raises Case.DoesNotExist."""
    erasure_locks.posts(cases=case_id)
    rows = Case.objects.select_for_update(of=("self",)).select_related(
        "claimed_by", "score", "score__revision", "post__platform"
    )
    return rows.get(pk=case_id)


def _claimed(cases: list[Case], *, moderator: User, at: datetime) -> list[Case]:
    if not moderator.may_decide:
        raise NotAllowed(_("This role does not decide cases."))
    lease(cases, moderator=moderator, at=at)
    explanations.ask(cases)
    return cases


def _lock_held(moderator: User, *, at: datetime, count: int, among: Q | None = None) -> list[Case]:
    """Lock what the moderator holds; rows that somebody else has locked just now are left out."""
    held = Case.objects.select_for_update(skip_locked=True, of=("self",)).filter(
        among or Q(), state=CaseState.OPEN, claimed_by=moderator, lease_end_at__gt=at
    )
    return list(held.order_by("-is_escalated", "-priority", "id")[:count])


def _lock_first(free: QuerySet[Case], count: int, moderator: User) -> list[Case]:
    """Lock the most harmful, escalated ones first; a query for each kind, so that each walks its index."""
    found: list[Case] = []
    for is_escalated in (True, False) if moderator.may_lead else (False,):
        rows = free.filter(is_escalated=is_escalated).select_for_update(skip_locked=True, of=("self",))
        found += rows.order_by("-priority", "id")[: count - len(found)]
    return found


def _is_free(*, at: datetime) -> Q:
    return Q(lease_end_at__isnull=True) | clocks.has_passed("lease_end_at", at=at, longest=_longest_lease())


def _is_expired(case: Case, *, at: datetime) -> bool:
    end_at = case.lease_end_at
    return end_at is None or clocks.passed(end_at, at=at, longest=_longest_lease())


def _longest_lease() -> timedelta:
    return timedelta(seconds=max(settings.LEASE_SECONDS, PAUSE_SECONDS))


def _release(case: Case) -> None:
    case.claimed_by = None
    case.lease_end_at = None


def _refuse_closed(case: Case) -> None:
    if case.state == CaseState.DECIDED:
        winner = Decision.objects.filter(case=case, reversal__isnull=True).select_related("decided_by").last()
        if winner is not None:
            raise AlreadyDecided(winner)
    if case.state != CaseState.OPEN:
        raise CaseClosed(_("This case no longer waits for a human."))


def _refuse_unclaimed(case: Case, *, moderator: User, at: datetime) -> None:
    if case.claimed_by != moderator or _is_expired(case, at=at):
        raise ClaimLost(_("Your claim on this case has run out."))
    if case.is_escalated and not moderator.may_lead:
        raise NotAllowed(_("This case waits for a lead."))


def _is_repeated(decision: Decision, *, moderator: User, verdict: Verdict, key: UUID | None) -> bool:
    return (
        key is not None
        and decision.idempotency_key == key
        and (decision.decided_by, decision.verdict) == (moderator, verdict)
    )


def _decision(
    case: Case, *, moderator: User, verdict: Verdict, reason: str, note: str, at: datetime
) -> Decision:
    return Decision(
        post=case.post,
        revision=case.score.revision,
        case=case,
        case_version=case.version,
        score=case.score,
        verdict=verdict,
        source=DecisionSource.MODERATOR,
        reason=reason,
        note=note,
        decided_by=moderator,
        decided_at=at,
        effective_at=recording.effective_at(source=DecisionSource.MODERATOR, decided_at=at),
    )


def _audit(action: str, case: Case, *, moderator: User, at: datetime, **details: object) -> None:
    entries.add(action=action, subject_kind="case", subject_id=case.pk, actor=moderator, at=at, **details)
