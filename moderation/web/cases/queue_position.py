"""Why a case has its position in the queue, in words."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from moderation.models.cases import CaseReason
from moderation.queries.cases.queue import QueueRow
from moderation.queries.cases.queue_filter import Sort
from moderation.web import quantities

_REASONS = {
    CaseReason.UNCERTAIN: gettext_lazy("Not sure enough to remove"),
    CaseReason.DEGRADED: gettext_lazy("Text not read"),
    CaseReason.AUDIT: gettext_lazy("Audit sample"),
    CaseReason.COMPLAINTS: gettext_lazy("Complaints"),
    CaseReason.EVIDENCE: gettext_lazy("Link or picture"),
    CaseReason.REVISED: gettext_lazy("Edited after a decision"),
    CaseReason.ESCALATED: gettext_lazy("Escalated"),
    CaseReason.CAMPAIGN: gettext_lazy("Campaign sample"),
    CaseReason.CONFLICT: gettext_lazy("Differs from its campaign"),
    CaseReason.APPEALED: gettext_lazy("Disputed by the platform"),
    CaseReason.SECOND: gettext_lazy("Second review"),
    CaseReason.HOLD: gettext_lazy("Held by a rule or policy"),
    CaseReason.RANDOM: gettext_lazy("Random label"),
    CaseReason.RECONSIDERED: gettext_lazy("Similar to a decided post"),
    CaseReason.OUTVOTED: gettext_lazy("Models disagree"),
    CaseReason.UNREAD_SCRIPT: gettext_lazy("Unsupported script"),
    CaseReason.BLIND: gettext_lazy("Blind review"),
    CaseReason.REPORTED: gettext_lazy("Reported"),
    CaseReason.UNPROVEN: gettext_lazy("Would be removed"),
}

_PLACES = {
    CaseReason.SECOND: gettext_lazy("second review requested"),
    CaseReason.HOLD: gettext_lazy("held by a rule or policy, sorted by reach"),
    CaseReason.RECONSIDERED: gettext_lazy("let through before similar posts were found to be spam"),
    CaseReason.UNREAD_SCRIPT: gettext_lazy("text not readable; by pages, pictures and reach"),
    CaseReason.BLIND: gettext_lazy("blind review, in random order"),
    CaseReason.UNPROVEN: gettext_lazy("after all others, by arrival time"),
}


def reason_words(row: QueueRow) -> str:
    """Return why the case is in the queue, short."""
    return str(_REASONS[CaseReason(row.reason)])


def place_words(row: QueueRow, sort: Sort) -> str:
    """Return the value that the chosen order sorts by."""
    if row.is_escalated:
        return _("escalated: first")
    if sort is Sort.NEWEST:
        return _("by arrival time")
    if sort is Sort.REPORTED:
        return ngettext("%(n)s complaint", "%(n)s complaints", row.complaints) % {
            "n": quantities.count(row.complaints)
        }
    if row.reason in _PLACES:
        return str(_PLACES[CaseReason(row.reason)])
    if row.is_hidden:
        return _("random sample, oldest first")
    return _doubt(row) if sort is Sort.UNCERTAINTY else _reach(row)


def _doubt(row: QueueRow) -> str:
    """Return how close the probability is to even odds."""
    away = abs((row.spam_probability or 0.0) - 0.5)
    return _("50/50") if away < 0.005 else _("%(share)s from 50/50") % {"share": quantities.percent(away)}


def _reach(row: QueueRow) -> str:
    """Return how many people the post reaches, which the default order multiplies by the spam probability.

    The product itself is no number that a person can check or compare with anything.
    """
    phrases = []
    if row.followers:
        words = ngettext("%(n)s follower", "%(n)s followers", row.followers)
        phrases.append(words % {"n": quantities.count(row.followers)})
    if row.spread:
        words = ngettext("%(n)s reaction", "%(n)s reactions", row.spread)
        phrases.append(words % {"n": quantities.count(row.spread)})
    return " · ".join(phrases) or _("no known reach")
