"""The filters of the audit log."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext as _

from moderation.queries.audit.audit_pages import AuditFilter
from moderation.web import days
from moderation.web.audit.audit_actions import ACTIONS
from moderation.web.lists.filter_form import FilterForm, OptionField, options_of_users

_SYSTEM = "system"


class AuditFilterForm(FilterForm):
    """The filters of the audit log; `about` is a kind and an id, "case:12"."""

    by = OptionField("people")
    action = OptionField("actions")
    about = forms.CharField(max_length=90, required=False)
    since = days.DayField(required=False)
    until = days.DayField(required=False)

    def wanted(self) -> AuditFilter:
        by = self.given("by")
        kind, _colon, subject_id = self.given("about").partition(":")
        since, until = self.window()
        return AuditFilter(
            actor_id=int(by) if by.isdecimal() else None,
            is_system=by == _SYSTEM,
            action=self.given("action"),
            subject_kind=kind,
            subject_id=subject_id,
            since=since,
            until=until,
        )

    def people(self) -> list[tuple[str, str]]:
        """Return everybody, as options."""
        return [("", _("anybody")), (_SYSTEM, _("the system")), *options_of_users()]

    def actions(self) -> list[tuple[str, str]]:
        """Return every act, by its words, as options."""
        named = [(code, str(words)) for code, words in ACTIONS.items()]
        return [("", _("any")), *sorted(named, key=lambda one: one[1].casefold())]
