"""Reconsider posts that the filter allowed, once moderators decide that similar posts are spam.

Runs after the time for undoing, in batches, the newest posts first; a human's decision is never overruled. By
the platform's setting the posts go to a human or are decided like the others.
"""

import time
from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from moderation.models import Decision, Post, Reconsideration, Score
from moderation.models.cases import CaseReason
from moderation.models.decisions import Verdict
from moderation.models.platforms import Reconsidering
from moderation.operations.cases import opening
from moderation.operations.cases.opening import Opening
from moderation.operations.decisions import recording
from moderation.operations.decisions.recording import RECONSIDERED
from moderation.operations.outbox import announce
from moderation.queries import latest_scores
from moderation.queries.campaigns import purity, reconsidered

PIECE = 100
"""Posts per transaction."""

MOST = 500
"""Maximum number of posts reconsidered for one decision."""

_BUSY_SECONDS = 20.0


def sweep(*, at: datetime) -> int:
    """Process due reconsiderations; return how many posts. Safe to run twice and concurrently."""
    started, posts = time.monotonic(), 0
    rows = Reconsideration.objects.filter(done_at__isnull=True, due_at__lte=at)
    for pk in list(rows.order_by("due_at", "id").values_list("pk", flat=True)[:1_000]):
        while time.monotonic() - started < _BUSY_SECONDS:
            count = run_piece(reconsideration_id=pk, at=at)
            if count is None:
                break
            posts += count
    return posts


def run_piece(*, reconsideration_id: int, at: datetime) -> int | None:
    """Reconsider the next batch; return how many posts, None if nothing is due."""
    with transaction.atomic():
        # SKIP LOCKED: a locked row is being processed by another worker.
        open_rows = Reconsideration.objects.select_for_update(skip_locked=True, of=("self",)).filter(
            pk=reconsideration_id, done_at__isnull=True
        )
        row = open_rows.select_related(
            "decision__post",
            "decision__revision__grouped",
            "decision__reversal",
            "decision__label",
            "campaign_decision__campaign",
        ).first()
        if row is None or not reconsidered.is_carried_out(row):
            return None
        room = MOST - row.queued - row.decided
        ids = reconsidered.posts(row, limit=min(PIECE, room)) if room > 0 and reconsidered.holds(row) else []
        if ids:
            _piece(row, ids, at=at)
            row.reached_id = ids[-1]
        else:
            row.done_at = at
        row.save(update_fields=("reached_id", "queued", "decided", "done_at"))
    return len(ids) if ids else None


def _piece(row: Reconsideration, ids: Sequence[int], *, at: datetime) -> None:
    """Lock the posts and reconsider those that still have only the filter's decision."""
    rows = Post.objects.select_for_update(no_key=True, of=("self",)).filter(pk__in=ids)
    posts = {post.pk: post for post in rows.select_related("platform").order_by("id")}
    allowed_ids = set(reconsidered.still_allowed(posts).values_list("pk", flat=True))
    openings: list[Opening] = []
    decisions: list[Decision] = []
    for pk, score in latest_scores.of(allowed_ids).items():
        post = score.revision.post = posts[pk]
        if post.platform.reconsiders == Reconsidering.NOTHING:
            continue
        if post.platform.reconsiders == Reconsidering.DECIDE and _may_decide(row, score):
            decisions.append(
                recording.automatic(
                    score,
                    verdict=Verdict.SPAM,
                    reason=RECONSIDERED,
                    at=at,
                    campaign_decision=row.campaign_decision,
                )
            )
        else:
            openings.append(Opening(post=post, score=score, reason=CaseReason.RECONSIDERED))
    cases = opening.all_opened(openings, at=at)
    recording.record(decisions=decisions)
    announce.opened(cases, at=at)
    row.queued, row.decided = row.queued + len(cases), row.decided + len(decisions)


def _may_decide(row: Reconsideration, score: Score) -> bool:
    """A campaign decides for its members while samples show it pure.

    A post only for near-duplicates of its text, and not if it was spam by what it leads to.
    """
    if row.campaign_decision is not None:
        return purity.purity(row.campaign_decision).is_enough
    group = row.decision.revision.similarity_group if row.decision else None
    is_like = group is not None and score.revision.similarity_group == group
    return is_like and reconsidered.is_on_words(row)
