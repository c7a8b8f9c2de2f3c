"""Claims: a moderator's lease on a case, taken, renewed, released. No case has two claims."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from moderation.models import CampaignMember, Case, Decision, User, desk_settings
from moderation.models.cases import CaseReason, CaseState
from moderation.operations import explanations
from moderation.operations.audit import entries
from moderation.operations.cases import lanes
from moderation.operations.infrastructure import transactions
from moderation.operations.refusals import AlreadyClaimed, AlreadyDecided, CaseClosed, ClaimLost, NotAllowed
from moderation.queries import case_access
from moderation.queries.cases import queue_filter
from moderation.queries.cases.exposure import Exposure
from moderation.queries.cases.queue_filter import EVERYTHING, QueueFilter, Sort
from moderation.queries.health import clocks

_audit = entries.writer("case")
PAUSE_SECONDS = 15 * 60
"""How long a moderator who pauses keeps the case in front; no lease is longer."""

_LONGEST_LEASE = timedelta(seconds=PAUSE_SECONDS)


def claim_next(*, moderator: User, at: datetime, count: int = 1, among: Q | None = None) -> list[Case]:
    """Claim the next cases for a moderator: those held already, then free ones by the queue mix.

    Escalated cases go to leads, before all others. Two moderators never get the same case: locked rows are
    skipped. `among` narrows the choice: a platform's own cases. Raises NotAllowed.
    """
    with transaction.atomic():
        cases = _lock_held(moderator, at=at, count=count, among=among)
        free = free_cases(moderator=moderator, at=at).filter(among or Q())
        next_cases = _lock_first(free, count - len(cases), moderator, at=at)
        return _claimed(cases + next_cases, moderator=moderator, at=at)


def claim_similar(*, case_id: int, moderator: User, at: datetime) -> Case | None:
    """Claim the next case of the same campaign, one held already first; None without any.

    Raises NotAllowed.
    """
    member = CampaignMember.objects.filter(post__cases=case_id).first()
    if member is None:
        return None
    of_campaign = queue_filter.condition(QueueFilter(campaign=member.campaign_id), at=at)
    cases = claim_next(moderator=moderator, at=at, among=of_campaign & ~Q(pk=case_id))
    return cases[0] if cases else None


def claim_held(*, moderator: User, at: datetime, count: int) -> list[Case]:
    """Renew the claims that the moderator holds, in display order. Raises NotAllowed."""
    with transaction.atomic():
        return _claimed(_lock_held(moderator, at=at, count=count), moderator=moderator, at=at)


def claim_free(
    *, moderator: User, at: datetime, count: int, sparing: Exposure, wanted: QueueFilter = EVERYTHING
) -> list[Case]:
    """Claim free cases of a filter, in its order; those that `sparing` names come last.

    For the order by harm the queue mix decides; any other order is kept.

    Raises NotAllowed.
    """
    with transaction.atomic():
        cases: list[Case] = []
        for part in wanted.in_turn:
            room = count - len(cases)
            if part.most is not None:
                room = min(room, part.most)
            free = _except(cases, free_cases(moderator=moderator, wanted=part, at=at))
            batch = _lock_first(sparing.spare(free), room, moderator, wanted.sort, at=at)
            if sparing:
                rest, number = _except(batch, free), room - len(batch)
                batch += _lock_first(rest, number, moderator, wanted.sort, at=at)
            cases += batch
        return _claimed(cases, moderator=moderator, at=at)


def free_cases(*, moderator: User, at: datetime, wanted: QueueFilter = EVERYTHING) -> QuerySet[Case]:
    """Return the open cases that nobody holds, but for those that this moderator skipped or may not take."""
    return _takable(moderator, wanted, at=at).filter(_is_free(at=at))


def cases_left(*, moderator: User, at: datetime, wanted: QueueFilter) -> QuerySet[Case]:
    """Return the free cases of a filter and those of them that this moderator holds."""
    return _takable(moderator, wanted, at=at).filter(_is_free(at=at) | Q(claimed_by=moderator))


def _takable(moderator: User, wanted: QueueFilter, *, at: datetime) -> QuerySet[Case]:
    cases = Case.objects.filter(state=CaseState.OPEN).exclude(skipped_by__contains=[moderator.pk])
    cases = cases.filter(queue_filter.condition(wanted, at=at)).exclude(case_access.elsewhere(moderator))
    if moderator.languages and not wanted.language:
        cases = cases.filter(language__in=[*moderator.languages, ""])  # "": too short to detect
    return cases if moderator.may_lead else cases.filter(is_escalated=False)


def claim(*, case_id: int, moderator: User, at: datetime) -> Case:
    """Claim one case. Raises AlreadyClaimed, CaseClosed, NotAllowed or Case.DoesNotExist."""
    with transaction.atomic():
        case = locked(case_id, moderator=moderator)
        refuse_closed(case)
        if not moderator.may_decide or (case.is_escalated and not moderator.may_lead):
            raise NotAllowed(_("This case is waiting for a lead."))
        if case.reason in (CaseReason.SECOND, CaseReason.BLIND) and moderator.pk in case.skipped_by:
            raise NotAllowed(_("A second person should review this case."))
        holder = case.claimed_by
        if holder is not None and holder != moderator and not _is_expired(case, at=at):
            raise AlreadyClaimed(holder)
        if holder != moderator or _is_expired(case, at=at):
            case.lane, case.lane_probability = "", None  # chosen, not handed out
        lease([case], moderator=moderator, at=at)
        explanations.ask([case])
    return case


def renew(*, case_id: int, moderator: User, at: datetime) -> Case:
    """Extend the lease on a held case. Raises ClaimLost, AlreadyDecided or CaseClosed."""
    with transaction.atomic():
        case = locked(case_id, moderator=moderator)
        refuse_closed(case)
        refuse_unclaimed(case, moderator=moderator, at=at)
        lease([case], moderator=moderator, at=at)
    return case


def hand_back(*, case_id: int, moderator: User) -> None:
    """Give up a claim; nothing happens if it is held by somebody else or by nobody."""
    # Conditional and without a lock first: where the lease ran out and somebody else claimed the case since,
    # no row matches, and their claim stays.
    Case.objects.filter(pk=case_id, claimed_by=moderator, state=CaseState.OPEN).update(
        claimed_by=None, lease_end_at=None
    )


def skip(*, case_id: int, moderator: User, at: datetime) -> None:
    """Hand a case back and not be offered it again, until its post changes. Raises ClaimLost."""
    with transaction.atomic():
        case = locked(case_id, moderator=moderator)
        refuse_closed(case)
        refuse_unclaimed(case, moderator=moderator, at=at)
        release(case)
        case.skipped_by = [*case.skipped_by, moderator.pk]
        case.save(update_fields=("claimed_by", "lease_end_at", "skipped_by"))
        _audit("case.skipped", case, actor=moderator, at=at)


def undo_skip(*, case_id: int, moderator: User, at: datetime) -> Case:
    """Claim a skipped case again, and let it be offered like any other. Raises what `claim` raises."""
    with transaction.atomic():
        case = claim(case_id=case_id, moderator=moderator, at=at)
        case.skipped_by = [pk for pk in case.skipped_by if pk != moderator.pk]
        case.save(update_fields=("skipped_by",))
        _audit("case.skip_undone", case, actor=moderator, at=at)
    return case


@transactions.required
def lease(cases: list[Case], *, moderator: User, at: datetime) -> None:
    """Give a moderator the lease on locked cases, and log their lanes. Call inside a transaction.

    One that is kept from them since, as an undone decision's may be, stays free.
    """
    if not cases:
        return
    lease_end_at = at + timedelta(seconds=desk_settings.current().lease_seconds)
    for case in cases:
        case.claimed_by = moderator
        case.lease_end_at = lease_end_at
    rows = Case.objects.filter(pk__in=[case.pk for case in cases]).exclude(case_access.elsewhere(moderator))
    rows.update(claimed_by=moderator, lease_end_at=lease_end_at, **lanes.logged(cases))


def locked(case_id: int, *, moderator: User | None = None) -> Case:
    """Lock a case's row for this transaction, after its post.

    Raises Case.DoesNotExist, also for an open case of a queue that is not this `moderator`'s.
    """
    # Lock order: scoring and erasure lock the post before its cases, too.
    transactions.lock_posts(cases=case_id)
    # `of`: the join to claimed_by is an outer one, and PostgreSQL refuses FOR UPDATE on its nullable side.
    rows = Case.objects.select_for_update(of=("self",)).select_related(
        "claimed_by", "score__revision__grouped", "post__platform"
    )
    if moderator is not None:
        rows = rows.exclude(case_access.elsewhere(moderator), state=CaseState.OPEN)
    return rows.get(pk=case_id)


def release(case: Case) -> None:
    """Take the lease off a locked case; the caller saves it."""
    case.claimed_by = None
    case.lease_end_at = None


def refuse_closed(case: Case) -> None:
    """Raise AlreadyDecided or CaseClosed if the case no longer waits."""
    if case.state == CaseState.DECIDED:
        winner = Decision.objects.filter(case=case, reversal__isnull=True).select_related("decided_by").last()
        if winner is not None:
            raise AlreadyDecided(winner)
    if case.state != CaseState.OPEN:
        raise CaseClosed(_("This case no longer needs review."))


def refuse_unclaimed(case: Case, *, moderator: User, at: datetime) -> None:
    """Raise ClaimLost or NotAllowed if the moderator has no live claim on a locked case."""
    if case.claimed_by != moderator or _is_expired(case, at=at):
        raise ClaimLost(_("Your reservation of this case has expired."))
    if case.is_escalated and not moderator.may_lead:
        raise NotAllowed(_("This case is waiting for a lead."))


def _claimed(cases: list[Case], *, moderator: User, at: datetime) -> list[Case]:
    if not moderator.may_decide:
        raise NotAllowed(_("This role does not decide cases."))
    lease(cases, moderator=moderator, at=at)
    explanations.ask(cases)
    return cases


def _lock_held(moderator: User, *, at: datetime, count: int, among: Q | None = None) -> list[Case]:
    """Lock the cases that the moderator holds; rows locked by another transaction are skipped."""
    rows = Case.objects.select_for_update(skip_locked=True, of=("self",)).filter(
        among or Q(), state=CaseState.OPEN, claimed_by=moderator, lease_end_at__gt=at
    )
    rows = rows.exclude(case_access.elsewhere(moderator))
    return list(rows.order_by("-is_escalated", "-priority", "id")[:count])


def _except(cases: list[Case], free: QuerySet[Case]) -> QuerySet[Case]:
    return free.exclude(pk__in=[case.pk for case in cases]) if cases else free


def _lock_first(
    free: QuerySet[Case], count: int, moderator: User, sort: Sort = Sort.HARM, *, at: datetime
) -> list[Case]:
    """Lock the first cases in an order, escalated ones before others.

    One query each, so that each uses its index.
    """
    if count <= 0:
        return []
    escalated = _lock_sorted(free.filter(is_escalated=True), count, sort) if moderator.may_lead else []
    others, number = free.filter(is_escalated=False), count - len(escalated)
    if not number:
        return escalated
    if sort is Sort.HARM:
        return escalated + lanes.first(others, count=number, moderator=moderator, at=at)
    return escalated + _lock_sorted(others, number, sort)


def _lock_sorted(free: QuerySet[Case], count: int, sort: Sort) -> list[Case]:
    # SKIP LOCKED: moderators who claim at the same time get different cases and never wait.
    rows = free.select_for_update(skip_locked=True, of=("self",))
    cases = list(rows.order_by(f"-{queue_filter.KEYS[sort]}", "id")[:count])
    for case in cases:
        case.lane, case.lane_probability = "", None
    return cases


def _is_free(*, at: datetime) -> Q:
    return Q(lease_end_at__isnull=True) | clocks.has_passed("lease_end_at", at=at, longest=_LONGEST_LEASE)


def _is_expired(case: Case, *, at: datetime) -> bool:
    end_at = case.lease_end_at
    return end_at is None or clocks.passed(end_at, at=at, longest=_LONGEST_LEASE)
