"""A moderator's review session: act on the current case and claim the next ones, in one transaction each."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from moderation.models import Case, Decision, Presence, ReviewPage, User
from moderation.models.cases import CaseState
from moderation.models.decisions import Verdict
from moderation.operations import explanations
from moderation.operations.cases import blind_answers, claims, first_shift, review
from moderation.queries import case_access
from moderation.queries.cases import exposure, queue_filter
from moderation.queries.cases.queue_filter import EVERYTHING, QueueFilter

AHEAD = 3
"""Cases claimed ahead of the current one, so that the next is on the screen before the server answers."""
PRESENCE_SECONDS = 40
_SHARE = 4
_KEPT = timedelta(days=1)


@dataclass(frozen=True, kw_only=True)
class Choice:
    """The moderator's choice on a version of the case; `key` is the idempotency key of the request."""

    verdict: Verdict
    case_version: int
    reason: str = ""
    note: str = ""
    idempotency_key: UUID | None = None


@dataclass(frozen=True, kw_only=True)
class Step:
    """The result of an act: the decision, if there is one, and the claimed cases in display order."""

    decision: Decision | None
    cases: list[Case]


@dataclass(frozen=True, kw_only=True)
class Beat:
    """The answer to a heartbeat: the cases still claimed, and who else claims or reads the current one."""

    held: list[int]
    holder: User | None
    is_open: bool
    readers: list[User]


def begin(*, moderator: User, wanted: QueueFilter, at: datetime) -> None:
    """Switch to another filter: release the claimed cases that it does not match."""
    with transaction.atomic():
        # By id (lock order): another page of the same user may renew these leases at the same time.
        cases = list(_own_live(moderator, at=at).select_for_update(of=("self",)).order_by("id"))
        own = Case.objects.filter(pk__in=[case.pk for case in cases])
        matches = own.filter(queue_filter.condition(wanted, at=at)).values("pk")
        own.exclude(pk__in=matches).update(claimed_by=None, lease_end_at=None)


def hold(*, moderator: User, at: datetime, ahead: int = 0, wanted: QueueFilter = EVERYTHING) -> list[Case]:
    """Hold one case and up to `ahead` more; return them in the order they come up.

    Cases already claimed come first; `wanted` selects the free cases that follow. At most a quarter of the
    free cases is claimed ahead, so that the last cases of a queue stay available to others.
    """
    with transaction.atomic():
        cases = claims.claim_held(moderator=moderator, at=at, count=1 + ahead)
        # A heartbeat of the same page may have locked some of them right now: they are claimed all the same.
        held_count = _own_live(moderator, at=at).count()
        if wanted.is_first_shift:
            number = first_shift.opened(moderator=moderator, count=1 + ahead, held=held_count, at=at)
        else:
            number = _missing(held=held_count, ahead=ahead, moderator=moderator, wanted=wanted, at=at)
        if number:
            run = exposure.run(moderator=moderator, held=cases, cap=moderator.preferences.run_cap)
            cases += claims.claim_free(moderator=moderator, at=at, count=number, sparing=run, wanted=wanted)
    return cases


def decide(
    *,
    case_id: int,
    choice: Choice,
    moderator: User,
    at: datetime,
    ahead: int = 0,
    wanted: QueueFilter = EVERYTHING,
) -> Step:
    """Decide the case, or answer a blind review, and hold the next.

    Raises what `review.decide` and `blind_answers.answer` raise.
    """
    with transaction.atomic():
        decision = _decided(case_id, choice, moderator=moderator, wanted=wanted, at=at)
        return Step(decision=decision, cases=hold(moderator=moderator, at=at, ahead=ahead, wanted=wanted))


def skip(
    *, case_id: int, moderator: User, at: datetime, ahead: int = 0, wanted: QueueFilter = EVERYTHING
) -> Step:
    """Leave the case to somebody else and hold the next. Raises what `claims.skip` raises."""
    with transaction.atomic():
        claims.skip(case_id=case_id, moderator=moderator, at=at)
        return Step(decision=None, cases=hold(moderator=moderator, at=at, ahead=ahead, wanted=wanted))


def escalate(
    *,
    case_id: int,
    moderator: User,
    note: str,
    at: datetime,
    ahead: int = 0,
    wanted: QueueFilter = EVERYTHING,
) -> Step:
    """Leave the case to a lead and hold the next. Raises what `review.escalate` raises."""
    with transaction.atomic():
        try:
            review.escalate(case_id=case_id, moderator=moderator, note=note, at=at)
        except review.JudgedBlindly:
            answer = blind_answers.hand_on(case_id=case_id, moderator=moderator, note=note, at=at)
            if wanted.is_first_shift:
                first_shift.mark(answer, moderator=moderator, at=at)
        return Step(decision=None, cases=hold(moderator=moderator, at=at, ahead=ahead, wanted=wanted))


