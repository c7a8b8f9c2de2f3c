"""Query parameters of lists; invalid values mean no filter."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from moderation.models.cases import CaseReason
from moderation.models.fields import name_of
from moderation.models.saved_filters import FilterPage
from moderation.queries.cases.queue_filter import BUCKETS, QueueFilter, Sort
from moderation.queries.entities.authors import AuthorFilter
from moderation.queries.search import PostFilter

SORTS = (
    (Sort.HARM.value, _("expected harm")),
    (Sort.UNCERTAINTY.value, _("uncertainty")),
    (Sort.NEWEST.value, _("newest")),
    (Sort.REPORTED.value, _("most reported")),
)
POST_STATES = (
    ("", _("All")),
    ("waiting", _("In the queue")),
    ("spam", _("Spam")),
    ("not_spam", _("Not spam")),
    ("reported", _("Reported")),
    ("unscored", _("Not scored yet")),
)
AUTHOR_STATES = (
    ("", _("All")),
    ("spam", _("Posted spam")),
    ("reported", _("Reported")),
    ("waiting", _("In the queue")),
)


class Lenient(forms.Form):
    """A form of filters: invalid values count as not given."""

    def given(self, name: str) -> Any:
        """Return a cleaned value, "" if it is missing or invalid."""
        self.is_valid()
        return self.cleaned_data.get(name) or ""


class ReasonField(forms.ChoiceField):
    """A case's reason; filters that were saved or bookmarked may hold its earlier name."""

    def to_python(self, value: Any) -> str:
        """Return the reason by its name of today."""
        return name_of(super().to_python(value))


class QueueFilterForm(Lenient):
    """The queue's filters and order."""

    queue = forms.IntegerField(min_value=1, max_value=2**63 - 1, required=False)
    reason = ReasonField(choices=CaseReason.choices, required=False)
    language = forms.CharField(max_length=16, required=False)
    domain = forms.CharField(max_length=255, required=False)
    campaign = forms.IntegerField(min_value=1, max_value=2**63 - 1, required=False)
    age = forms.IntegerField(min_value=0, max_value=len(BUCKETS) - 1, required=False)
    sort = forms.ChoiceField(choices=SORTS, required=False)

    def wanted(self) -> QueueFilter:
        """Return the filter."""
        age = self.given("age")
        return QueueFilter(
            reason=self.given("reason"),
            language=self.given("language"),
            domain=self.given("domain"),
            campaign=self.given("campaign") or None,
            age=self.cleaned_data.get("age") if age == "" else age,
            sort=Sort(self.given("sort") or Sort.HARM),
        )


class PostFilterForm(Lenient):
    """The filters of the list of posts; days are whole and in UTC, both ends included."""

    q = forms.CharField(max_length=200, required=False, strip=True)
    answers_to = forms.CharField(max_length=200, required=False)
    state = forms.ChoiceField(choices=POST_STATES, required=False)
    language = forms.CharField(max_length=16, required=False)
    domain = forms.CharField(max_length=255, required=False)
    address = forms.CharField(max_length=64, required=False)
    since = forms.DateField(required=False)
    until = forms.DateField(required=False)

    def wanted(self) -> PostFilter:
        """Return the filter."""
        since, until = self.given("since"), self.given("until")
        return PostFilter(
            text=self.given("q"),
            answers_to=self.given("answers_to"),
            state=self.given("state"),
            language=self.given("language"),
            domain=self.given("domain").lower(),
            address=self.given("address"),
            since=datetime.combine(since, time.min, UTC) if since else None,
            until=datetime.combine(until + timedelta(days=1), time.min, UTC) if until else None,
        )


class AuthorFilterForm(Lenient):
    """The filters of the list of authors."""

    q = forms.CharField(max_length=200, required=False, strip=True)
    state = forms.ChoiceField(choices=AUTHOR_STATES, required=False)

    def wanted(self) -> AuthorFilter:
        """Return the filter."""
        return AuthorFilter(text=self.given("q"), state=self.given("state"))


class DomainFilterForm(Lenient):
    """The filters of the list of domains."""

    q = forms.CharField(max_length=255, required=False, strip=True)
    which = forms.ChoiceField(choices=(("banned", ""), ("all", "")), required=False)


class KeepFilterForm(forms.Form):
    """A name for the filters of a list."""

    page = forms.ChoiceField(choices=FilterPage.choices)
    name = forms.CharField(max_length=60, strip=True)
    query = forms.CharField(max_length=2000, required=False)
