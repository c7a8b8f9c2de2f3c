"""Let the candidate of the open shadow run score what the live release scored, a little at a time.

It reads the frozen records of stored scores, so it is never in the way of scoring: it waits while posts wait
to be scored, and its questions to the content model come after those of scoring.
"""

import time
from collections.abc import Sequence
from datetime import datetime, timedelta

import structlog
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils.crypto import salted_hmac

from moderation import enqueue, scorer
from moderation.models import Release, Score, ShadowRun, ShadowScore
from moderation.models.cases import CaseReason
from moderation.models.scores import RouteChoice
from moderation.models.shadow import LinkKind
from moderation.operations.infrastructure import transactions
from moderation.operations.learning import shadow
from moderation.queries.learning import shadow_labels
from moderation.queries.records import stored_records
from scoring.blocklist import Blocklist
from scoring.pipeline import Scorer, ScoreResult
from scoring.records import PostRecord

log = structlog.get_logger(__name__)

LONGEST_SECONDS = 8.0
"""Of one sweep: it runs in a worker that other tasks need, too."""

MOST_BEHIND = 50_000
"""Scores that may wait; older ones are left out, and counted."""

KEPT = timedelta(days=90)
"""How long single scores of a run that has ended are kept; its figures stay."""

_WINDOW = 256
_BATCH = 64
_FORGOTTEN_AT_ONCE = 5_000
_ESTIMATED_EVERY = timedelta(seconds=60)

_SETTLED = timedelta(seconds=90)
"""Longer than the lease on a revision: later no score with a smaller number is committed."""

_NEW_DOMAIN = timedelta(days=30)
_PLACES = {RouteChoice.ALLOW.value: 0, RouteChoice.REVIEW.value: 1, RouteChoice.REMOVE.value: 2}


class ContentAway(Exception):
    """The candidate's content model does not answer."""


def sweep(*, at: datetime) -> int:
    """Score what is due for the open run; return how many posts. Safe to run twice and concurrently."""
    forget(at=at)
    run = ShadowRun.objects.filter(stopped_at__isnull=True).first()
    if run is None:
        return 0
    if scorer.newest() != run.live:
        shadow.end(run, actor=None, at=at)
        return 0
    scored = _follow(run, at=at)
    _estimate(run, at=at)
    return scored


def forget(*, at: datetime) -> None:
    """Delete single scores of runs that ended long ago."""
    old = ShadowScore.objects.filter(run__stopped_at__lt=at - KEPT).order_by("pk")
    ids = list(old.values_list("pk", flat=True)[:_FORGOTTEN_AT_ONCE])
    ShadowScore.objects.filter(pk__in=ids).delete()


def is_drawn(run: ShadowRun, post_id: int) -> bool:
    """Tell whether a run scores a post: by a key, so that no sender can choose it."""
    digest = salted_hmac("shadow", f"{run.pk}:{post_id}", algorithm="sha256").digest()
    return int.from_bytes(digest[:8], "big") < run.share * 2**64


def _follow(run: ShadowRun, *, at: datetime) -> int:
    try:
        judge = scorer.current().shadow_of(run.candidate)
    except scorer.UNUSABLE as reason:
        _trouble(run, f"{type(reason).__name__}: {reason}", at=at)
        return 0
    _catch_up(run)
    scored, began = 0, time.monotonic()
    while time.monotonic() - began < LONGEST_SECONDS and not enqueue.messages().get("scoring"):
        try:
            found = _window(run, judge=judge, at=at)
        except ContentAway as reason:
            _trouble(run, str(reason), at=at)
            break
        if found is None:
            break
        scored += found
    return scored


def _catch_up(run: ShadowRun) -> None:
    """Leave out the oldest scores if more wait than may."""
    waiting = Score.objects.filter(pk__gt=run.reached).order_by("-pk").values_list("pk", flat=True)
    edge = list(waiting[MOST_BEHIND : MOST_BEHIND + 1])
    if edge:
        left_out = Score.objects.filter(pk__gt=run.reached, pk__lte=edge[0]).count()
        _advance(run, to=edge[0], skipped=run.skipped + left_out)


