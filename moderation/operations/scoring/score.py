"""Score revisions, in batches: each exactly once, through the steps that docs/architecture.md lists."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from time import monotonic

import structlog
from celery.exceptions import SoftTimeLimitExceeded
from django.db import InterfaceError, OperationalError, transaction

from moderation import enqueue, prepared, scorer, tracing
from moderation.models import Release, Revision, Score, ScoringJob
from moderation.models.posts import ScoreState
from moderation.operations.campaigns import gather
from moderation.operations.evidence import join, opening
from moderation.operations.infrastructure import transactions
from moderation.operations.outbox import announce, messages
from moderation.operations.policies import matches
from moderation.operations.policies.matches import Matches
from moderation.operations.releases import store
from moderation.operations.scoring import audit_sample, leases, recovery, review_sample, route
from moderation.operations.similarity import text_groups
from moderation.queries import latest_scores
from moderation.queries.records import records, stored_records
from moderation.queries.rules import rules_in_force
from scoring import routing
from scoring.blocklist import Blocklist, Effect, Rule
from scoring.pace import Pace
from scoring.pipeline import Scorer, ScoreResult
from scoring.records import PostRecord

log = structlog.get_logger(__name__)

BATCH_SECONDS = 8.0
"""What a batch may take: small enough that a task scores several, each stored before the next begins."""
TASK_SECONDS = 30.0
"""No second batch begins that would end later in its task. The soft time limit is 45 s, a lease 60 s."""

_IDS = """
SELECT nextval(pg_get_serial_sequence('moderation_score', 'id')),
       EXISTS (SELECT FROM moderation_release WHERE id = %(release)s)
