"""The audit log, for leads and administrators."""

from django import forms
from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from moderation.models import AuditEntry
from moderation.queries import audit
from moderation.queries.audit import AuditFilter
from moderation.web import access, days
from moderation.web.audit.audit_actions import ACTIONS
from moderation.web.lists import list_pages
from moderation.web.lists.filter_form import FilterForm, OptionField, options_of_users

_PEOPLE, _EVERYONE, _SYSTEM = "people", "everyone", "system"


class AuditFilterForm(FilterForm):
    """The filters of the audit log; `about` is a kind and an id, "case:12"."""

    by = OptionField("people")
    action = OptionField("actions")
    about = forms.CharField(max_length=90, required=False)
    since = days.DayField(required=False)
    until = days.DayField(required=False)

    @property
    def by_value(self) -> str:
        """Whose entries are shown; without any filter people's, which are few among the system's."""
        return str(self.given("by") or (_EVERYONE if self.is_filtered_besides("by") else _PEOPLE))

    def wanted(self) -> AuditFilter:
        by = self.by_value
        kind, _colon, subject_id = self.given("about").partition(":")
        since, until = self.window()
        return AuditFilter(
            actor_id=int(by) if by.isdecimal() else None,
            is_system=by == _SYSTEM,
            is_people=by == _PEOPLE,
            action=self.given("action"),
            subject_kind=kind,
            subject_id=subject_id,
            since=since,
            until=until,
        )

    def people(self) -> list[tuple[str, str]]:
        """Return everybody, as options."""
        fixed = [(_PEOPLE, _("people")), (_EVERYONE, _("everyone")), (_SYSTEM, _("the system"))]
        return fixed + options_of_users()

    def actions(self) -> list[tuple[str, str]]:
        """Return every act, by its words, as options."""
        options = [(code, str(words)) for code, words in ACTIONS.items()]
        return [("", _("all")), *sorted(options, key=lambda option: option[1].casefold())]


_LONGEST_DETAILS = 300


@access.leads.get
def page(request: access.DeskRequest) -> HttpResponse:
    """Show who did what when, and the state of the chain; for htmx only the rows."""
    form = AuditFilterForm(request.GET)
    entries = audit.page(wanted=form.wanted(), cursor=request.GET.get("cursor", ""))
    context = {
        "section": "manage",
        "at": timezone.now(),
        "lines": [(line, ACTIONS.get(line.entry.action, ""), _details(line.entry)) for line in entries.rows],
        "page": entries,
    }
    if not request.htmx:
        context["chain"] = audit.chain_state()
    return list_pages.answer(request, "audit/audit.html", context, form=form)


def _details(entry: AuditEntry) -> str:
    """Return an entry's details as one line."""
    line = ", ".join(f"{name}: {value}" for name, value in entry.details.items() if value not in (None, ""))
    return line if len(line) <= _LONGEST_DETAILS else f"{line[:_LONGEST_DETAILS]}…"
