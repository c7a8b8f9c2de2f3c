"""The smallest change that would have sent a post another way, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from moderation.web.quantities import count, duration

_DAY_SECONDS = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeLine:
    """A change around the word or domain it concerns, the probability it leads to, and what would follow.

    `subject` was written by somebody else: print it inert. Nothing flips the route where `is_found` is False.
    """

    is_found: bool
    before: str = ""
    subject: str = ""
    after: str = ""
    probability: float = 0.0
    route: str = ""


def line(stored: Mapping[str, Any] | None) -> ChangeLine | None:
    """Say a stored counterfactual; None while none was looked for."""
    if stored is None:
        return None
    says = _SAYS.get(str(stored.get("change")))
    if says is None:
        return ChangeLine(is_found=False)
    before, after = says(stored.get("value_before"), stored.get("value_after"))
    return ChangeLine(
        is_found=True,
        before=before,
        subject=str(stored.get("subject") or ""),
        after=after,
        probability=float(stored.get("probability") or 0.0),
        route=_routes().get(str(stored.get("route")), ""),
    )


Values = Callable[[float | None, float | None], tuple[str, str]]


def _routes() -> dict[str, str]:
    return {
        "allow": _("it would be let through"),
        "review": _("a human would decide"),
        "remove": _("it would be removed"),
    }


def _age(before: float | None, after: float | None) -> tuple[str, str]:
    if before is None or after is None:
        return _("With an account of another age"), ""
    ages = {"then": duration(after * _DAY_SECONDS), "now": duration(before * _DAY_SECONDS)}
    return _("With an account %(then)s old instead of %(now)s") % ages, ""


def _complaints(before: float | None, after: float | None) -> tuple[str, str]:
    numbers = {"then": count(after or 0), "now": count(before or 0)}
    words = ngettext(
        "With %(then)s complaint instead of %(now)s",
        "With %(then)s complaints instead of %(now)s",
        round(after or 0),
    )
    return words % numbers, ""


_SAYS: dict[str, Values] = {
    "word_removed": lambda *_values: (_("Without the word"), ""),
    "domain_not_seen": lambda *_values: (_("If"), _("had never been seen before")),
    "account_older": _age,
    "account_newer": _age,
    "fewer_complaints": _complaints,
    "another_complaint": lambda *_values: (_("With one complaint more"), ""),
    "author_without_spam": lambda *_values: (_("Without the author's earlier spam"), ""),
    "author_verified": lambda *_values: (_("If the platform had verified the author"), ""),
    "author_not_verified": lambda *_values: (_("If the platform had not verified the author"), ""),
    "address_without_spam": lambda *_values: (_("Without earlier spam from this address"), ""),
    "text_not_repeated": lambda *_values: (_("If nobody had posted nearly the same text"), ""),
}
