"""The filters and the order of the queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from moderation.models.cases import CaseReason
from moderation.models.preferences import FilterPage
from moderation.queries.cases.queue_filter import BUCKETS, QueueFilter, Sort
from moderation.queries.policies import policy_pages
from moderation.web.lists.filter_form import FilterForm, OptionField

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

SORTS = (
    (Sort.HARM.value, _("likely spam with wide reach")),
    (Sort.UNCERTAINTY.value, _("uncertainty")),
    (Sort.NEWEST.value, _("newest")),
    (Sort.REPORTED.value, _("most reported")),
)
_LARGEST_ID = 2**63 - 1


class QueueFilterForm(FilterForm):
    """The queue's filters and order."""

    page = FilterPage.QUEUE
    queue = forms.IntegerField(min_value=1, max_value=_LARGEST_ID, required=False)
    reason = forms.ChoiceField(choices=CaseReason.choices, required=False)
    language = forms.CharField(max_length=16, required=False)
    domain = forms.CharField(max_length=255, required=False)
    campaign = forms.IntegerField(min_value=1, max_value=_LARGEST_ID, required=False)
    policy = OptionField("policies")
    age = forms.IntegerField(min_value=0, max_value=len(BUCKETS) - 1, required=False)
    sort = forms.ChoiceField(choices=SORTS, required=False)

    def policies(self) -> list[tuple[str, StrOrPromise]]:
        """Return the active policies in words."""
        return [("", _("any")), *policy_pages.options(at=timezone.now())]

    def wanted(self) -> QueueFilter:
        age = self.given("age")
        return QueueFilter(
            reason=self.given("reason"),
            language=self.given("language"),
            domain=self.given("domain"),
            campaign=self.given("campaign") or None,
            policy=int(self.given("policy")) if self.given("policy") else None,
            age=None if age == "" else age,
            sort=Sort(self.given("sort") or Sort.HARM),
        )
