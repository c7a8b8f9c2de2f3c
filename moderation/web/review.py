"""The review page: claim, look, decide, next. htmx gets the desk alone; else every act ends in a redirect."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from moderation.models import Case
from moderation.models.cases import Verdict
from moderation.operations import review
from moderation.queries import cases, history, queue
from moderation.web import access, evidence
from moderation.web.forms import DecideForm, EscalateForm


@require_safe
@access.deciders
def idle(request: access.DeskRequest) -> HttpResponse:
    """Show the review page without a case: what waits, and how to begin."""
    return render(request, "review.html", _idle_context(request, at=timezone.now()))


@require_safe
@access.deciders
def case(request: access.DeskRequest, case_id: int) -> HttpResponse:
    """Show a case."""
    return render(request, "review.html", _context(request, case_id, at=timezone.now()))


@require_safe
@access.deciders
def whole_text(request: access.DeskRequest, case_id: int) -> HttpResponse:
    """Show the post's whole text."""
    page = _page(request, case_id, at=timezone.now())
    context = {"page": page, "segments": evidence.text_segments(page, is_whole=True), "is_whole": True}
    return render(request, "review.html#text" if request.htmx else "whole_text.html", context)


@require_POST
@access.deciders
def claim_next(request: access.DeskRequest) -> HttpResponse:
    """Claim the next case and show it."""
    return _next(request)


@require_POST
@access.deciders
def claim(request: access.DeskRequest, case_id: int) -> HttpResponse:
    """Claim this very case."""
    try:
        review.claim(case_id=case_id, moderator=request.user, at=timezone.now())
    except review.AlreadyClaimed as refusal:
        return _next(request, notice=f"{refusal.holder} is looking at that case. Here is the next one.")
    except (review.Refusal, Case.DoesNotExist) as refusal:
        return _refused(request, case_id, refusal)
    return _desk(request, case_id)


@require_POST
@access.deciders
def renew(request: access.DeskRequest, case_id: int) -> HttpResponse:
    """Extend the lease while the page is looked at; 409 tells the page that it is gone."""
    try:
        review.renew(case_id=case_id, moderator=request.user, at=timezone.now())
    except (review.Refusal, Case.DoesNotExist):
        return HttpResponse(status=409)
    response = HttpResponse(status=204)
    response["Lease-Seconds"] = str(settings.LEASE_SECONDS)
    return response


@require_POST
@access.deciders
def decide(request: access.DeskRequest, case_id: int) -> HttpResponse:
    """Decide the case and bring the next one in the same answer."""
    form = DecideForm(request.POST)
    if not form.is_valid():
        return _desk(request, case_id, notice="That was not a verdict; the case is still here.")
    verdict = Verdict(form.cleaned_data["verdict"])
    try:
        decision = review.decide(
            case_id=case_id,
            case_version=form.cleaned_data["case_version"],
            moderator=request.user,
            verdict=verdict,
            at=timezone.now(),
        )
    except (review.Refusal, Case.DoesNotExist) as refusal:
        return _refused(request, case_id, refusal)
    return _next(request, announcement=f"Decided: {decision.get_verdict_display()}.")


@require_POST
@access.deciders
def skip(request: access.DeskRequest, case_id: int) -> HttpResponse:
    """Leave the case to somebody else."""
    try:
        review.skip(case_id=case_id, moderator=request.user, at=timezone.now())
    except (review.Refusal, Case.DoesNotExist) as refusal:
        return _refused(request, case_id, refusal)
    return _next(request, announcement="Skipped.")


@require_POST
@access.deciders
def escalate(request: access.DeskRequest, case_id: int) -> HttpResponse:
    """Leave the case to a lead."""
    form = EscalateForm(request.POST)
    note = form.cleaned_data["note"] if form.is_valid() else ""
    try:
        review.escalate(case_id=case_id, moderator=request.user, note=note, at=timezone.now())
    except (review.Refusal, Case.DoesNotExist) as refusal:
        return _refused(request, case_id, refusal)
    return _next(request, announcement="Escalated to a lead.")


