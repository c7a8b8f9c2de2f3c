"""What both pages of settings share: a form that saves what was changed, and who changed what."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext as _

from moderation.models import AuditEntry
from moderation.queries import audit
from moderation.queries.audit import AuditFilter
from moderation.web import quantities

_SHOWN = 20


class SettingsForm(forms.Form):
    """Remembers what it showed: what only others have changed meanwhile is not overwritten."""

    leads_change: frozenset[str] = frozenset()
    """Fields that are not for administrators alone."""

    def __init__(self, *values: Any, may_administer: bool, **named: Any) -> None:
        super().__init__(*values, **named)
        for name, field in self.fields.items():
            field.show_hidden_initial = True
            field.disabled = not may_administer and name not in self.leads_change

    def chosen(self) -> dict[str, Any]:
        """Return what was changed. Call after `is_valid`."""
        return {name: self.cleaned_data[name] for name in self.changed_data}


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """An entry of the audit log; `values` are what each setting is called, was and is."""

    entry: AuditEntry
    values: list[tuple[str, str, str]]


def changes(form: forms.Form, *, kind: str, subject_id: int) -> list[Change]:
    """Return the latest changes of a subject's settings, newest first, in the words of its form."""
    wanted = AuditFilter(subject_kind=kind, subject_id=str(subject_id))
    entries = [line.entry for line in audit.page(wanted=wanted, limit=_SHOWN).rows]
    return [
        Change(
            entry=entry,
            values=[
                (_label(form, name), _shown(form, name, old), _shown(form, name, entry.details.get(name)))
                for name, old in entry.details["before"].items()
            ],
        )
        for entry in entries
        if "before" in entry.details
    ]


def _label(form: forms.Form, name: str) -> str:
    return str(form.fields[name].label) if name in form.fields else name


def _shown(form: forms.Form, name: str, value: object) -> str:
    if value is None or value == "":
        return "\N{EN DASH}"
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, int | float):
        return quantities.percent(value) if name.endswith("share") else quantities.count(value)
    words = dict(getattr(form.fields.get(name), "choices", ()))
    if isinstance(value, list):
        return ", ".join(str(words.get(one, one)) for one in value) or "\N{EN DASH}"
    return str(words.get(value, value))
