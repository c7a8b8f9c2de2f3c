"""Actions on the review page: claim, decide, skip, escalate, pause, undo.

The page's own script sends the header `Review-Page` and gets parts of the page: it shows the next case before
the answer arrives. Without the header every action ends in a redirect.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from functools import partial

from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from moderation.models import Case, User, desk_settings
from moderation.operations import refusals
from moderation.operations.cases import claims, shift
from moderation.queries import case_access
from moderation.web import access
from moderation.web.cases import current_case, working_filter
from moderation.web.forms import DecideForm, EscalateForm, HeldForm

Refused = (refusals.Refusal, Case.DoesNotExist)


@access.deciders.post
def claim_next(request: access.DeskRequest) -> HttpResponse:
    """Claim the next case and show it; a start from the queue sets the working filter."""
    working_filter.choose(request, at=timezone.now())
    return following(request)


@access.deciders.post
def ahead(request: access.DeskRequest) -> HttpResponse:
    """Claim the next cases ahead of time."""
    at = timezone.now()
    case_filter = working_filter.wanted(request, at=at)
    cases = shift.hold(moderator=request.user, at=at, ahead=shift.AHEAD, wanted=case_filter)
    return answer(request, cases=cases, at=at)


@access.deciders.post
def claim(request: access.DeskRequest, case_id: int) -> HttpResponse:
    """Claim this very case."""
    at = timezone.now()
    try:
        claims.claim(case_id=case_id, moderator=request.user, at=at)
    except refusals.AlreadyClaimed as refusal:
        return following(request, notice=_("%(who)s is reviewing that case.") % {"who": refusal.holder})
    except Refused as refusal:
        return _refused(request, case_id, refusal)
    return answer(request, current_id=case_id, at=at)


@access.deciders.post
def next_similar(request: access.DeskRequest, case_id: int) -> HttpResponse:
    """Claim the next case of this one's campaign and show it; this one comes after it."""
    at = timezone.now()
    if case := claims.claim_similar(case_id=case_id, moderator=request.user, at=at):
        return answer(request, current_id=case.pk, at=at)
    notice = _("No other case of this campaign is waiting for you.")
    return answer(request, cases=Case.objects.filter(pk=case_id), notice=notice, at=at)


@access.deciders.post
def decide(request: access.DeskRequest, case_id: int) -> HttpResponse:
    """Decide the case; the answer holds the next ones."""
    at = timezone.now()
    form = DecideForm(request.POST)
    if not form.is_valid():
        return answer(request, current_id=case_id, notice=form.first_error(), status=422, at=at)
    try:
        step = shift.decide(
            case_id=case_id,
            choice=form.choice(),
            moderator=request.user,
            at=at,
            ahead=_ahead(request),
            wanted=working_filter.wanted(request, at=at),
        )
    except Refused as refusal:
        return _refused(request, case_id, refusal)
    # A request that is repeated gets the decision of the first one, made at another time: 200, not 201.
    is_new = step.decision is not None and step.decision.decided_at == at
    notice = _("Decided: %(verdict)s.") % {"verdict": form.verdict_words()}
    return answer(request, cases=step.cases, said=notice, status=201 if is_new else 200, at=at)


@access.deciders.post
def skip(request: access.DeskRequest, case_id: int) -> HttpResponse:
    """Leave the case to somebody else."""
    return _left(request, case_id, shift.skip, said=_("Skipped."))


@access.deciders.post
def undo_skip(request: access.DeskRequest, case_id: int) -> HttpResponse:
    """Take a skipped case back if it is still free; it is shown again."""
    return undone(request, partial(claims.undo_skip, case_id=case_id), back="review")


@access.deciders.post
def escalate(request: access.DeskRequest, case_id: int) -> HttpResponse:
    """Leave the case to a lead."""
    form = EscalateForm(request.POST)
    note = form.cleaned_data["note"] if form.is_valid() else ""
    return _left(request, case_id, partial(shift.escalate, note=note), said=_("Escalated to a lead."))


