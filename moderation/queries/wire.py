"""What every message and answer writes alike: an instant, a post, a decision.

A webhook, the feed of decisions and the page of a post tell a decision by `decision`. The JSON of a label is
in `labels.label_json`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from moderation.models import Decision, Post
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
