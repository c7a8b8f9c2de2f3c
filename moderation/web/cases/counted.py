"""The list behind a count on the review page."""

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from moderation.queries.cases import case_pages, counted
from moderation.queries.cases.counted import Counted
from moderation.web import access

_TITLES = {
    Counted.AUTHOR: _("Earlier posts of the author"),
    Counted.ADDRESS: _("Earlier posts from the address"),
    Counted.NETWORK: _("Earlier posts from the network"),
    Counted.PROVIDER: _("Earlier posts from the provider"),
    Counted.MAIL: _("Earlier posts from the author's email domain"),
    Counted.DOMAIN: _("Earlier posts with the domain"),
    Counted.SIMILAR: _("Earlier near-duplicates"),
    Counted.RESEMBLING: _("Earlier posts of similar accounts"),
}


@access.readers.get
def page(request: access.DeskRequest, case_id: int, kind: str) -> HttpResponse:
    """Show the posts behind a count on a case; not while the case is judged blindly."""
    at = timezone.now()
    case_page = case_pages.case_page(case_id=case_id, viewer=request.user, at=at)
    domain = request.GET.get("domain", "")
    try:
        counted_by = Counted(kind)
        if case_page.is_score_hidden:
            raise Http404("What the models counted is shown after the decision.")
        posts = counted.posts(page=case_page, counted=counted_by, domain=domain, viewer=request.user)
    except (ValueError, counted.NotCounted) as refusal:
        raise Http404(str(refusal)) from refusal
    context = {
        "section": "queue",
        "at": at,
        "case": case_page.case,
        "title": _TITLES[counted_by],
        "subject": domain if counted_by is Counted.DOMAIN else "",
        "found": posts,
    }
    return render(request, "cases/counted.html", context)
