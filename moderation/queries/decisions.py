"""Decisions as the platform may see them: in the order of their effect, none missed, none too early."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Min, Q, QuerySet

from moderation.models import Complaint, Decision, Platform, Reason, Revision
from moderation.models.cases import Verdict
from moderation.models.posts import ScoreState

SETTLE = timedelta(seconds=2)
"""How long a transaction that writes decisions may take to commit after it has read its clock."""

SCORING_LEASE = timedelta(seconds=60)
"""How long a worker holds the revisions that it scores; a test keeps it equal to the operation's figure."""


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in the feed: the last row that was read."""

    effective_at: datetime
    id: int


@dataclass(frozen=True, kw_only=True)
class Page:
    """Rows in order. `end` is where the next page begins: at the last row, or where this one began."""

    rows: tuple[Decision, ...]
    end: Position | None
    has_more: bool


def since(
    *, platform: Platform, since: datetime | None, cursor: Position | None, limit: int, at: datetime
) -> Page:
    """Read decisions that took effect from `since` on and after `cursor`, oldest first, in two queries.

    A decision undone in time never appears; one corrected later does, and so does its replacement.
    """
    rows = _told(Decision.objects.filter(post__platform=platform), before=_horizon(platform=platform, at=at))
    if since is not None:
        rows = rows.filter(effective_at__gte=since)
    if cursor is not None:
        later = Q(effective_at__gt=cursor.effective_at) | Q(
            effective_at=cursor.effective_at, id__gt=cursor.id
        )
        # The plain bound lets the index start at the cursor; the OR alone would scan from the beginning.
        rows = rows.filter(later, effective_at__gte=cursor.effective_at)
    found = list(rows.order_by("effective_at", "id")[: limit + 1])
    shown = tuple(found[:limit])
    end = Position(shown[-1].effective_at, shown[-1].pk) if shown else cursor
    return Page(rows=shown, end=end, has_more=len(found) > limit)


def standing(*, post_id: int, at: datetime) -> Decision | None:
    """Return the decision that holds for a post as far as the platform may know, None before the first."""
    told = _told(Decision.objects.filter(post=post_id), before=at)
    return told.order_by("-effective_at", "-id").first()


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounds:
    """What a removal rested on: the policy's reason in words, and the complaints that had come by then."""

    reason: str
    complaints: int
    has_media: bool


def removal(*, platform: Platform, decision_id: int, at: datetime) -> Decision:
    """Return a decision that took a post down. Raises Decision.DoesNotExist."""
    spam = Decision.objects.filter(post__platform=platform, verdict=Verdict.SPAM)
    return _told(spam, before=at).get(pk=decision_id)


def grounds(decision: Decision) -> Grounds:
    """Return what a removal rested on."""
    title = Reason.objects.filter(code=decision.reason).values_list("title", flat=True).first()
    before = Complaint.objects.filter(post=decision.post_id, received_at__lte=decision.decided_at)
    media = Revision.objects.filter(pk=decision.revision_id).values_list("media_urls", flat=True).first()
    return Grounds(reason=title or "", complaints=before.count(), has_media=bool(media))


def _told(decisions: QuerySet[Decision], *, before: datetime) -> QuerySet[Decision]:
    is_undone = Q(reversal__isnull=False, reversal__replacement__isnull=True)
    return (
        decisions.filter(effective_at__lte=before)
        .exclude(is_undone)
        .select_related("post", "revision", "score", "reversal", "replaces")
        .defer("score__record", "score__features", "score__contributions", "score__word_contributions")
        .defer("revision__text", "revision__journey", "revision__links", "revision__media_urls")
    )


def _horizon(*, platform: Platform, at: datetime) -> datetime:
    """Return the instant up to which the feed is complete; past it, a poller could step over a late row.

    A decision takes effect at a time that was read before its transaction commits. For a person's decision
    the gap is short (SETTLE). An automatic one carries the time at which its batch was claimed, and scoring
    lies in between: so nothing is told that is not older than the oldest claim still at work. The lease says
    when a claim was taken; one whose lease is over can no longer write, since tasks are stopped before that.
    """
    oldest: datetime | None = Revision.objects.filter(
        post__platform=platform, score_state=ScoreState.SCORING, lease_until__gt=at
    ).aggregate(Min("lease_until"))["lease_until__min"]
    settled = at - SETTLE
    if oldest is None:
        return settled
    return min(settled, oldest - SCORING_LEASE - timedelta(microseconds=1))
