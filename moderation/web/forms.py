"""Forms of moderators. They validate; they change nothing."""

from datetime import datetime
from typing import Any

from django import forms
from django.contrib.postgres.forms import SimpleArrayField
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from moderation.models.decisions import Verdict
from moderation.models.exports import ExportFormat
from moderation.operations.cases.shift import Choice
from moderation.queries.accounts import reasons
from moderation.web import days


class VerdictForm(forms.Form):
    """A verdict with its reason and a note."""

    verdict = forms.ChoiceField(choices=Verdict.choices)
    reason = forms.CharField(max_length=40, required=False)
    note = forms.CharField(max_length=2000, required=False, strip=True)

    def clean(self) -> dict[str, Any]:
        """Refuse a reason that nobody offers, that belongs to the other verdict, or that lacks its note."""
        cleaned = super().clean() or {}
        reason = reasons.reason(cleaned["reason"]) if cleaned.get("reason") else None
        if cleaned.get("reason") and reason is None:
            self.add_error("reason", _("This reason no longer exists."))
        elif reason and reason.verdict != cleaned.get("verdict"):
            self.add_error("reason", _("This reason belongs to the other verdict."))
        elif reason and reason.needs_note and not cleaned.get("note"):
            self.add_error("note", _("This reason needs a note."))
        return cleaned


class DecideForm(VerdictForm):
    """A verdict on the shown version of the case."""

    case_version = forms.IntegerField(min_value=1)
    idempotency_key = forms.UUIDField(required=False)

    def choice(self) -> Choice:
        """Return the choice. Call after `is_valid`."""
        fields = self.cleaned_data
        return Choice(
            verdict=Verdict(fields["verdict"]),
            case_version=fields["case_version"],
            reason=fields["reason"],
            note=fields["note"],
            idempotency_key=fields["idempotency_key"],
        )

    def verdict_words(self) -> str:
        """Return the verdict in words. Call after `is_valid`."""
        return str(Verdict(self.cleaned_data["verdict"]).label)

    def first_error(self) -> str:
        """Return the first error of the form."""
        if {"verdict", "case_version"} & set(self.errors):
            return _("No valid verdict was sent; the case is still open.")
        return first_error(self)


class HeldForm(forms.Form):
    """Cases of a page, as "12,13": the claimed ones, the current one, and those with decisions in flight."""

    held = forms.CharField(max_length=400, required=False)
    leaving = forms.CharField(max_length=400, required=False)
    current = forms.IntegerField(required=False)
    page = forms.UUIDField(required=False)

    def clean_held(self) -> list[int]:
        """Return the ids; anything else is ignored."""
        return _ids(self.cleaned_data["held"])

    def clean_leaving(self) -> list[int]:
        """Return the ids, like `clean_held`."""
        return _ids(self.cleaned_data["leaving"])


class EscalateForm(forms.Form):
    """The note for the leads."""

    note = forms.CharField(max_length=2000, required=False, strip=True)


class NoteForm(forms.Form):
    """What the next person should know."""

    note = forms.CharField(max_length=2000, strip=True)


class ReasonedForm(forms.Form):
    """A verdict that replaces another, with the code of its reason."""

    verdict = forms.ChoiceField(choices=Verdict.choices)
    code = forms.CharField(max_length=40, required=False)

    def clean_code(self) -> str:
        """Return an active reason of the verdict, "" for any other."""
        reason = reasons.reason(self.cleaned_data["code"])
        return reason.code if reason and reason.verdict == self.cleaned_data.get("verdict") else ""


class CorrectForm(ReasonedForm):
    """The correct verdict, and why."""

    reason = forms.CharField(max_length=500, strip=True)


class ExportForm(forms.Form):
    """A window of whole days; both ends included, either may be open."""

    since = days.DayField(required=False)
    until = days.DayField(required=False)
    format = forms.ChoiceField(choices=ExportFormat.choices, required=False)

    def clean(self) -> dict[str, Any]:
        """Refuse a window that ends before it begins."""
        cleaned = super().clean() or {}
        since, until = days.window(cleaned.get("since"), cleaned.get("until"))
        if since and until and until <= since:
            self.add_error("until", "The last day is before the first.")
        return cleaned

    def window(self) -> tuple[datetime | None, datetime | None]:
        """Return the instants [since, until) of the chosen days. Call after `is_valid`."""
        return days.window(self.cleaned_data["since"], self.cleaned_data["until"])


class LanguagesField(SimpleArrayField):
    """Codes of languages with commas between, such as "de, en"; small letters, each once."""

    def __init__(self) -> None:
        errors = {"invalid": gettext_lazy("Enter codes such as de or pt-br, separated by commas.")}
        code = forms.RegexField(r"^[a-z]{2,3}(-[a-z0-9]{2,8})*$", max_length=16, error_messages=errors)
        super().__init__(code, required=False, max_length=40)
        # Else the message would begin with the position of the wrong code.
        self.error_messages["item_invalid"] = ""

    def clean(self, value: object) -> list[str]:
        codes = super().clean(str(value or "").lower().replace(" ", ""))
        return list(dict.fromkeys(codes))


class ManyForm(VerdictForm):
    """A verdict on many posts at once; their number confirms it."""

    confirmed_count = forms.IntegerField(required=False)


def first_error(form: forms.Form) -> str:
    """Return the first error of an invalid form."""
    return str(next(iter(form.errors.values()))[0])


def _ids(given: str) -> list[int]:
    return [int(part) for part in given.split(",") if part.isdecimal()]
