"""The list of domains and a domain's page."""

from django import forms
from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from moderation.models.preferences import FilterPage
from moderation.queries.entities import domains
from moderation.queries.search import PostFilter
from moderation.web import access
from moderation.web.entities import entity
from moderation.web.lists import list_pages
from moderation.web.lists.filter_form import FilterForm

_WHICH = (
    ("", _("Most linked")),
    ("all", _("All, by name")),
    ("banned", _("Banned")),
)


class DomainFilterForm(FilterForm):
    """The filters of the list of domains."""

    page = FilterPage.DOMAINS
    q = forms.CharField(max_length=255, required=False, strip=True)
    which = forms.ChoiceField(choices=_WHICH, required=False)


@access.readers.get
def page(request: access.DeskRequest) -> HttpResponse:
    """List domains: the most posted ones, those that match a search, or the banned ones."""
    at = timezone.now()
    form = DomainFilterForm(request.GET)
    text, which = form.given("q"), form.given("which")
    cursor = request.GET.get("cursor", "")
    rows = domains.page(viewer=request.user, text=text, which=which, cursor=cursor, at=at)
    context: dict[str, object] = {"section": "search", "at": at, "page": rows, "sample": domains.SAMPLE}
    return list_pages.answer(request, "entities/domains.html", context, form=form)


@access.readers.get
def domain(request: access.DeskRequest, name: str) -> HttpResponse:
    """Show one domain: its posts, its hosts, what a rule would have hit, and the rules so far."""
    at = timezone.now()
    facts = domains.facts(name=name, viewer=request.user, at=at)
    post_filter = PostFilter(domain=facts.target.domain)
    more = {"section": "search"}
    return entity.page(request, "entities/domain.html", more, facts=facts, wanted=post_filter, at=at)
