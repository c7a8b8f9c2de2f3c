"""The filters of the list of authors."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from moderation.models.saved_filters import FilterPage
from moderation.queries.entities.authors import AuthorFilter
from moderation.web.lists.filter_form import FilterForm

_STATES = (
    ("", _("All")),
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
