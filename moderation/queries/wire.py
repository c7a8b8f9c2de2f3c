"""What every message and answer writes alike: an instant, a post, a decision.

A webhook, the feed of decisions and the page of a post tell a decision by `decision`. The JSON of a label is
in `labels.label_json`.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from moderation.models import Decision, DecisionAction, Post
from moderation.models.actions import ActionState
from moderation.models.posts import ACCOUNT_PREFIX


def instant(moment: datetime) -> str:
    """Return a time in the one form that leaves the product: ISO 8601, UTC, with a Z."""
    return moment.isoformat().replace("+00:00", "Z")


def reference(post: Post, *, revision: int) -> dict[str, Any]:
    """Return how a post is named; an account as a subject says so."""
    told = {"id": str(post.pk), "external_id": post.external_id, "revision": revision}
    if post.is_account:
        told |= {"subject": post.subject, "account": post.external_id.removeprefix(ACCOUNT_PREFIX)}
    return told


def decision(row: Decision, *, reverses: int | None) -> dict[str, Any]:
    """Return a decision that was loaded with its post, revision and score; it replaces `reverses`."""
    return {
        "id": str(row.pk),
        "post": reference(row.post, revision=row.revision.number),
        "verdict": row.verdict,
        "source": row.source,
        "reason": row.reason,
        "decided_at": instant(row.decided_at),
        "reverses": str(reverses) if reverses else None,
        "spam_probability": row.score.spam_probability,
        "is_degraded": row.score.is_degraded,
        "release": row.score.release_id,
    }


def follow_up(action: DecisionAction | None, *, undone: Iterable[DecisionAction]) -> dict[str, Any]:
    """Return what the JSON of a decision says of its action and of those it undid; empty without any."""
    told: dict[str, Any] = {}
    held = None
    if action is not None:
        held = action.action if action.is_carried_out and not action.undone_by_id else None
        until = instant(action.until) if action.until else None
        told["actions"] = [{"action": action.action, "until": until}] if held else []
        if action.state == ActionState.AWAITING:
            told["awaiting"] = action.action
    undo = {row.action: None for row in undone if row.is_carried_out and row.action != held}
    return told | ({"undo": list(undo)} if undo else {})
