"""Statements of reasons: what the author may be told of a restriction, in the words of the DSA database.

Field names and values: transparency.dsa.ec.europa.eu/page/api-documentation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import Count, F, Q

from moderation.models import Decision, DecisionAction, Reason
from moderation.models.actions import Action, ActionState
from moderation.models.decisions import DecisionSource, Verdict

SCAMS, OTHER = "STATEMENT_CATEGORY_SCAMS_AND_FRAUD", "STATEMENT_CATEGORY_OTHER_VIOLATION_TC"
_FRAUDULENT = frozenset({"scam", "phishing", "fraud", "impersonation"})
"""Reasons of the policy, and of complaints, that are more than unwanted advertising."""

_VISIBILITY, _ACCOUNT, _PROVISION = "decision_visibility", "decision_account", "decision_provision"
_END_DATES = {
    _VISIBILITY: "end_date_visibility_restriction",
    _ACCOUNT: "end_date_account_restriction",
    _PROVISION: "end_date_service_restriction",
}
_RESTRICTIONS: dict[str, tuple[str, Any]] = {
    Action.HIDE: (_VISIBILITY, ["DECISION_VISIBILITY_CONTENT_DISABLED"]),
    Action.SENSITIVE: (_VISIBILITY, ["DECISION_VISIBILITY_CONTENT_LABELLED"]),
    Action.LIMIT: (_PROVISION, "DECISION_PROVISION_PARTIAL_SUSPENSION"),
    Action.REMOVE: (_VISIBILITY, ["DECISION_VISIBILITY_CONTENT_REMOVED"]),
    Action.SUSPEND: (_ACCOUNT, "DECISION_ACCOUNT_SUSPENDED"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Restriction:
    """What is done to a post or its author since a day, and until when; None for ever."""

    action: str
    since: date
    until: date | None = None


def restriction(decision: Decision, action: DecisionAction | None) -> Restriction | None:
    """Return what a spam decision restricts, None if nothing; without a rule the post is removed."""
    if decision.verdict != Verdict.SPAM:
        return None
    if action is None:
        return Restriction(action=Action.REMOVE, since=decision.effective_at.date())
    if action.action not in _RESTRICTIONS or action.state not in (ActionState.IN_FORCE, ActionState.ENDED):
        return None
    since = max(action.confirmed_at or decision.effective_at, decision.effective_at)
    return Restriction(
        action=action.action, since=since.date(), until=action.until.date() if action.until else None
    )


def statements(restrictions: Mapping[Decision, Restriction]) -> dict[int, dict[str, Any]]:
    """Return the statement of each of these decisions by its id; they are loaded with `post` and `score`."""
    if not restrictions:
        return {}
    titles = dict(Reason.objects.values_list("code", "title"))
    before = Q(post__complaints__received_at__lte=F("decided_at"))
    rows = Decision.objects.filter(pk__in=[decision.pk for decision in restrictions]).order_by()
    known = rows.annotate(complaints=Count("post__complaints", filter=before))
    facts = {pk: told for pk, *told in known.values_list("pk", "complaints", "revision__media_urls")}
    return {
        decision.pk: _statement(decision, restricts, *facts[decision.pk], title=titles.get(decision.reason))
        for decision, restricts in restrictions.items()
    }


def category(reason: str) -> str:
    """Return the category of what is restricted for a reason of the policy."""
    return SCAMS if reason in _FRAUDULENT else OTHER


def _statement(
    decision: Decision,
    restricts: Restriction,
    complaints: int,
    media_urls: Sequence[str],
    *,
    title: str | None,
) -> dict[str, Any]:
    is_automatic = decision.source == DecisionSource.AUTOMATIC
    # Cases come from the filter, unless people complained of what it had let through or could not read.
    is_reported = complaints > 0
    kind, value = _RESTRICTIONS[restricts.action]
    end = {_END_DATES[kind]: restricts.until.isoformat()} if restricts.until else {}
    return {
        "puid": str(decision.pk),
        kind: value,
        **end,
        "decision_ground": "DECISION_GROUND_INCOMPATIBLE_CONTENT",
        "incompatible_content_ground": "The rules against spam",
        "incompatible_content_explanation": title or f"The {decision.post.subject} is spam.",
        "incompatible_content_illegal": "No",
        "category": category(decision.reason),
        "content_type": ["CONTENT_TYPE_TEXT", *(["CONTENT_TYPE_IMAGE"] if media_urls else [])],
        "content_date": decision.post.posted_at.date().isoformat(),
        "application_date": restricts.since.isoformat(),
        "decision_facts": _facts(decision, complaints, is_automatic=is_automatic),
        "source_type": "SOURCE_TYPE_OTHER_NOTIFICATION" if is_reported else "SOURCE_VOLUNTARY",
        "automated_detection": "No" if is_reported and not is_automatic else "Yes",
        "automated_decision": "AUTOMATED_DECISION_FULLY"
        if is_automatic
        else "AUTOMATED_DECISION_NOT_AUTOMATED",
    }


def _facts(decision: Decision, complaints: int, *, is_automatic: bool) -> str:
    subject = decision.post.subject
    if is_automatic:
        probability = f"{decision.score.spam_probability:.2f}"
        by = f"An automatic filter judged the {subject} as spam, with a probability of {probability}."
    else:
        by = f"A person looked at the {subject} and judged it as spam."
    told = {0: "", 1: " One user had reported it."}
    return by + told.get(complaints, f" {complaints} users had reported it.")
