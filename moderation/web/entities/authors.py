"""The list of authors and an author's page."""

from django import forms
from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from moderation.models.preferences import FilterPage
from moderation.queries.entities import authors
from moderation.queries.entities.authors import AuthorFilter
from moderation.queries.search import PostFilter
from moderation.web import access
from moderation.web.entities import entity
from moderation.web.lists import list_pages
from moderation.web.lists.filter_form import FilterForm

_STATES = (
    ("", _("Most judged spam")),
    ("all", _("All")),
    ("spam", _("Posted spam")),
    ("reported", _("Reported")),
    ("waiting", _("In the queue")),
)


class AuthorFilterForm(FilterForm):
    """The filters of the list of authors."""

    page = FilterPage.AUTHORS
    q = forms.CharField(max_length=200, required=False, strip=True)
    state = forms.ChoiceField(choices=_STATES, required=False)

    def wanted(self) -> AuthorFilter:
        return AuthorFilter(text=self.given("q"), state=self.given("state"))


@access.readers.get
def page(request: access.DeskRequest) -> HttpResponse:
    """Show the authors that match, or for htmx only the rows."""
    at = timezone.now()
    form = AuthorFilterForm(request.GET)
    cursor = request.GET.get("cursor", "")
    rows = authors.page(wanted=form.wanted(), viewer=request.user, cursor=cursor, at=at)
    context: dict[str, object] = {"section": "search", "at": at, "page": rows}
    return list_pages.answer(request, "entities/authors.html", context, form=form)


@access.readers.get
def author(request: access.DeskRequest, author_id: int) -> HttpResponse:
    """Show one author: what they posted, what became of it, which domains and addresses they used."""
    at = timezone.now()
    facts = authors.facts(author_id=author_id, viewer=request.user, at=at)
    more = {"section": "search", "is_of_author": True, "notes": authors.notes(author_id=author_id)}
    post_filter = PostFilter(author_id=author_id)
    return entity.page(request, "entities/author.html", more, facts=facts, wanted=post_filter, at=at)
