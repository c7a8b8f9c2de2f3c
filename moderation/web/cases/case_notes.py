"""Notes on a case, requests for a second opinion, and the notes that name the reader or their role."""

from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from moderation.operations.cases import notes, second_review
from moderation.queries import case_access
from moderation.queries.cases import case_pages, mention_pages
from moderation.queries.cases.mention_pages import MentionName
from moderation.web import access
from moderation.web.forms import EscalateForm, NoteForm

_LONGEST_NAME = 150


@access.deciders.post
def note(request: access.DeskRequest, case_id: int) -> HttpResponse:
    """Leave a note on the case; htmx gets all notes in answer."""
    case, form, at = case_access.visible(request.user).get(pk=case_id), NoteForm(request.POST), timezone.now()
    if form.is_valid():
        with access.refusals_told(request):
            notes.write(case=case, author=request.user, text=form.cleaned_data["note"], at=at)
    if not request.htmx:
        return redirect("case", case_id=case_id)
    context = {"case": case, "notes": case_pages.notes(case), "at": at}
    return render(request, "cases/_case_notes.html", context)


@access.deciders.post
def ask_second(request: access.DeskRequest, case_id: int) -> HttpResponse:
    """Request a second review of the post, and show its page."""
    case, form = case_access.visible(request.user).get(pk=case_id), EscalateForm(request.POST)
    text = form.cleaned_data["note"] if form.is_valid() else ""
    with access.refusals_told(request, done=_("A second person will review this post.")):
        second_review.ask(case_id=case_id, asked_by=request.user, text=text, at=timezone.now())
    return redirect("post", post_id=case.post_id)


@access.deciders.get
def mentions(request: access.DeskRequest) -> HttpResponse:
    """List the notes that wait for the reader, or with `?state=done` those that are done."""
    is_done = request.GET.get("state") == "done"
    state = "done" if is_done else "open"
    found = mention_pages.page(viewer=request.user, is_done=is_done, cursor=request.GET.get("cursor", ""))
    context = {
        "section": "mentions",
        "at": timezone.now(),
        "state": state,
        "query": f"state={state}",
        "page": found,
    }
    return render(request, "cases/mentions.html", context)


@access.deciders.get
def mention_names(request: access.DeskRequest) -> HttpResponse:
    """Return the names that complete what was typed after an @, as JSON."""
    start = request.GET.get("start", "")[:_LONGEST_NAME]
    people = mention_pages.beginning(start, viewer=request.user)
    return JsonResponse({"names": [{"name": person.name, "told": _told(person)} for person in people]})


@access.deciders.post
def mention_done(request: access.DeskRequest, mention_id: int) -> HttpResponse:
    """Mark a note as done."""
    notes.settle(mention_id=mention_id, by=request.user, at=timezone.now())
    return redirect("mentions")


def _told(one: MentionName) -> str:
    return _("everyone with the role %(role)s") % {"role": one.told} if one.role else one.told
