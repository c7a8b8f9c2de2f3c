"""Forms of the page of random labels."""

from __future__ import annotations

from typing import Any

from django import forms

from moderation.models.platforms import Reconsidering


class DrawForm(forms.Form):
    """How many posts to draw, of how many days; the page names the request."""

    posts = forms.IntegerField()
    days = forms.IntegerField()
    idempotency_key = forms.UUIDField(required=False)


class SamplingForm(forms.Form):
    """Limits of a platform's audit sample, and its settings for histories and reconsideration."""

    first_percent = forms.IntegerField(min_value=0, max_value=100, required=False)
    cases_per_day = forms.IntegerField(min_value=1, max_value=100_000)
    reconsiders = forms.ChoiceField(choices=Reconsidering.choices)
    shares_histories = forms.BooleanField(required=False)

    def chosen(self) -> dict[str, Any]:
        """Return the choices as `platforms.sample` takes them. Call after `is_valid`."""
        percent = self.cleaned_data["first_percent"]
        return {
            "first_share": None if percent is None else percent / 100,
            "cases_per_day": self.cleaned_data["cases_per_day"],
            "reconsiders": Reconsidering(self.cleaned_data["reconsiders"]),
            "shares_histories": self.cleaned_data["shares_histories"],
        }