def beat(*, moderator: User, case_ids: Sequence[int], current_id: int, at: datetime) -> Beat:
    """Extend the live leases, return who else is on the case, and record this user's presence."""
    with transaction.atomic():
        # Only live leases: after its end somebody else may have claimed the case.
        leases = _own_live(moderator, at=at).filter(pk__in=case_ids)
        cases = list(leases.select_for_update(of=("self",)).order_by("id"))
        claims.lease(cases, moderator=moderator, at=at)
        explanations.ask(case for case in cases if case.pk == current_id)
        ids = [case.pk for case in cases]
        shown = Case.objects.select_related("claimed_by").exclude(case_access.kept_from(moderator))
        current = shown.filter(pk=current_id).first()
        if current is None:
            return Beat(held=ids, holder=None, is_open=False, readers=[])
        if current.pk not in ids:
            _be_seen(current, moderator, at=at)
    return Beat(
        held=ids,
        holder=_other_holder(current, moderator, at=at),
        is_open=current.state == CaseState.OPEN,
        readers=_readers(current, moderator, at=at),
    )


def pause(*, case_id: int, moderator: User, at: datetime) -> Case:
    """Keep the case in front for a quarter of an hour and give the others back. Raises ClaimLost."""
    with transaction.atomic():
        case = claims.renew(case_id=case_id, moderator=moderator, at=at)
        case.lease_end_at = at + timedelta(seconds=claims.PAUSE_SECONDS)
        case.save(update_fields=("lease_end_at",))
        _own_live(moderator, at=at).exclude(pk=case_id).update(claimed_by=None, lease_end_at=None)
    return case


def hand_back(*, case_ids: Sequence[int], moderator: User) -> None:
    """Release claims; those held by somebody else or by nobody are left alone."""
    for case_id in case_ids:
        claims.hand_back(case_id=case_id, moderator=moderator)


def _decided(
    case_id: int, choice: Choice, *, moderator: User, wanted: QueueFilter, at: datetime
) -> Decision | None:
    """Return the decision, None for a blind review."""
    try:
        return review.decide(case_id=case_id, moderator=moderator, at=at, **asdict(choice))
    except review.JudgedBlindly:
        answer = blind_answers.answer(case_id=case_id, moderator=moderator, at=at, **asdict(choice))
        if wanted.is_first_shift:
            first_shift.mark(answer, moderator=moderator, at=at)
    return None


def _missing(*, held: int, ahead: int, moderator: User, wanted: QueueFilter, at: datetime) -> int:
    first = 0 if held else 1
    number = 1 + ahead - held - first
    if number <= 0:
        return first
    cases = claims.free_cases(moderator=moderator, wanted=wanted, at=at)
    free = cases[: _SHARE * number + first].count()
    return first + min(number, max(0, free - first) // _SHARE)


def _own_live(moderator: User, *, at: datetime) -> QuerySet[Case]:
    rows = Case.objects.filter(claimed_by=moderator, lease_end_at__gt=at, state=CaseState.OPEN)
    return rows.exclude(case_access.elsewhere(moderator))


def _be_seen(case: Case, reader: User, *, at: datetime) -> None:
    Presence.objects.bulk_create(
        [Presence(case=case, user=reader, seen_at=at)],
        update_conflicts=True,
        unique_fields=("case", "user"),
        update_fields=("seen_at",),
    )


def _readers(case: Case, moderator: User, *, at: datetime) -> list[User]:
    since = at - timedelta(seconds=PRESENCE_SECONDS)
    present = Presence.objects.filter(case=case, seen_at__gt=since).exclude(user=moderator)
    return [presence.user for presence in present.select_related("user").order_by("user_id")]


def _other_holder(case: Case, moderator: User, *, at: datetime) -> User | None:
    is_leased = case.lease_end_at is not None and case.lease_end_at > at
    return case.claimed_by if is_leased and case.claimed_by != moderator else None


def leave_page(
    *, page_id: UUID, moderator: User, held: Collection[int], leaving: Collection[int], at: datetime
) -> None:
    """Release the cases that the page held and those that its last answer claimed.

    A request may be in flight when its page is left, and its answer would claim the next cases for nobody. So
    the request and the leaving both write the page's row: whichever commits second sees the first.
    Except the cases in `leaving`: their decisions are in flight and need the claim.
    """
    with transaction.atomic():
        row = _locked(page_id, moderator=moderator, at=at)
        row.left_at = at
        row.save(update_fields=("left_at",))
    hand_back(case_ids=sorted({*held, *row.leased} - {*leaving}), moderator=moderator)


def note_leased(*, page_id: UUID, moderator: User, case_ids: Collection[int], at: datetime) -> None:
    """Record the cases that an answer claimed; release them if the page was left.

    Call after the claims are committed.
    """
    with transaction.atomic():
        row = _locked(page_id, moderator=moderator, at=at)
        row.leased, row.used_at = list(case_ids), at
        row.save(update_fields=("leased", "used_at"))
    if row.left_at:
        hand_back(case_ids=row.leased, moderator=moderator)


def _locked(page_id: UUID, *, moderator: User, at: datetime) -> ReviewPage:
    """Lock the page's row, created if new; delete the moderator's rows of past days."""
    row, is_new = ReviewPage.objects.select_for_update().get_or_create(
        page=page_id, user=moderator, defaults={"used_at": at}
    )
    if is_new:
        ReviewPage.objects.filter(user=moderator, used_at__lt=at - _KEPT).delete()
    return row
