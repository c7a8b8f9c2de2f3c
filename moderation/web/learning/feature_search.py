"""Posts by the value that a feature had when they were scored."""

from datetime import datetime, timedelta

from django import forms
from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from moderation.queries.learning import feature_search
from moderation.queries.learning.feature_search import KNOWN, Comparison, FeatureFilter
from moderation.web import access, days
from moderation.web.lists import list_pages
from moderation.web.lists.filter_form import FilterForm

LONGEST = timedelta(days=7)
"""Of scores that are searched at once: each is read."""

_COMPARISONS = (
    (Comparison.AT_LEAST.value, _("at least")),
    (Comparison.AT_MOST.value, _("at most")),
    (Comparison.UNKNOWN.value, _("unknown")),
)


class FeatureForm(FilterForm):
    """A feature, how its value compares, and days; without a first day the last day."""

    feature = forms.ChoiceField(choices=[(name, name) for name in KNOWN], required=False)
    compared = forms.ChoiceField(choices=_COMPARISONS, required=False)
    value = forms.FloatField(required=False)
    since = days.DayField(required=False)
    until = days.DayField(required=False)

    def wanted(self, *, at: datetime) -> FeatureFilter | None:
        """Return the filter, None without a feature or a value; of a longer period its end."""
        feature, compared = self.given("feature"), self.given("compared") or Comparison.AT_LEAST.value
        value = self.given("value")
        if not feature or (value == "" and compared != Comparison.UNKNOWN):
            return None
        since, until = self.window()
        end = until or at
        return FeatureFilter(
            feature=feature,
            comparison=Comparison(compared),
            value=float(value or 0.0),
            since=max(since or end - timedelta(days=1), end - LONGEST),
            until=end,
        )


@access.exporters.get
def page(request: access.DeskRequest) -> HttpResponse:
    """Show the posts, the latest score first, or for htmx only the rows."""
    at = timezone.now()
    form = FeatureForm(request.GET)
    wanted = form.wanted(at=at)
    context: dict[str, object] = {"section": "models", "at": at, "wanted": wanted}
    if wanted:
        found = feature_search.posts(wanted=wanted, cursor=request.GET.get("cursor", ""))
        context |= {"found": found, "page": found.page}
    return list_pages.answer(request, "learning/feature_search.html", context, form=form)
