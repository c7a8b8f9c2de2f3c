"""Leases on revisions: which worker scores one. A lease ends by time only."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q, QuerySet

from moderation import enqueue, prepared
from moderation.models import Post, Revision, ScoringJob
from moderation.models.posts import ScoreState
from moderation.operations.infrastructure import transactions
from moderation.queries.health import clocks

LEASE_SECONDS = 60
AGAIN_CHUNK = 16
"""Posts that one task scores again, unless its message names more: what a new post may wait for."""

# NO KEY: inserts of rows that point to a post must neither wait nor deadlock.
_LOCKED = """
SELECT r.id, p.latest_revision FROM moderation_revision r JOIN moderation_post p ON p.id = r.post_id
WHERE r.id = ANY(%(ids)s) ORDER BY p.id FOR NO KEY UPDATE OF p
"""
# The attempts, too: whoever took over after our lease has the same state and generation.
_FINISH = """
UPDATE moderation_scoringjob j SET state = 'scored', lease_until = NULL, degraded_since = NULL
FROM unnest(%(ids)s::bigint[], %(generations)s::int[], %(attempts)s::int[]) AS k(id, generation, attempts)
WHERE (j.revision_id, j.generation, j.attempts) = (k.id, k.generation, k.attempts) AND j.state = 'scoring'
RETURNING j.revision_id
"""


def claim(*, revision_ids: Sequence[int], at: datetime, is_alone: bool = False) -> list[Revision]:
    """Take a lease on the pending revisions, and on others that wait, up to a batch.

    Most new posts have no message of their own, so a duplicated one that finds its revisions leased still
    takes what waits. Held posts are left, and one that was tried twice is scored alone, since it may be what
    kills workers. Posts without a score go first: while some wait, those that are to be scored again are
    left to a later message.
    """
    with transaction.atomic():
        rows = list(_lockable().filter(_is_free(at=at), pk__in=revision_ids).order_by("pk"))
        suspects = {row.pk for row in rows if row.attempts > 1}
        if len(rows) > 1:
            rows = [row for row in rows if row.pk not in suspects]
            for pk in sorted(suspects):
                enqueue.scoring(revision_ids=[pk])
        if not is_alone and suspects.isdisjoint(row.pk for row in rows):
            rows = _batch(rows)
        lease_until = at + timedelta(seconds=LEASE_SECONDS)
        # Attempts are counted when claimed, not when it fails: a worker that is killed counts nothing.
        ScoringJob.objects.filter(pk__in=[row.pk for row in rows]).update(
            state=ScoreState.SCORING, lease_until=lease_until, attempts=F("attempts") + 1
        )
        for row in rows:
            row.state, row.lease_until, row.attempts = ScoreState.SCORING, lease_until, row.attempts + 1
    return [row.revision for row in rows]


def give_back(revisions: Sequence[Revision]) -> None:
    """Let another task take revisions that were claimed and not begun, as if they never had been."""
    if not revisions:
        return
    with transaction.atomic():
        rows = ScoringJob.objects.select_for_update().filter(state=ScoreState.SCORING)
        claims = {row.pk: (row.scoring.generation, row.scoring.attempts) for row in revisions}
        ids = [
            row.pk
            for row in rows.filter(pk__in=claims).order_by("pk")
            if claims[row.pk] == (row.generation, row.attempts)
        ]
        ScoringJob.objects.filter(pk__in=ids).update(
            state=ScoreState.PENDING, lease_until=None, attempts=F("attempts") - 1
        )
        enqueue.scoring(revision_ids=ids)


@transactions.required
def finish(*, revisions: Sequence[Revision]) -> set[int]:
    """Mark revisions as scored; return them without those that another worker took after our lease ran out.

    The posts are locked first, as ingest does, so that the two cannot deadlock. They are read again: a higher
    revision may have arrived meanwhile. Call inside the transaction that stores the scores.
    """
    # By id, as `rescore.again` locks the jobs: else the two could deadlock.
    revisions = sorted(revisions, key=lambda revision: revision.pk)
    ids = [revision.pk for revision in revisions]
    latest = dict(prepared.rows(_LOCKED, ids=ids))
    for revision in revisions:
        revision.post.latest_revision = latest[revision.pk]
    jobs = [revision.scoring for revision in revisions]
    generations, attempts = [job.generation for job in jobs], [job.attempts for job in jobs]
    return {pk for (pk,) in prepared.rows(_FINISH, ids=ids, generations=generations, attempts=attempts)}


@transactions.required
def still(state: ScoreState, *, revision_ids: Sequence[int]) -> list[int]:
    """Lock revisions and their posts, as `finish` does; return the latest ones in this state."""
    revisions = Revision.objects.filter(pk__in=revision_ids)
    # NO KEY: inserts of rows that point to a post must neither wait nor deadlock.
    posts = Post.objects.select_for_update(no_key=True).filter(pk__in=revisions.values("post_id"))
    list(posts.order_by("id").values_list("pk"))
    rows = ScoringJob.objects.select_for_update(of=("self",)).filter(revision__in=revision_ids, state=state)
    latest = rows.filter(revision__number=F("revision__post__latest_revision"))
    return list(latest.order_by("pk").values_list("pk", flat=True))


def is_over(*, at: datetime) -> Q:
    """Select the revisions whose lease has run out."""
    return clocks.has_passed("lease_until", at=at, longest=timedelta(seconds=LEASE_SECONDS))


def _batch(named: list[ScoringJob]) -> list[ScoringJob]:
    """Add what else waits, or take posts that have no score yet in place of ones that have.

    A message that is put off comes again after a batch of new posts, so none is put off for nothing.
    """
    # One that was tried twice has a message of its own. One with a lease is held. Times are not compared: the
    # clocks of two machines differ.
    queue = _lockable().filter(is_open=True, state=ScoreState.PENDING, attempts__lte=1, lease_until=None)
    queue = queue.exclude(pk__in=[row.pk for row in named]).order_by("enqueued_at", "pk")
    has_new = any(row.generation == 1 for row in named)
    room = max(0, enqueue.SCORING_CHUNK - (len(named) if has_new else 0))
    new_rows = list(queue.filter(generation=1)[: room + 1])
    if len(new_rows) > room:  # those beyond a batch may have no message of their own
        enqueue.scoring_of_rest(revision_id=new_rows.pop().pk)
    if has_new:
        return named + new_rows
    if new_rows:
        enqueue.scoring(revision_ids=[row.pk for row in named])
        if not named:  # another message has taken its post, and this one was also for those gathered with it
            enqueue.scoring_again(revision_ids=[row.pk for row in queue.filter(generation__gt=1)[:1]])
        return new_rows
    if len(named) >= AGAIN_CHUNK:
        return named
    rows = named + list(queue[: AGAIN_CHUNK + 1 - len(named)])
    if len(rows) > AGAIN_CHUNK:  # those beyond have no message of their own
        enqueue.scoring(revision_ids=[rows.pop().pk])
    return rows


def _lockable() -> QuerySet[ScoringJob]:
    # SKIP LOCKED: a locked row is being claimed or stored by another worker; the sweep finds it again.
    rows = ScoringJob.objects.select_for_update(skip_locked=True, of=("self",))
    return rows.select_related("revision__post__platform", "revision__post__author", "revision__grouped")


def _is_free(*, at: datetime) -> Q:
    """Select posts that nobody scores or holds, and those whose lease or hold is over."""
    is_open = Q(state__in=(ScoreState.PENDING, ScoreState.SCORING))
    return Q(state=ScoreState.PENDING, lease_until=None) | is_open & is_over(at=at)