@require_POST
@access.deciders
def hand_back(request: access.DeskRequest, case_id: int) -> HttpResponse:
    """Give the case back and return to the queue."""
    review.hand_back(case_id=case_id, moderator=request.user)
    response = HttpResponse(status=204) if request.htmx else redirect("queue")
    if request.htmx:
        response["HX-Redirect"] = reverse("queue")
    return response


def reopened(request: access.DeskRequest, case_id: int) -> HttpResponse:
    """Answer an undo: the case is in front again."""
    return _desk(request, case_id, announcement="Undone. The case is back.")


def _next(request: access.DeskRequest, *, notice: str = "", announcement: str = "") -> HttpResponse:
    claimed = review.claim_next(moderator=request.user, at=timezone.now())
    return _desk(request, claimed[0].pk if claimed else None, notice=notice, announcement=announcement)


def _refused(request: access.DeskRequest, case_id: int, refusal: Exception) -> HttpResponse:
    """Say why an act did not happen, with the case or its winner on the screen."""
    if isinstance(refusal, Case.DoesNotExist | review.NotAllowed):
        return _next(request, notice="That case is not yours to decide. Here is the next one.")
    if isinstance(refusal, review.ClaimLost):
        return _claimed_again(request, case_id)
    return _desk(request, case_id, notice=str(refusal))


def _claimed_again(request: access.DeskRequest, case_id: int) -> HttpResponse:
    """Give a case whose lease ran out back to the moderator, undecided, unless somebody else took it."""
    try:
        review.claim(case_id=case_id, moderator=request.user, at=timezone.now())
    except review.AlreadyClaimed as refusal:
        return _next(
            request,
            notice=f"Your claim had run out and {refusal.holder} took the case. Here is the next one.",
        )
    except (review.Refusal, Case.DoesNotExist):
        return _next(request, notice="Your claim had run out. Here is the next case.")
    return _desk(
        request, case_id, notice="Your claim had run out. The case is yours again: press the key once more."
    )


def _desk(
    request: access.DeskRequest, case_id: int | None, *, notice: str = "", announcement: str = ""
) -> HttpResponse:
    address = reverse("case", args=[case_id]) if case_id else reverse("review")
    if not request.htmx:
        for text in filter(None, (announcement, notice)):
            messages.info(request, text)
        return redirect(address)
    at = timezone.now()
    context = _context(request, case_id, at=at) if case_id else _idle_context(request, at=at)
    context |= {"notice": notice, "announcement": announcement, "is_swap": True}
    response = render(request, "review.html#desk", context)
    response["HX-Push-Url"] = address
    return response


def _page(request: access.DeskRequest, case_id: int, *, at: datetime) -> cases.CasePage:
    try:
        return cases.case_page(case_id=case_id, viewer=request.user, at=at)
    except Case.DoesNotExist as refusal:
        raise Http404("This case does not exist, or waits for a lead.") from refusal


def _idle_context(request: access.DeskRequest, *, at: datetime) -> dict[str, object]:
    return {
        "section": "review",
        "at": at,
        "page": None,
        "overview": queue.overview(viewer=request.user, at=at),
        "last": history.undoable(moderator=request.user, at=at),
    }


def _context(request: access.DeskRequest, case_id: int, *, at: datetime) -> dict[str, object]:
    page = _page(request, case_id, at=at)
    is_mine = page.is_held_by(request.user, at=at)
    return {
        "section": "review",
        "at": at,
        "page": page,
        "is_mine": is_mine,
        "holder": page.other_holder(request.user, at=at),
        "lease_seconds": settings.LEASE_SECONDS,
        "segments": evidence.text_segments(page, is_whole=False),
        "is_shortened": evidence.is_shortened(page),
        "view": None
        if page.is_score_hidden or page.case.score.ban_id
        else evidence.model_view(page.case.score),
        "author_facts": evidence.author_facts(page.record) if page.record else [],
        "address_facts": evidence.address_facts(page.record) if page.record else [],
        "journey": evidence.journey_marks(page.record) if page.record else [],
        "journey_words": evidence.journey_words(page.record) if page.record else "",
        "last": history.undoable(moderator=request.user, at=at),
    }
