"""The filters of the list of posts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from moderation.models.preferences import FilterPage
from moderation.queries.policies import policy_pages
from moderation.queries.search import PostFilter
from moderation.web import days
from moderation.web.lists.filter_form import FilterForm, OptionField

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

_STATES = (
    ("", _("All")),
    ("waiting", _("In the queue")),
    ("spam", _("Spam")),
    ("not_spam", _("Not spam")),
    ("reported", _("Reported")),
    ("unscored", _("Not scored yet")),
)


class PostFilterForm(FilterForm):
    """The filters of the list of posts; days are whole and in UTC, both ends included."""

    page = FilterPage.POSTS
    q = forms.CharField(max_length=200, required=False, strip=True)
    answers_to = forms.CharField(max_length=200, required=False)
    state = forms.ChoiceField(choices=_STATES, required=False)
    language = forms.CharField(max_length=16, required=False)
    domain = forms.CharField(max_length=255, required=False)
    policy = OptionField("policies")
    address = forms.CharField(max_length=64, required=False)
    since = days.DayField(required=False)
    until = days.DayField(required=False)

    def policies(self) -> list[tuple[str, StrOrPromise]]:
        """Return the policies in words that are in force."""
        return [("", _("any")), *policy_pages.options(at=timezone.now())]

    def wanted(self) -> PostFilter:
        since, until = self.window()
        return PostFilter(
            text=self.given("q"),
            answers_to=self.given("answers_to"),
            state=self.given("state"),
            language=self.given("language"),
            domain=self.given("domain").lower(),
            address=self.given("address"),
            policy=int(self.given("policy")) if self.given("policy") else None,
            since=since,
            until=until,
        )