FROM generate_series(1, %(count)s)
"""


def new_pace() -> Pace:
    """Return the pace of a process that has scored nothing yet."""
    return Pace(seconds=BATCH_SECONDS, first=16, most=enqueue.SCORING_CHUNK)


pace = new_pace()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Frozen:
    """The frozen input of the scorer for revisions, in their order."""

    revisions: Sequence[Revision]
    records: Sequence[PostRecord]
    rules: Blocklist


def run(*, revision_ids: Sequence[int], at: datetime) -> int:
    """Score those of the revisions that are still open, and others that wait; return how many.

    In batches that this process can score in time, each stored before the next begins. What does not fit into
    the task's time, or comes after a batch that fails, is given back. Safe to run twice.
    """
    revisions = rest = leases.claim(revision_ids=revision_ids, at=at)
    at = max([at, *(row.received_at for row in revisions)])  # another machine's clock may be ahead
    scored, began = 0, monotonic()
    try:
        while rest:
            part = rest[: pace.size()]
            ends = monotonic() - began + pace.expected(len(part))
            if rest is not revisions and ends > TASK_SECONDS:
                break
            rest = rest[len(part) :]
            scored += _paced(part, at=at)
    finally:
        leases.give_back(rest)
    return scored


def _paced(revisions: Sequence[Revision], *, at: datetime) -> int:
    began = monotonic()
    try:
        scored = batch(revisions=revisions, at=at)
    except SoftTimeLimitExceeded:
        pace.timed_out()
        raise
    except (OperationalError, InterfaceError):
        raise  # the database is away, for each of them
    except Exception:
        # One failing post must not block its batch: scored one by one, only that post fails, and the sweep
        # retries it.
        if len(revisions) == 1:
            raise
        log.exception("batch_failed", posts=len(revisions))
        return sum(_score_alone(revision, at=at) for revision in revisions)
    pace.took(len(revisions), seconds=monotonic() - began)
    return scored


def at_once(*, revision_id: int, at: datetime) -> int:
    """Score one revision for a waiting sender, with a content client that times out in time; return how many.

    Stores what `run` would store. Unlike `run` it takes no other pending revisions along.
    """
    revisions = leases.claim(revision_ids=[revision_id], at=at, is_alone=True)
    return batch(revisions=revisions, at=at, is_awaited=True) if revisions else 0


def batch(*, revisions: Sequence[Revision], at: datetime, is_awaited: bool = False) -> int:
    """Score revisions that the caller has claimed, step by step; return how many were still its own.

    `is_awaited`: a sender waits, so raises scorer.Loading instead of loading the live release.
    """
    began_at, since = tracing.now(), {row.pk: row.scoring.enqueued_at for row in revisions}
    live = scorer.current().low_latency() if is_awaited else scorer.current().live()
    text_groups.backfill(revisions=revisions)
    join.join(revisions=revisions, at=at)
    frozen = _freeze(revisions, at=at)
    results, policies = _judge(frozen, live=live, at=at, is_awaited=is_awaited)
    gather.gather_or_leave(revisions=revisions, results=results, at=at)
    judged_at = tracing.now()
    # Only now: while the models compute, a task holds no row that ingest or a moderator waits for.
    with transaction.atomic(), messages.same_endpoints():
        scores = _store(frozen, results, is_owed=policies.is_owed, live=live, at=at)
        matches.store(policies, scores=scores, at=at)
        announce.scored(scores, at=at)
        route.apply(scores=scores, at=at)
        recovery.drop_replaced(scores)
        opening.request(scores, at=at)
    for row in scores:
        tracing.span("wait", of=row.revision, began_at=since[row.revision_id], ended_at=began_at)
        tracing.span("score", of=row.revision, began_at=began_at, ended_at=judged_at, batch=len(revisions))
        tracing.span("route", of=row.revision, began_at=judged_at, route=row.route)
    return len(scores)


def _score_alone(revision: Revision, *, at: datetime) -> int:
    try:
        return batch(revisions=[revision], at=at)
    except (SoftTimeLimitExceeded, OperationalError, InterfaceError):
        raise
    except Exception:
        log.exception("scoring_failed", revision=revision.pk, attempts=revision.scoring.attempts)
        return 0


def _freeze(revisions: Sequence[Revision], *, at: datetime) -> _Frozen:
    rows = records.records_at(revisions=revisions, at=at)
    rules = rules_in_force.for_revisions(revisions=revisions, records=rows, at=at)
    return _Frozen(revisions=revisions, records=rows, rules=rules)


def _judge(
    frozen: _Frozen, *, live: Scorer, at: datetime, is_awaited: bool
) -> tuple[Sequence[ScoreResult], Matches]:
    policies = matches.NOTHING

    def held(is_degraded: bool) -> Sequence[bool]:  # noqa: FBT001 - the scorer's call
        nonlocal policies
        policies = matches.find(
            revisions=frozen.revisions, at=at, is_degraded=is_degraded, is_awaited=is_awaited
        )
        return policies.held

    results = live.score_many(
        frozen.records,
        blocklist=frozen.rules,
        held=held,
        known=latest_scores.content_scores(frozen.revisions, content_model=live.release.content_model),
    )
    drawn = audit_sample.drawn(
        revisions=frozen.revisions,
        records=frozen.records,
        results=withheld(results, revisions=frozen.revisions),
        release=live.release,
        at=at,
    )
    return drawn, policies


@transactions.required
def _store(
    frozen: _Frozen, results: Sequence[ScoreResult], *, is_owed: bool, live: Scorer, at: datetime
) -> list[Score]:
    """Save the scores of those that no other worker has taken over; the others are left out."""
    held_ids = leases.finish(revisions=frozen.revisions)
    release = Release(pk=live.release.id, manifest=live.release.manifest)
    rows = [
        unsaved(revision=revision, record=record, result=result, release=release, at=at)
        for revision, record, result in zip(frozen.revisions, frozen.records, results, strict=True)
        if revision.pk in held_ids
    ]
    review_sample.draw(rows, at=at)
    _insert(rows, live=live, at=at)
    lacking = [score.revision.scoring for score in rows if score.is_degraded or is_owed]
    for row in lacking:  # their next pause begins now
        row.state, row.lease_until, row.enqueued_at = ScoreState.DEGRADED, None, at
        row.degraded_since = row.degraded_since or at
    ScoringJob.objects.bulk_update(lacking, ["state", "lease_until", "enqueued_at", "degraded_since"])
    return rows


def _insert(scores: Sequence[Score], *, live: Scorer, at: datetime) -> None:
    ids = prepared.rows(_IDS, count=len(scores), release=live.release.id)
    if not all(is_known for _, is_known in ids):  # a release's first scores
        store.release(live.release, at=at)
    for score, (pk, _) in zip(scores, ids, strict=True):
        score.pk = pk
    prepared.save(scores)


def unsaved(
    *, revision: Revision, record: PostRecord, result: ScoreResult, release: Release, at: datetime
) -> Score:
    """Return the unsaved score of a revision; what moved nothing is kept only of what people will see."""
    is_for_people = result.routing.route == routing.Route.REVIEW
    return Score(
        revision=revision,
        generation=revision.scoring.generation,
        release=release,
        scored_at=at,
        record=stored_records.kept(record),
        schema_hash=result.schema_hash,
        features=list(result.features),
        spam_probability=result.spam_probability,
        content_probability=result.content_probability,
        content_score=result.content_score.to_bytes() if result.content_score else None,
        content_model=result.content_model,
        sub_models=dict(result.sub_models),
        base=result.base,
        contributions=[
            [part.feature, None if math.isnan(part.value) else part.value, round(part.contribution, 6)]
            for part in sorted(result.contributions, key=lambda part: -abs(part.contribution))
            if part.contribution or is_for_people or part.feature not in latest_scores.KNOWN
        ],
        route=result.routing.route,
        route_reason=result.routing.reason or "",
        is_audit_sample=result.routing.is_audit_sample,
        audit_probability=result.routing.audit_probability,
        audit_uniform_probability=result.routing.uniform_probability,
        expected_harm=result.expected_harm,
        is_degraded=result.is_degraded,
        **_ruled(result.rule),
    )


def withheld(results: Sequence[ScoreResult], *, revisions: Sequence[Revision]) -> list[ScoreResult]:
    """Return the results with removals sent to people where the filter may not remove alone.

    That is on platforms where it has not proven right, and accounts everywhere.
    """
    return [
        result
        if revision.post.platform.is_removing and not revision.post.is_account
        else replace(result, routing=routing.unproven(result.routing))
        for result, revision in zip(results, revisions, strict=True)
    ]


def _ruled(rule: Rule | None) -> dict[str, int]:
    """Add the rule to the stored score: a ban replaces the models' output, other rules are added to it."""
    if rule is None:
        return {}
    return {"ban_id" if rule.effect is Effect.BAN else "rule_id": rule.id}
