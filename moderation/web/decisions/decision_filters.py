"""The filters of the decisions page."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from moderation.models import User
from moderation.models.decisions import AUTOMATIC_REASONS, DecisionSource, Verdict
from moderation.models.preferences import FilterPage
from moderation.queries.accounts import reasons
from moderation.queries.decisions.decision_pages import DecisionFilter
from moderation.web import days
from moderation.web.lists.filter_form import FilterForm, OptionField, options_of_users

EVERYONE, MINE, FILTER = "everyone", "mine", "filter"
_VERDICTS = (("", gettext_lazy("any")), *Verdict.choices)


class DecisionFilterForm(FilterForm):
    """The filters of the decisions page; a moderator's decisions are always their own."""

    page = FilterPage.DECISIONS
    q = forms.CharField(max_length=200, required=False, strip=True)
    verdict = forms.ChoiceField(choices=_VERDICTS, required=False)
    whose = OptionField("people")
    reason = OptionField("reasons")
    since = days.DayField(required=False)
    until = days.DayField(required=False)

    def __init__(self, *given: Any, viewer: User) -> None:
        super().__init__(*given)
        self._viewer = viewer

    @property
    def whose_value(self) -> str:
        """Whose decisions are shown: a choice of `people`, or the id of a user."""
        if not self._viewer.may_read_everyones_decisions:
            return MINE
        return str(self.given("whose") or EVERYONE)

    @property
    def is_everyone(self) -> bool:
        """True where decisions of several may stand side by side."""
        return self._viewer.may_read_everyones_decisions and self.whose_value in {EVERYONE, FILTER}

    @property
    def is_filtered(self) -> bool:
        """True where more than the person was chosen."""
        return any(value != "" for name, value in self.chosen.items() if name != "whose")

    def wanted(self) -> DecisionFilter:
        whose = self.whose_value
        since, until = self.window()
        return DecisionFilter(
            text=self.given("q"),
            verdict=self.given("verdict"),
            source=DecisionSource.AUTOMATIC.value if whose == FILTER else "",
            reason=self.given("reason"),
            user_id=self._viewer.pk if whose == MINE else int(whose) if whose.isdecimal() else None,
            since=since,
            until=until,
        )

    def people(self) -> list[tuple[str, str]]:
        """Return everybody whom a lead or an ML engineer may choose, as options."""
        fixed = [(EVERYONE, _("everyone")), (MINE, _("me")), (FILTER, _("the filter"))]
        return fixed + options_of_users()

    def reasons(self) -> list[tuple[str, str]]:
        """Return every reason that was ever offered, as options; those of automatic decisions with them."""
        automatic = AUTOMATIC_REASONS if self._viewer.may_read_everyones_decisions else {}
        return [("", _("any")), *((code, str(words)) for code, words in (self._offered | automatic).items())]

    @cached_property
    def reason_titles(self) -> dict[str, str]:
        """The words of each reason that a decision may have, by its code."""
        return self._offered | {code: str(words) for code, words in AUTOMATIC_REASONS.items()}

    @cached_property
    def _offered(self) -> dict[str, str]:
        return {reason.code: str(reason.shown_title) for reason in reasons.ever()}
