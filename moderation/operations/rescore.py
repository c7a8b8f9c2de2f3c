"""Rescore posts: the only way back to the state pending, for one post or in batches for many."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from moderation import enqueue
from moderation.models import Label, Revision, Score, ScoringJob
from moderation.models.posts import ScoreState
from moderation.operations.infrastructure import transactions

SCORED = frozenset({ScoreState.SCORED, ScoreState.DEGRADED})
"""States of revisions that have a score."""

PIECE = 500
"""Posts per transaction and per wait: the most rescored posts that a new post waits behind."""

_PAUSE_SECONDS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which posts are scored again, by their latest revisions: all unless a field says otherwise.

    `release_id` is that of the latest score; `since` and `until` bound when the revision was received.
    """

    until: datetime
    since: datetime | None = None
    platform_id: int | None = None
    release_id: str | None = None
    states: frozenset[ScoreState] = SCORED


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress: the id to continue after, posts enqueued so far, and posts that wait for a worker."""

    reached_id: int
    rescored: int
    waiting: int


@transactions.required
def again(
    revision_ids: Iterable[int],
    *,
    at: datetime,
    states: Collection[ScoreState] = (ScoreState.SCORED,),
    until: datetime | None = None,
) -> list[int]:
    """Set revisions that are in these states to pending, as a new generation; return them.

    With `until` they are held: they wait until then, or until this is called for them without it.
    Call inside a transaction. A revision that is being scored is left to its worker; one whose score is being
    written is waited for and rescored.
    """
    # The same lock order as scoring, to avoid a deadlock.
    rows = ScoringJob.objects.select_for_update().filter(pk__in=list(revision_ids)).order_by("pk")
    found = list(rows.values_list("pk", "state", "lease_until"))
    ids = [pk for pk, state, _ in found if state in states]
    held_ids = [pk for pk, state, held in found if state == ScoreState.PENDING and held and not until]
    pending = {"state": ScoreState.PENDING, "enqueued_at": until or at, "lease_until": until}
    # A new generation: a score is stored once per revision and generation (a constraint).
    ScoringJob.objects.filter(pk__in=ids).update(generation=F("generation") + 1, attempts=0, **pending)
    ScoringJob.objects.filter(pk__in=held_ids).update(**pending)
    enqueue.scoring_again(revision_ids=[] if until else ids + held_ids)
    return ids


def count(wanted: Wanted) -> int:
    """Return how many posts would be scored again."""
    return _chosen(wanted).count()


def run(
    wanted: Wanted,
    *,
    after_id: int,
    now: Callable[[], datetime],
    pause: Callable[[float], None],
    progress: Callable[[Progress], None],
) -> int:
    """Score posts again, the oldest first, those after an id; return how many.

    A batch is enqueued once at most one batch of posts waits for workers, so new posts do not wait behind
    thousands. Restarted after the id of its last progress, it leaves out none.
    """
    end, rescored = after_id, 0
    while True:
        while (backlog := _waiting()) >= PIECE:
            progress(Progress(end, rescored, backlog))
            pause(_PAUSE_SECONDS)
        ids = list(_chosen(wanted).filter(pk__gt=end).order_by("pk").values_list("pk", flat=True)[:PIECE])
        if not ids:
            return rescored
        with transaction.atomic():
            rescored += len(again(ids, at=now(), states=wanted.states))
        end = ids[-1]
        progress(Progress(end, rescored, _waiting()))


def _chosen(wanted: Wanted) -> QuerySet[Revision]:
    """Return the matching revisions, without those that a human decided: their decision stays."""
    labels = Label.objects.filter(post=OuterRef("post"), decision__revision=OuterRef("pk"), retracted_at=None)
    latest = Score.objects.filter(revision=OuterRef("pk"), generation=OuterRef("scoring__generation"))
    # Only the latest revision matters, but a dead one is reported until it has a score.
    matters = Q(number=F("post__latest_revision")) | Q(scoring__state=ScoreState.DEAD)
    revisions = Revision.objects.filter(
        ~Exists(labels),
        matters,
        scoring__state__in=wanted.states,
        received_at__lte=wanted.until,
        post__erased_at__isnull=True,
    )
    if wanted.since is not None:
        revisions = revisions.filter(received_at__gte=wanted.since)
    if wanted.platform_id is not None:
        revisions = revisions.filter(post__platform=wanted.platform_id)
    if wanted.release_id is not None:
        revisions = revisions.filter(Exists(latest.filter(release=wanted.release_id)))
    return revisions


def _waiting() -> int:
    waiting = (ScoreState.PENDING, ScoreState.SCORING)
    return ScoringJob.objects.filter(is_open=True, state__in=waiting).count()
