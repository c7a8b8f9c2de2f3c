"""What a moderator may send. Forms check and translate; they change nothing."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Any

from django import forms
from django.utils.translation import gettext as _

from moderation.models.cases import Verdict
from moderation.models.exports import ExportFormat
from moderation.operations.cases.shift import Choice
from moderation.queries.accounts import reasons


class DecideForm(forms.Form):
    """A verdict on the version of the case that was on the screen."""

    verdict = forms.ChoiceField(choices=Verdict.choices)
    case_version = forms.IntegerField(min_value=1)
    reason = forms.CharField(max_length=40, required=False)
    note = forms.CharField(max_length=2000, required=False, strip=True)
    idempotency_key = forms.UUIDField(required=False)

    def clean(self) -> dict[str, Any]:
        """Refuse a reason that the policy does not know, or that belongs to the other verdict."""
        cleaned = super().clean() or {}
        code = cleaned.get("reason")
        if not code:
            return cleaned
        reason = reasons.reason(code)
        if reason is None:
            self.add_error("reason", _("The policy no longer knows this reason."))
        elif reason.verdict != cleaned.get("verdict"):
            self.add_error("reason", _("This reason belongs to the other verdict."))
        elif reason.needs_note and not cleaned.get("note"):
            self.add_error("note", _("This reason needs a note."))
        return cleaned

    def choice(self) -> Choice:
        """Return what was chosen. Call after `is_valid`."""
        chosen = self.cleaned_data
        return Choice(
            verdict=Verdict(chosen["verdict"]),
            case_version=chosen["case_version"],
            reason=chosen["reason"],
            note=chosen["note"],
            idempotency_key=chosen["idempotency_key"],
        )

    def verdict_words(self) -> str:
        """Return the verdict in words. Call after `is_valid`."""
        return str(Verdict(self.cleaned_data["verdict"]).label)

    def first_error(self) -> str:
        """Return why nothing was decided."""
        if {"verdict", "case_version"} & set(self.errors):
            return _("That was not a verdict; the case is still here.")
        return str(next(iter(self.errors.values()))[0])


class HeldForm(forms.Form):
    """Cases that a page holds, "12,13", the one in front of it, and those whose decisions are on the way."""

    held = forms.CharField(max_length=400, required=False)
    leaving = forms.CharField(max_length=400, required=False)
    front = forms.IntegerField(required=False)
    page = forms.UUIDField(required=False)

    def clean_held(self) -> list[int]:
        """Return the ids; what is no number is no case."""
        return _ids(self.cleaned_data["held"])

    def clean_leaving(self) -> list[int]:
        """Return the ids, as of those held."""
        return _ids(self.cleaned_data["leaving"])


class EscalateForm(forms.Form):
    """What the lead should know."""

    note = forms.CharField(max_length=2000, required=False, strip=True)


class CorrectForm(forms.Form):
    """The verdict that should stand instead, and why."""

    verdict = forms.ChoiceField(choices=Verdict.choices)
    reason = forms.CharField(max_length=500, strip=True)
    code = forms.CharField(max_length=40, required=False)

    def clean_code(self) -> str:
        """Return a reason of the policy that belongs to the new verdict, "" for any other."""
        reason = reasons.reason(self.cleaned_data["code"])
        return reason.code if reason and reason.verdict == self.cleaned_data.get("verdict") else ""


class HistoryFilterForm(forms.Form):
    """The filters of the decisions page."""

    q = forms.CharField(max_length=200, required=False, strip=True)
    verdict = forms.ChoiceField(choices=[("", "Any verdict"), *Verdict.choices], required=False)
    whose = forms.ChoiceField(choices=[("", "Mine"), ("everyone", "Everyone's")], required=False)


class ExportForm(forms.Form):
    """A window of whole days in UTC; both ends included, either may be open."""

    since = forms.DateField(required=False)
    until = forms.DateField(required=False)
    format = forms.ChoiceField(choices=ExportFormat.choices, required=False)

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


def _ids(given: str) -> list[int]:
    return [int(part) for part in given.split(",") if part.isdecimal()]
