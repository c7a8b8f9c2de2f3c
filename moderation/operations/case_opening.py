"""Open a case of a post that a human is to look at again, whatever the filter says."""

from __future__ import annotations

from datetime import datetime

from moderation.models import Case, Post, Revision, Score
from moderation.models.cases import CaseReason


class NotScored(Exception):
    """The post has no score yet, so there is nothing to look at again."""


def opened(post: Post, *, reason: CaseReason, at: datetime, is_escalated: bool = False) -> Case:
    """Open a case on the latest score. Call with the post locked and without an open case. Raises NotScored.

    An escalated one waits for a lead, and no new score takes it away.
    """
    latest = Revision.objects.get(post=post, number=post.latest_revision)
    score = Score.objects.select_related("revision").filter(revision=latest).order_by("-generation").first()
    if score is None:
        raise NotScored("The post has no score yet.")
    return Case.objects.create(
        post=post,
        score=score,
        reason=reason,
        is_escalated=is_escalated,
        priority=score.expected_harm,
        uncertainty=1 - abs(2 * score.spam_probability - 1),
        complaint_count=post.complaints.count(),
        language=latest.language,
        version=1 + Case.objects.filter(post=post).count(),
        opened_at=at,
    )
