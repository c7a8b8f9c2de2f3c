"""The filters of the list of domains."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from moderation.models.saved_filters import FilterPage
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