@access.deciders.post
def pause(request: access.DeskRequest, case_id: int) -> HttpResponse:
    """Keep the claim for the length of a break; 409 if it was lost."""
    try:
        case = shift.pause(case_id=case_id, moderator=request.user, at=timezone.now())
    except Refused:
        return JsonResponse({}, status=409)
    return JsonResponse({"until": case.lease_end_at, "pause_seconds": claims.PAUSE_SECONDS})


@access.deciders.post
def beat(request: access.DeskRequest) -> HttpResponse:
    """Extend the leases of the page's cases; answer who else is on the current one."""
    form = HeldForm(request.POST)
    if not form.is_valid():
        return JsonResponse({}, status=422)
    fields = form.cleaned_data
    lease = shift.beat(
        moderator=request.user, case_ids=fields["held"], current_id=fields["current"] or 0, at=timezone.now()
    )
    return JsonResponse(
        {
            "held": lease.held,
            "lease_seconds": desk_settings.current().lease_seconds,
            "holder": str(lease.holder or ""),
            "is_open": lease.is_open,
            "readers": [str(reader) for reader in lease.readers],
        }
    )


@access.deciders.post
def hand_back(request: access.DeskRequest) -> HttpResponse:
    """Release the named cases, as the page is left or the moderator returns to the queue."""
    form = HeldForm(request.POST)
    if form.is_valid() and form.cleaned_data["page"]:
        shift.leave_page(
            page_id=form.cleaned_data["page"],
            moderator=request.user,
            held=form.cleaned_data["held"],
            leaving=form.cleaned_data["leaving"],
            at=timezone.now(),
        )
    elif form.is_valid():
        shift.hand_back(case_ids=form.cleaned_data["held"], moderator=request.user)
    return HttpResponse(status=204) if "Review-Page" in request.headers else redirect("queue")


def following(request: access.DeskRequest, *, notice: str = "", status: int = 200) -> HttpResponse:
    """Answer with the next case, unless the page continues with one that it has."""
    at = timezone.now()
    cases = shift.hold(moderator=request.user, at=at, wanted=working_filter.wanted(request, at=at))
    case_ids = [case.pk for case in cases]
    goes_on = _known(request) & set(case_ids)
    current_id = case_ids[0] if case_ids and not goes_on else None
    return answer(request, current_id=current_id, cases=cases, notice=notice, status=status, at=at)


def answer(
    request: access.DeskRequest,
    *,
    at: datetime,
    current_id: int | None = None,
    cases: Iterable[Case] = (),
    notice: str = "",
    said: str = "",
    status: int = 200,
) -> HttpResponse:
    """Answer an action: with parts for the page's script, with a redirect for a plain form.

    `current_id` is the case to show; without it the page continues with the cases that it has.
    """
    case_ids = [case.pk for case in cases]
    if "Review-Page" not in request.headers:
        return _redirected(request, current_id or next(iter(case_ids), None), said, notice)
    _note_leased(request, {*case_ids, *([current_id] if current_id else [])}, at=at)
    new_ids = [case_id for case_id in case_ids if case_id not in _known(request) and case_id != current_id]
    parts = {
        "current_id": current_id,
        "parts": [
            (case_id, current_case.render(request, case_id, at=at))
            for case_id in ([current_id] if current_id else []) + new_ids
        ],
        "idle": "" if case_ids or current_id else current_case.render(request, None, at=at),
        "working": working_filter.shown(request, at=at),
        "notice": notice,
        "said": said,
    }
    return render(
        request, "cases/_answer.html", parts | current_case.last_context(request, at=at), status=status
    )


