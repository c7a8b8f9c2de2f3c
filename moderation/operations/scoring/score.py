"""Score revisions, in batches, and keep promises about it: each exactly once, none forgotten."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, timedelta

import structlog
from django.db import transaction
from django.db.models import Q, QuerySet

from moderation import enqueue, scorer
from moderation.models import Post, Release, Revision, Score
from moderation.models.posts import ScoreState
from moderation.operations import rescore
from moderation.operations.campaigns import gather
from moderation.operations.outbox import announce
from moderation.operations.releases import store
from moderation.operations.scoring import audit_sample, route
from moderation.operations.similarity import backfill
from moderation.queries.health import clocks
from moderation.queries.records import records
from moderation.queries.rules import blocklist as rules_blocklist
from scoring.blocklist import Effect, Rule
from scoring.pipeline import Scorer, ScoreResult
from scoring.records import PostRecord

log = structlog.get_logger(__name__)

LEASE_SECONDS = 60
MAX_ATTEMPTS = 8
SWEEP_AFTER_SECONDS = 30
SWEEP_BACKLOG_AFTER_SECONDS = 600
SWEEP_LIMIT = 2_000


def run(*, revision_ids: Sequence[int], at: datetime) -> int:
    """Score those of the revisions that are still open, and others that wait; return how many.

    Safe to run twice.
    """
    claimed = _claim(revision_ids=revision_ids, at=at)
    if not claimed:
        return 0
    try:
        return _score(claimed, at=at)
    except Exception:
        # One poisonous post must not hold up its batch: alone, only it fails and is tried again by the sweep.
        if len(claimed) == 1:
            raise
        log.exception("batch_failed", posts=len(claimed))
        return sum(_score_alone(revision, at=at) for revision in claimed)


def at_once(*, revision_id: int, at: datetime) -> int:
    """Score one revision for somebody who waits, with a content model that gives up in time; return how many.

    Stores what `run` would store. Nothing comes along: the others are not in such a hurry.
    """
    claimed = _claim(revision_ids=[revision_id], at=at, is_alone=True)
    return _score(claimed, at=at, live=scorer.prompt()) if claimed else 0


def sweep(*, at: datetime) -> int:
    """Enqueue again what a lost message or a killed worker left open; return how many.

    While messages still wait in the broker a pending revision is most likely among them: then it counts as
    lost only after a long time, else a backlog would grow by copies of itself.
    """
    patience = SWEEP_BACKLOG_AFTER_SECONDS if enqueue.scoring_backlog() else SWEEP_AFTER_SECONDS
    with transaction.atomic():
        due = list(
            Revision.objects.select_for_update(skip_locked=True)
            .filter(
                Q(score_state=ScoreState.PENDING) & _is_forgotten(at=at, patience=timedelta(seconds=patience))
                | Q(score_state=ScoreState.SCORING) & _lease_is_over(at=at)
            )
            .order_by("enqueued_at", "id")[:SWEEP_LIMIT]
        )
        dead = [revision.pk for revision in due if revision.attempts >= MAX_ATTEMPTS]
        open_again = [revision.pk for revision in due if revision.attempts < MAX_ATTEMPTS]
        Revision.objects.filter(pk__in=dead).update(score_state=ScoreState.DEAD)
        # What a killed worker held has waited longest: with its old time the next task of any post takes it
        # along, however many messages stand before its own. Not a second time: it may be what kills them.
        left = [row.pk for row in due if row.score_state == ScoreState.SCORING and row.attempts == 1]
        Revision.objects.filter(pk__in=left).update(score_state=ScoreState.PENDING, lease_until=None)
        Revision.objects.filter(pk__in=open_again).exclude(pk__in=left).update(enqueued_at=at)
        enqueue.scoring(revision_ids=open_again)
    return len(open_again)


def rescore_degraded(*, at: datetime) -> int:
    """Score degraded posts again once the content model answers; return how many were enqueued."""
    degraded = Revision.objects.filter(score_state=ScoreState.DEGRADED)
    if not degraded.exists() or not scorer.content().is_ready():
        return 0
    with transaction.atomic():
        free = degraded.select_for_update(skip_locked=True).order_by("enqueued_at", "id")[:SWEEP_LIMIT]
        due = rescore.again(free.values_list("pk", flat=True), at=at, states=(ScoreState.DEGRADED,))
    return len(due)


def _claim(*, revision_ids: Sequence[int], at: datetime, is_alone: bool = False) -> list[Revision]:
    """Take a lease on those that are open. A duplicated message finds them taken and gets nothing.

    What else waits comes along, up to a batch: under load one call scores many posts, and the messages of the
    others find their work done.
    """
    with transaction.atomic():
        rows = list(_lockable().filter(_is_open(at=at), pk__in=revision_ids).order_by("id"))
        if rows and not is_alone:
            waiting = _lockable().filter(score_state=ScoreState.PENDING, attempts__lte=1, enqueued_at__lte=at)
            waiting = waiting.exclude(pk__in=[row.pk for row in rows]).order_by("enqueued_at", "id")
            rows += waiting[: max(0, enqueue.SCORING_CHUNK - len(rows))]
        for row in rows:
            row.score_state = ScoreState.SCORING
            row.lease_until = at + timedelta(seconds=LEASE_SECONDS)
            row.attempts += 1
        Revision.objects.bulk_update(rows, ["score_state", "lease_until", "attempts"])
    return rows


def _lockable() -> QuerySet[Revision]:
    rows = Revision.objects.select_for_update(skip_locked=True, of=("self",))
    return rows.select_related("post__platform", "post__author")


def _is_open(*, at: datetime) -> Q:
    return Q(score_state=ScoreState.PENDING) | Q(score_state=ScoreState.SCORING) & _lease_is_over(at=at)


def _lease_is_over(*, at: datetime) -> Q:
    return clocks.has_passed("lease_until", at=at, longest=timedelta(seconds=LEASE_SECONDS))


def _is_forgotten(*, at: datetime, patience: timedelta) -> Q:
    """Enqueued long ago, or in the future: before a clock was set back."""
    return Q(enqueued_at__lt=at - patience) | clocks.is_too_far("enqueued_at", at=at, longest=timedelta())


def _score_alone(revision: Revision, *, at: datetime) -> int:
    try:
        return _score([revision], at=at)
    except Exception:
        log.exception("scoring_failed", revision=revision.pk, attempts=revision.attempts)
        return 0


def _score(revisions: list[Revision], *, at: datetime, live: Scorer | None = None) -> int:
    backfill.missing(revisions=revisions)
    gather.gather_or_leave(revisions=revisions, at=at)
    frozen = records.records_at(revisions=revisions, at=at)
    blocklist = rules_blocklist.for_revisions(revisions=revisions, at=at)
    live = live or scorer.get()
    results = audit_sample.drawn(
        revisions=revisions,
        records=frozen,
        results=live.score_many(frozen, blocklist=blocklist),
        release=live.release,
        at=at,
    )
    with transaction.atomic():
        still_ours = _still_ours(revisions)
        release = store.release(live.release, at=at)
        rows = [
            _row(revision=revision, record=record, result=result, release=release, at=at)
            for revision, record, result in zip(revisions, frozen, results, strict=True)
            if revision.pk in still_ours
        ]
        scores = Score.objects.bulk_create(rows)
        for score in scores:
            score.revision.score_state = ScoreState.DEGRADED if score.is_degraded else ScoreState.SCORED
            score.revision.lease_until = None
        Revision.objects.bulk_update([score.revision for score in scores], ["score_state", "lease_until"])
        announce.scored(scores, at=at)
        route.apply(scores=scores, at=at)
    return len(scores)


def _still_ours(revisions: list[Revision]) -> set[int]:
    """Lock the rows and drop those that another worker finished after our lease ran out.

    The posts are locked first, as ingest does, so that the two cannot deadlock. They are
    read anew: a higher revision may have come in meanwhile.
    """
    ids = [revision.pk for revision in revisions]
    posts = _lock_posts({revision.post_id for revision in revisions})
    locked = Revision.objects.select_for_update().filter(pk__in=ids).order_by("id")
    standing = {row.pk: (row.score_state, row.generation, row.attempts) for row in locked}
    for revision in revisions:
        revision.post.latest_revision = posts[revision.post_id]
    return {
        revision.pk
        for revision in revisions
        if standing.get(revision.pk) == (ScoreState.SCORING, revision.generation, revision.attempts)
    }


def _lock_posts(post_ids: set[int]) -> dict[int, int]:
    # Not their keys: rows that point to a post must not wait for us, nor deadlock with us.
    rows = Post.objects.select_for_update(no_key=True).filter(pk__in=post_ids).order_by("id")
    return dict(rows.values_list("pk", "latest_revision"))


def _row(
    *, revision: Revision, record: PostRecord, result: ScoreResult, release: Release, at: datetime
) -> Score:
    return Score(
        revision=revision,
        generation=revision.generation,
        release=release,
        scored_at=at,
        record=record.to_json(),
        schema_hash=result.schema_hash,
        features=list(result.features),
        spam_probability=result.spam_probability,
        content_probability=result.content_probability,
        sub_models=dict(result.sub_models),
        base=result.base,
        contributions=[
            [part.feature, None if math.isnan(part.value) else part.value, part.contribution]
            for part in sorted(result.contributions, key=lambda part: -abs(part.contribution))
        ],
        route=result.routing.route,
        route_reason=result.routing.reason or "",
        is_audit_sample=result.routing.is_audit_sample,
        audit_probability=result.routing.audit_probability,
        expected_harm=result.expected_harm,
        is_degraded=result.is_degraded,
        **_ruled(result.rule),
    )


def _ruled(rule: Rule | None) -> dict[str, int]:
    """Name the rule: a ban stands instead of what the models would have said, any other beside it."""
    if rule is None:
        return {}
    return {"ban_id" if rule.effect is Effect.BAN else "rule_id": rule.id}
