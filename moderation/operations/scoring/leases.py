"""Leases on revisions: which worker scores one. A lease ends by time only."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet

from moderation import enqueue
from moderation.models import Post, Revision
from moderation.models.posts import ScoreState
from moderation.operations.infrastructure import transactions
from moderation.queries.health import clocks

LEASE_SECONDS = 60


def claim(*, revision_ids: Sequence[int], at: datetime, is_alone: bool = False) -> list[Revision]:
    """Take a lease on the pending revisions. A duplicated message finds them leased and gets nothing.

    Other pending revisions are added, up to a batch: under load one call scores many posts, and their
    messages find the work done.
    """
    with transaction.atomic():
        rows = list(_lockable().filter(_is_open(at=at), pk__in=revision_ids).order_by("id"))
        if rows and not is_alone:
            # One that was tried twice is left to a message of its own: it may be what kills workers.
            waiting = _lockable().filter(score_state=ScoreState.PENDING, attempts__lte=1, enqueued_at__lte=at)
            waiting = waiting.exclude(pk__in=[row.pk for row in rows]).order_by("enqueued_at", "id")
            rows += waiting[: max(0, enqueue.SCORING_CHUNK - len(rows))]
        for row in rows:
            row.score_state = ScoreState.SCORING
            row.lease_until = at + timedelta(seconds=LEASE_SECONDS)
            # Counted when claimed, not when it fails: a worker that is killed counts nothing.
            row.attempts += 1
        Revision.objects.bulk_update(rows, ["score_state", "lease_until", "attempts"])
    return rows


@transactions.required
def still_held(*, revisions: Sequence[Revision]) -> set[int]:
    """Lock the rows and drop those that another worker finished after our lease ran out.

    The posts are locked first, as ingest does, so that the two cannot deadlock. They are read again: a higher
    revision may have arrived meanwhile. Call inside the transaction that stores the scores.
    """
    ids = [revision.pk for revision in revisions]
    posts = _lock_posts({revision.post_id for revision in revisions})
    locked = Revision.objects.select_for_update().filter(pk__in=ids).order_by("id")
    # The attempts, too: whoever took over after our lease has the same state and generation.
    standing = {row.pk: (row.score_state, row.generation, row.attempts) for row in locked}
    for revision in revisions:
        revision.post.latest_revision = posts[revision.post_id]
    return {
        revision.pk
        for revision in revisions
        if standing.get(revision.pk) == (ScoreState.SCORING, revision.generation, revision.attempts)
    }


def is_over(*, at: datetime) -> Q:
    """Select the revisions whose lease has run out."""
    return clocks.has_passed("lease_until", at=at, longest=timedelta(seconds=LEASE_SECONDS))


def _lockable() -> QuerySet[Revision]:
    # SKIP LOCKED: a locked revision is being claimed or stored by another worker; the sweep finds it again.
    rows = Revision.objects.select_for_update(skip_locked=True, of=("self",))
    return rows.select_related("post__platform", "post__author")


def _is_open(*, at: datetime) -> Q:
    return Q(score_state=ScoreState.PENDING) | Q(score_state=ScoreState.SCORING) & is_over(at=at)


def _lock_posts(post_ids: set[int]) -> dict[int, int]:
    # NO KEY: inserts of rows that point to a post must neither wait nor deadlock.
    rows = Post.objects.select_for_update(no_key=True).filter(pk__in=post_ids).order_by("id")
    return dict(rows.values_list("pk", "latest_revision"))