def undone(request: access.DeskRequest, undo: Callable[..., Case], *, back: str) -> HttpResponse:
    """Undo one's own decision, answer or skip and show the case again; `undo` takes `moderator` and `at`.

    If it is refused, a plain form gets the page named `back`.
    """
    at = timezone.now()
    try:
        case = undo(moderator=request.user, at=at)
    except Refused as refusal:
        if "Review-Page" in request.headers:
            return answer(request, notice=told(refusal), status=409, at=at)
        messages.warning(request, told(refusal))
        return redirect(back)
    said = _("Undone. The case is back.")
    if not case_access.visible(request.user).filter(pk=case.pk).exists():
        return following(request, notice=said)
    return answer(request, current_id=case.pk, said=said, at=at)


def _left(
    request: access.DeskRequest, case_id: int, leave: Callable[..., shift.Step], *, said: str
) -> HttpResponse:
    """Leave the case by an act of the shift, and answer with the next ones."""
    at = timezone.now()
    try:
        step = leave(
            case_id=case_id,
            moderator=request.user,
            at=at,
            ahead=_ahead(request),
            wanted=working_filter.wanted(request, at=at),
        )
    except Refused as refusal:
        return _refused(request, case_id, refusal)
    return answer(request, cases=step.cases, said=said, at=at)


def _redirected(request: access.DeskRequest, case_id: int | None, said: str, notice: str) -> HttpResponse:
    for message in filter(None, (said, notice)):
        messages.info(request, message)
    return redirect(reverse("case", args=[case_id]) if case_id else reverse("review"))


def _refused(request: access.DeskRequest, case_id: int, refusal: Exception) -> HttpResponse:
    """Answer a refused action: the reason, with the case or the winning decision."""
    at = timezone.now()
    if isinstance(refusal, Case.DoesNotExist | refusals.NotAllowed):
        return following(request, notice=_("You cannot decide this case."), status=409)
    if isinstance(refusal, refusals.ClaimLost):
        return _claimed_again(request, case_id, at=at)
    return answer(request, current_id=case_id, notice=told(refusal), status=409, at=at)


def told(refusal: Exception) -> str:
    """Return a refusal in words; for a decided case with the winning decision."""
    if isinstance(refusal, refusals.AlreadyDecided):
        winner = refusal.decision
        who: User | str = winner.decided_by or _("the filter")
        return _("%(who)s already decided this case: %(verdict)s. That decision stands.") % {
            "who": who,
            "verdict": winner.get_verdict_display(),
        }
    return _("You cannot decide this case.") if isinstance(refusal, Case.DoesNotExist) else str(refusal)


def _claimed_again(request: access.DeskRequest, case_id: int, *, at: datetime) -> HttpResponse:
    """Claim a case again after its lease ran out, undecided, unless somebody else took it."""
    try:
        claims.claim(case_id=case_id, moderator=request.user, at=at)
    except refusals.AlreadyClaimed as refusal:
        words = _("Your reservation expired and %(who)s took the case.") % {"who": refusal.holder}
        return following(request, notice=words, status=409)
    except refusals.AlreadyDecided as refusal:  # since the claim was found to be lost
        return answer(request, current_id=case_id, notice=told(refusal), status=409, at=at)
    except Refused:
        return following(request, notice=_("Your reservation expired."), status=409)
    words = _("Your reservation expired. The case is reserved for you again: press the key once more.")
    return answer(request, current_id=case_id, notice=words, status=409, at=at)


def _note_leased(request: access.DeskRequest, case_ids: set[int], *, at: datetime) -> None:
    form = HeldForm({"page": request.POST.get("page", "")})
    if form.is_valid() and form.cleaned_data["page"]:
        page_id = form.cleaned_data["page"]
        shift.note_leased(page_id=page_id, moderator=request.user, case_ids=case_ids, at=at)


def _known(request: access.DeskRequest) -> set[int]:
    form = HeldForm({"held": request.POST.get("known", "")})
    return set(form.cleaned_data["held"]) if form.is_valid() else set()


def _ahead(request: access.DeskRequest) -> int:
    """Return how many cases to claim ahead: none for a plain form, which shows one at a time."""
    return shift.AHEAD if "Review-Page" in request.headers else 0
