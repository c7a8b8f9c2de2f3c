"""What a moderator may send. Forms check and translate; they change nothing."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Any

from django import forms

from moderation.models.cases import Verdict


class DecideForm(forms.Form):
    """A verdict on the version of the case that was on the screen."""

    verdict = forms.ChoiceField(choices=Verdict.choices)
    case_version = forms.IntegerField(min_value=1)


class EscalateForm(forms.Form):
    """What the lead should know."""

    note = forms.CharField(max_length=2000, required=False, strip=True)


class CorrectForm(forms.Form):
    """The verdict that should stand instead, and why."""

    verdict = forms.ChoiceField(choices=Verdict.choices)
    reason = forms.CharField(max_length=500, strip=True)


class HistoryFilterForm(forms.Form):
    """The filters of the decisions page."""

    q = forms.CharField(max_length=200, required=False, strip=True)
    verdict = forms.ChoiceField(choices=[("", "Any verdict"), *Verdict.choices], required=False)
    whose = forms.ChoiceField(choices=[("", "Mine"), ("everyone", "Everyone's")], required=False)


class ExportForm(forms.Form):
    """A window of whole days in UTC; both ends included, either may be open."""

    since = forms.DateField(required=False)
    until = forms.DateField(required=False)

    def clean(self) -> dict[str, Any]:
        """Refuse a window that ends before it begins."""
        cleaned = super().clean() or {}
        since, until = cleaned.get("since"), cleaned.get("until")
        if since and until and until < since:
            self.add_error("until", "The last day is before the first.")
        return cleaned

    def window(self) -> tuple[datetime | None, datetime | None]:
        """Return the instants [since, until) of the chosen days. Call after `is_valid`."""
        since, until = self.cleaned_data["since"], self.cleaned_data["until"]
        return (
            datetime.combine(since, time.min, UTC) if since else None,
            datetime.combine(until + timedelta(days=1), time.min, UTC) if until else None,
        )


class ComfortForm(forms.Form):
    """How the desk behaves in this browser."""

    theme = forms.ChoiceField(
        choices=[("", "As the system says"), ("light", "Light"), ("dark", "Dark")], required=False
    )
    keys = forms.ChoiceField(choices=[("", "On"), ("off", "Off")], required=False)
