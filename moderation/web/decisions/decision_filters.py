"""The filters of the decisions page."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django import forms
from django.utils.translation import gettext as _

from moderation.models import User
from moderation.models.decisions import DecisionSource, Verdict
from moderation.queries.accounts import reasons, users
from moderation.queries.decisions.decision_pages import HistoryFilter

EVERYONE, MINE, FILTER = "everyone", "mine", "filter"


class HistoryFilterForm(forms.Form):
    """What of the decisions to show. What no filter knows is no filter."""

    whose = forms.CharField(max_length=20, required=False)
    verdict = forms.ChoiceField(choices=[("", ""), *Verdict.choices], required=False)
    reason = forms.CharField(max_length=40, required=False)
    since = forms.DateField(required=False)
    until = forms.DateField(required=False)
    q = forms.CharField(max_length=200, required=False, strip=True)

    def __init__(self, *given: Any, viewer: User) -> None:
        super().__init__(*given)
        self._viewer = viewer
        self.is_valid()

    @property
    def is_everyone(self) -> bool:
        """True where decisions of several may stand side by side."""
        return self._viewer.may_lead and self._whose() in {EVERYONE, FILTER}

    @property
    def is_filtered(self) -> bool:
        """True where more than the person was chosen."""
        return any(self._given(name) for name in ("verdict", "reason", "since", "until", "q"))

    def wanted(self) -> HistoryFilter:
        """Return the filter of the query string."""
        whose = self._whose()
        user_id = self._viewer.pk if whose == MINE else int(whose) if whose.isdecimal() else None
        return HistoryFilter(
            text=self._given("q") or "",
            verdict=self._given("verdict") or "",
            source=DecisionSource.AUTOMATIC.value if whose == FILTER else "",
            reason=self._given("reason") or "",
            user_id=user_id,
            since=_start(self._given("since")),
            until=_start(self._given("until"), days=1),
        )

    def people(self) -> list[tuple[str, str, bool]]:
        """Return value, name and whether it is chosen, of everybody a lead may choose."""
        choices = [(EVERYONE, _("everyone")), (MINE, _("me")), (FILTER, _("the filter"))]
        choices += [(str(user.pk), user.get_full_name() or user.username) for user in users.by_name()]
        return [(value, name, value == self._whose()) for value, name in choices]

    def reasons(self) -> list[tuple[str, str, bool]]:
        """Return code, title and whether it is chosen, of every reason that was ever offered."""
        return [
            (reason.code, reason.title, reason.code == self._given("reason")) for reason in reasons.ever()
        ]

    def _whose(self) -> str:
        if not self._viewer.may_lead:
            return MINE
        given = self._given("whose") or EVERYONE
        is_known = given in {EVERYONE, MINE, FILTER} or (given.isdecimal() and int(given) < 2**63)
        return given if is_known else EVERYONE

    def _given(self, name: str) -> Any:
        return self.cleaned_data.get(name)


def _start(day: date | None, *, days: int = 0) -> datetime | None:
    """Return when a day begins, or one so many days later; a day beyond the calendar has no beginning."""
    if day is None or day.year in {1, 9999}:
        return None
    return datetime.combine(day, time.min, UTC) + timedelta(days=days)
