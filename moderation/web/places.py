"""Why a case stands where it does in the queue, in words."""

from __future__ import annotations

from moderation.models.cases import BLIND_REASONS, CaseReason
from moderation.queries.queue import QueueRow
from moderation.web.quantities import counted

_REASONS = {
    CaseReason.UNCERTAIN: "Models unsure",
    CaseReason.DEGRADED: "Text not read",
    CaseReason.AUDIT: "Audit sample",
    CaseReason.COMPLAINTS: "Complaints",
    CaseReason.REVISED: "Edited after a decision",
    CaseReason.ESCALATED: "Escalated",
    CaseReason.CAMPAIGN: "Campaign sample",
    CaseReason.CONFLICT: "Unlike its campaign",
}


def reason_words(row: QueueRow) -> str:
    """Return why the case is in the queue, short."""
    return _REASONS[CaseReason(row.reason)]


def harm_words(row: QueueRow) -> str:
    """Return what makes it stand this high: how likely it is spam times how many would see it."""
    if row.reason in BLIND_REASONS:
        return "drawn at random"
    told = [f"harm {row.expected_harm:.1f}"]
    if row.followers:
        told.append(counted(row.followers, "follower", "followers"))
    if row.spread:
        told.append(counted(row.spread, "reaction", "reactions"))
    return " · ".join(told)