def _window(run: ShadowRun, *, judge: Scorer, at: datetime) -> int | None:
    """Score the next scores; None if there is none, or another worker was faster. Raises ContentAway."""
    ahead = Score.objects.filter(pk__gt=run.reached).order_by("pk")
    rows = list(ahead.values_list("pk", "scored_at", "revision__post_id")[:_WINDOW])
    unsettled = next((place for place, row in enumerate(rows) if row[1] > at - _SETTLED), len(rows))
    rows = rows[:unsettled]
    if not rows:
        return None
    chosen = _comparable(run, [pk for pk, _, post_id in rows if is_drawn(run, post_id)])
    failed = run.failed
    made = []
    for start in range(0, len(chosen), _BATCH):
        batch = chosen[start : start + _BATCH]
        found = _judged(batch, judge=judge)
        failed += len(batch) - len(found)
        made += found
    cause = f"{failed - run.failed} of {len(chosen)} posts failed" if failed > run.failed else ""
    with transaction.atomic():
        is_ours = _advance(
            run, to=rows[-1][0], failed=failed, trouble=cause, trouble_at=at if cause else None
        )
        if not is_ours:
            return None
        # Of posts that were erased meanwhile no row is kept.
        standing = transactions.lock_posts(pk__in={score.revision.post_id for score, _, _ in made})
        kept = [one for one in made if one[0].revision.post_id in standing]
        release = Release.objects.filter(pk=run.live).first()
        ShadowScore.objects.bulk_create(
            [_row(run, *one, release=release, at=at) for one in kept], ignore_conflicts=True
        )
    return len(kept)


def _comparable(run: ShadowRun, ids: Sequence[int]) -> list[Score]:
    """Load the live release's first whole scores of their texts that no rule routed."""
    earlier = Score.objects.filter(
        revision=OuterRef("revision"), generation__lt=OuterRef("generation"), is_degraded=False
    )
    rows = Score.objects.filter(
        Q(generation=1) | ~Exists(earlier),
        pk__in=ids,
        release=run.live,
        is_degraded=False,
        ban__isnull=True,
        rule__isnull=True,
    )
    return list(rows.select_related(stored_records.RELATED).order_by("pk"))


def _judged(batch: Sequence[Score], *, judge: Scorer) -> list[tuple[Score, PostRecord, ScoreResult]]:
    """Score records; if one fails, each alone, without those that fail. Raises ContentAway."""
    # Without those erased meanwhile, or of a version before.
    records = [(score, record) for score in batch if (record := stored_records.readable(score))]
    try:
        results = judge.score_many([record for _, record in records], blocklist=Blocklist())
    except Exception:
        if len(records) == 1:
            log.exception("shadow_failed", score=records[0][0].pk)
            return []
        return [one for score, _ in records for one in _judged([score], judge=judge)]
    if any(result.is_degraded for result in results):
        raise ContentAway("its content model does not answer")
    return [(score, record, result) for (score, record), result in zip(records, results, strict=True)]


def _row(
    run: ShadowRun,
    score: Score,
    record: PostRecord,
    result: ScoreResult,
    *,
    release: Release | None,
    at: datetime,
) -> ShadowScore:
    route, live_route = str(result.routing.route), _live_route(score, release=release)
    return ShadowScore(
        run=run,
        score=score,
        scored_at=at,
        spam_probability=result.spam_probability,
        route=route,
        live_route=live_route,
        distance=abs(_PLACES[route] - _PLACES[live_route]),
        gap=abs(result.spam_probability - score.spam_probability),
        platform_id=score.revision.post.platform_id,
        language=record.language.partition("-")[0].casefold()[:16],
        links=_links(record),
    )


def _live_route(score: Score, *, release: Release | None) -> str:
    """Return what the live models alone would do, also with what chance or a lack of proof gave to people."""
    if score.route_reason == CaseReason.UNPROVEN:
        return RouteChoice.REMOVE.value
    if not score.is_audit_sample or release is None:
        return str(score.route)
    thresholds = release.thresholds_on(score.revision.post.platform.slug)
    is_removed = score.spam_probability >= thresholds.get("remove_from", float("inf"))
    return (RouteChoice.REMOVE if is_removed else RouteChoice.ALLOW).value


def _links(record: PostRecord) -> str:
    if not record.links:
        return LinkKind.NONE.value
    seen = [link.domain_history.first_seen_at for link in record.links]
    is_known = all(one is not None and one <= record.posted_at - _NEW_DOMAIN for one in seen)
    return (LinkKind.KNOWN if is_known else LinkKind.NEW).value


def _advance(run: ShadowRun, *, to: int, **changes: object) -> bool:
    """Move on; False if the run was stopped, or another worker has moved it."""
    open_row = ShadowRun.objects.filter(pk=run.pk, reached=run.reached, stopped_at__isnull=True)
    if not open_row.update(reached=to, **changes):
        return False
    run.reached = to
    for name, value in changes.items():
        setattr(run, name, value)
    return True


def _trouble(run: ShadowRun, what: str, *, at: datetime) -> None:
    log.warning("shadow_candidate_unusable", run=run.pk, reason=what)
    ShadowRun.objects.filter(pk=run.pk).update(trouble=what[:500], trouble_at=at)


def _estimate(run: ShadowRun, *, at: datetime) -> None:
    """Store the comparison, if the stored one is not of this minute."""
    last = run.figures.get("estimated_at")
    if last and at - datetime.fromisoformat(last) < _ESTIMATED_EVERY:
        return
    found = shadow_labels.as_json(shadow_labels.comparison(run), at=at, until=shadow_labels.until(run))
    ShadowRun.objects.filter(pk=run.pk).update(figures=found)
