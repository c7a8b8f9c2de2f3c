"""The smallest change that would have changed the route of a post, in words."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from moderation.queries.cases.case_pages import hundredth, read_link
from moderation.web.quantities import count, duration, percent

_DAY_SECONDS = 86_400
_ROUTES = ("allow", "review", "remove")
_EVEN = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeLine:
    """A change around the word or domain it concerns, the probability it leads to, and what would follow.

    `subject` is untrusted: render it inert.
    """

    before: str
    subject: str
    after: str
    probability: float
    route: str


def line(
    stored: Mapping[str, Any] | None, *, probability: float, thresholds: Mapping[str, float]
) -> ChangeLine | None:
    """Return the words for a stored counterfactual of a post with this spam probability.

    None if none was computed or found, or if it would contradict the numbers beside it: an old one, one
    between two thresholds that are equal in whole per cent, or one after which the page would show the same
    number.
    """
    if not stored:
        return None
    phrases = _SAYS.get(str(stored.get("change")))
    after = float(stored.get("probability") or 0.0)
    if phrases is None or not _is_seen_to_cross(probability, after, str(stored.get("route")), thresholds):
        return None
    subject = str(stored.get("subject") or "")
    head, tail = phrases(stored.get("value_before"), stored.get("value_after"), subject)
    return ChangeLine(
        before=head,
        subject=subject,
        after=tail,
        probability=after,
        route=_routes()[str(stored.get("route"))],
    )


Values = Callable[[float | None, float | None, str], tuple[str, str]]


def _is_seen_to_cross(before: float, after: float, route: str, thresholds: Mapping[str, float]) -> bool:
    if not {"review_from", "remove_from"} <= thresholds.keys() or (before >= _EVEN and after > before):
        return False
    if percent(before) == percent(after):
        return False
    bounds = [hundredth(thresholds[name]) for name in ("review_from", "remove_from")]
    here, there = (
        _ROUTES[sum(hundredth(probability) >= bound for bound in bounds)] for probability in (before, after)
    )
    return here != there == route


def _routes() -> dict[str, str]:
    return {
        "allow": _("it would be let through"),
        "review": _("it would be sent to review"),
        "remove": _("it would be removed"),
    }


def _word(_before: float | None, _after: float | None, subject: str) -> tuple[str, str]:
    if read_link(subject):
        return _("Without the link"), ""
    return (_("Without the word") if any(map(str.isalnum, subject)) else _("Without the characters")), ""


def _age(before: float | None, after: float | None, _subject: str) -> tuple[str, str]:
    if before is None or after is None:
        return _("If the account had a different age"), ""
    ages = {"then": duration(after * _DAY_SECONDS), "now": duration(before * _DAY_SECONDS)}
    return _("With an account %(then)s old instead of %(now)s") % ages, ""


def _complaints(before: float | None, after: float | None, _subject: str) -> tuple[str, str]:
    numbers = {"then": count(after or 0), "now": count(before or 0)}
    words = ngettext(
        "With %(then)s complaint instead of %(now)s",
        "With %(then)s complaints instead of %(now)s",
        round(after or 0),
    )
    return words % numbers, ""


_SAYS: dict[str, Values] = {
    "word_removed": _word,
    "domain_not_seen": lambda *_values: (_("If"), _("had never been seen before")),
    "account_older": _age,
    "account_newer": _age,
    "fewer_complaints": _complaints,
    "author_without_spam": lambda *_values: (_("Without the author's earlier spam"), ""),
    "author_verified": lambda *_values: (_("If the author were verified"), ""),
    "author_not_verified": lambda *_values: (_("If the author were not verified"), ""),
    "address_without_spam": lambda *_values: (_("Without earlier spam from this address"), ""),
    "text_not_repeated": lambda *_values: (_("If nobody had posted nearly the same text"), ""),
}
