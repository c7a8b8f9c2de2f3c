"""What the European transparency report counts: restrictions by their statements of reasons, and appeals.

No decision here rests on an order, or on a notice of illegal content: all restrictions are the provider's own
initiative, by its terms and conditions.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from statistics import median

from moderation.models import Appeal, Decision
from moderation.models.actions import Action
from moderation.models.decisions import Verdict
from moderation.queries.decisions import platform_decisions, statements

TOTAL = "TOTAL"
COMPLAINTS = "Number of complaints submitted to the internal-complaints mechanism"
_ABOUT = "Complaint regarding a decision "
_NOT_TO_ACT = f"{_ABOUT}not to take action on a notice submitted in accordance with Article 16"
_VISIBILITY = f"{_ABOUT}to remove or disable access to or restrict visibility of information"
_OF_ACTIONS: dict[str, str] = {
    Action.LIMIT: f"{_ABOUT}to suspend or terminate the provision of the service",
    Action.SUSPEND: f"{_ABOUT}to suspend or terminate an account",
}
INDICATORS = (
    COMPLAINTS, _NOT_TO_ACT, _VISIBILITY, *_OF_ACTIONS.values(),
    f"{_ABOUT}to restrict the ability to monetise information",
)  # fmt: skip
_MEASURES = {
    "DECISION_VISIBILITY_CONTENT_REMOVED": "Visibility restriction Removal",
    "DECISION_VISIBILITY_CONTENT_DISABLED": "Visibility restriction Disable",
    "DECISION_VISIBILITY_CONTENT_LABELLED": "Visibility restriction Labelled",
    "DECISION_PROVISION_PARTIAL_SUSPENSION": "Provision of the service Suspension",
    "DECISION_ACCOUNT_SUSPENDED": "Account restriction Suspension",
}
_KEYWORDS = {"phishing": "KEYWORD_PHISHING", "impersonation": "KEYWORD_IMPERSONATION_ACCOUNT_HIJACKING"}


@dataclass(slots=True)
class Month:
    """What was restricted in a month, of one category; hours are from the post's arrival to the decision."""

    hours: list[float] = field(default_factory=list)
    automatic: int = 0
    appeals: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class Counts:
    """Restrictions by row and column, measures by scope, appeals by indicator and outcome, and months."""

    restrictions: Counter[tuple[str, str]] = field(default_factory=Counter)
    measures: Counter[tuple[str, str]] = field(default_factory=Counter)
    appeals: Counter[tuple[str, str]] = field(default_factory=Counter)
    imposed: int = 0
    waits: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    months: dict[tuple[str, str], Month] = field(default_factory=lambda: defaultdict(Month))


def counted(*, since: datetime, until: datetime, platform_id: int | None = None) -> Counts:
    """Count the restrictions that took effect in a period, and the appeals that were filed in it."""
    counts = Counts()
    for decision, told in platform_decisions.restricting(since=since, until=until, platform_id=platform_id):
        _count(decision, told, counts)
    of = {} if platform_id is None else {"platform": platform_id}
    appeals = Appeal.objects.filter(**of, filed_at__gte=since, filed_at__lt=until).order_by("pk")
    for appeal in appeals.select_related("decision__action", "outcome"):
        _count_appeal(appeal, counts)
    return counts


def hours(waits: list[float]) -> str:
    """Return the median in hours with one decimal, empty without any."""
    return f"{median(waits):.1f}" if waits else ""


def _count(decision: Decision, told: Mapping[str, object], counts: Counts) -> None:
    category, is_automatic = str(told["category"]), told["automated_decision"] == "AUTOMATED_DECISION_FULLY"
    kinds = (told.get(f"decision_{name}") for name in ("visibility", "account", "provision"))
    [value] = [kind[0] if isinstance(kind, list) else str(kind) for kind in kinds if kind]
    columns = ["Number of measures taken at the provider's own initiative", _MEASURES[value]]
    if told["automated_detection"] == "Yes":
        columns.append("Number of measures taken after detection with solely automated means")
    keyword = _KEYWORDS.get(decision.reason, "KEYWORD_OTHER")
    for row in (TOTAL, category, f"{category}/{keyword}"):
        counts.restrictions.update((row, column) for column in columns)
    measure = f"Number of measures {'solely' if is_automatic else 'not'} taken by automated means"
    language = decision.revision.language.partition("-")[0].lower()
    counts.measures.update((measure, scope) for scope in ("Total number", "Own-initiative", language))
    month = counts.months[_month(decision.effective_at), category]
    month.hours.append((decision.decided_at - decision.revision.received_at).total_seconds() / 3600)
    month.automatic += is_automatic


def _count_appeal(appeal: Appeal, counts: Counts) -> None:
    decision, outcome = appeal.decision, appeal.outcome
    is_of_spam = decision.verdict == Verdict.SPAM
    action = getattr(decision, "action", None)
    kind = _OF_ACTIONS.get(action.action if action else "", _VISIBILITY) if is_of_spam else _NOT_TO_ACT
    name = "Decision omitted"
    if outcome is not None:
        name = "Decisions upheld" if outcome.verdict == decision.verdict else "Decisions reversed"
        counts.imposed += not is_of_spam and outcome.verdict == Verdict.SPAM
    for indicator in (COMPLAINTS, kind):
        counts.appeals.update(((indicator, "Total number"), (indicator, name)))
        if outcome is not None:
            counts.waits[indicator].append((outcome.decided_at - appeal.filed_at).total_seconds() / 3600)
    category = statements.category(decision.reason) if is_of_spam else "not restricted"
    counts.months[_month(appeal.filed_at), category].appeals[name] += 1


def _month(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m}"
