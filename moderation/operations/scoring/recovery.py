"""Recover scoring after lost messages and dead workers, and rescore when the content model is back."""

import operator
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import takewhile

from django.db import transaction
from django.db.models import DateTimeField, Exists, ExpressionWrapper, F, OuterRef, Q, Value
from django.db.models.functions import Greatest, Least, Mod

from moderation import enqueue, scorer
from moderation.models import Case, Decision, Score, ScoringJob, desk_settings
from moderation.models.cases import CaseReason, CaseState
from moderation.models.decisions import DecisionSource
from moderation.models.posts import ScoreState
from moderation.operations import rescore
from moderation.operations.infrastructure import sweeps
from moderation.operations.policies import matches
from moderation.operations.scoring import leases, route

MAX_ATTEMPTS = 8
SWEEP_LIMIT = 2_000
_ASKED = 500
"""Most posts that one sweep puts before people."""
_LEAST_PAUSE, _LONGEST_PAUSE = timedelta(seconds=10), timedelta(minutes=10)
_RECENT = timedelta(seconds=30)
"""How long a good score says something about the models."""


def sweep(*, at: datetime) -> int:
    """Enqueue revisions whose message was lost, whose worker died or that were held; return how many."""
    # Whoever scores takes along what waits, and names what is beyond a batch; only suspects are scored alone.
    has_backlog = (
        bool(enqueue.messages().get("scoring"))
        or ScoringJob.objects.filter(lease_until__gt=at, is_open=True, state=ScoreState.SCORING).exists()
    )
    forgotten = sweeps.forgotten(has_backlog=has_backlog, at=at)
    with transaction.atomic():
        jobs = list(
            ScoringJob.objects.select_for_update(skip_locked=True)
            .filter(Q(state=ScoreState.PENDING) & forgotten | leases.is_over(at=at), is_open=True)
            .order_by("enqueued_at", "pk")[:SWEEP_LIMIT]
        )
        if not jobs:
            return 0
        dead = [job.pk for job in jobs if job.attempts >= MAX_ATTEMPTS]
        # Each of these is scored alone, so that a few go first.
        suspects = [job.pk for job in jobs if 1 < job.attempts < MAX_ATTEMPTS][: leases.AGAIN_CHUNK]
        open_again = [job.pk for job in jobs if job.attempts <= 1 or job.pk in suspects]
        ScoringJob.objects.filter(pk__in=dead).update(state=ScoreState.DEAD)
        # Revisions of a killed worker keep their old time of arrival, so that the next task of any post takes
        # them along, whatever the backlog. Only once: a post may be what kills the workers. So do held ones.
        interrupted = [job.pk for job in jobs if job.lease_until and job.attempts <= 1]
        ScoringJob.objects.filter(pk__in=interrupted).update(state=ScoreState.PENDING, lease_until=None)
        ScoringJob.objects.filter(pk__in=open_again).exclude(pk__in=interrupted).update(
            state=ScoreState.PENDING, lease_until=None, enqueued_at=at
        )
        enqueue.scoring(revision_ids=open_again)
    return len(open_again)


def rescore_degraded(*, at: datetime) -> int:
    """Score degraded posts again once the content model answers; return how many were enqueued.

    While a policy in words holds posts, the topics model has to answer, too: posts that could not be compared
    with it are among them.

    A model that answers one text may not answer thousands. So one batch goes first, then four times as many
    posts as were scored well since the last failure: a breaker that closes by steps. While no batch succeeds,
    the pause of each post doubles.
    """
    degraded = ScoringJob.objects.filter(is_open=True, state=ScoreState.DEGRADED)
    if not degraded.exists() or not scorer.content().is_ready() or not matches.is_ready(at=at):
        return 0
    well = _scored_well(at=at)
    under_way = ScoringJob.objects.filter(
        is_open=True, state__in=(ScoreState.PENDING, ScoreState.SCORING), degraded_since__isnull=False
    )
    room = min(max(leases.AGAIN_CHUNK, 4 * well), SWEEP_LIMIT) - under_way.count()
    longest = _LONGEST_PAUSE if well < leases.AGAIN_CHUNK else 2 * _LEAST_PAUSE
    if room <= 0:
        return 0
    with transaction.atomic():
        free = degraded.filter(_is_due(at=at, longest=longest)).select_for_update(skip_locked=True)
        ids = free.order_by("enqueued_at", "pk").values_list("pk", flat=True)[:room]
        enqueued = rescore.again(ids, at=at, states=(ScoreState.DEGRADED,))
    return len(enqueued)


def ask_people(*, at: datetime) -> int:
    """Open cases of posts that stay degraded for too long, as the desk is set; return how many."""
    degraded = ScoringJob.objects.filter(is_open=True, state=ScoreState.DEGRADED)
    if not degraded.exists():
        return 0
    post = OuterRef("revision__post")
    decisions = Decision.objects.filter(post=post, reversal__isnull=True).filter(
        Q(decided_at__gte=OuterRef("degraded_since"))
        | Q(source=DecisionSource.MODERATOR, revision=OuterRef("pk"))
    )
    latest = Score.objects.filter(
        route_reason=CaseReason.DEGRADED, generation=F("revision__scoring__generation")
    )
    unasked = degraded.filter(
        ~Exists(Case.objects.filter(post=post, state=CaseState.OPEN)),
        ~Exists(decisions),
        Exists(latest.filter(revision=OuterRef("pk"))),
        degraded_since__lte=at - timedelta(seconds=desk_settings.current().degraded_seconds),
        revision__number=F("revision__post__latest_revision"),
    )
    ids = list(unasked.order_by("enqueued_at", "pk").values_list("pk", flat=True)[:_ASKED])
    if not ids:
        return 0
    with transaction.atomic():
        held_ids = leases.still(ScoreState.DEGRADED, revision_ids=ids)
        scores = latest.filter(revision__in=held_ids).select_related(
            "revision__post__platform", "revision__scoring"
        )
        route.apply(scores=list(scores), at=at)
    return len(scores)


def drop_replaced(scores: Sequence[Score]) -> None:
    """Delete degraded scores that degraded ones replace, unless a case or decision uses them."""
    repeats = [score for score in scores if score.is_degraded and score.generation > 1]
    if repeats:
        old_scores = Score.objects.filter(
            revision__in=[score.revision_id for score in repeats], is_degraded=True
        )
        old_scores.filter(cases=None, decisions=None).exclude(pk__in=[score.pk for score in repeats]).delete()


def _is_due(*, at: datetime, longest: timedelta) -> Q:
    """Select by the times of the first and the last try: pauses double, and differ by post."""
    tried_for = F("enqueued_at") - F("degraded_since")
    pause = Least(Greatest(tried_for, Value(_LEAST_PAUSE)), Value(longest))
    jitter = 0.75 + Mod(F("pk") * 37, 64) / 128.0
    return Q(enqueued_at__lte=ExpressionWrapper(Value(at) - pause * jitter, output_field=DateTimeField()))


def _scored_well(*, at: datetime) -> int:
    """Return how many of the newest posts in a row were scored with every model.

    Or of those scored again: a first score for a waiting sender may lack an answer for want of time.
    """
    newest = Score.objects.order_by("-pk").values_list(
        "generation", "scored_at", "is_degraded", "revision__scoring__state"
    )
    recent = [
        (generation > 1, is_degraded or state == ScoreState.DEGRADED)
        for generation, scored_at, is_degraded, state in newest[:SWEEP_LIMIT]
        if scored_at > at - _RECENT
    ]
    all_outcomes = [lacks for _, lacks in recent]
    second_outcomes = [lacks for is_again, lacks in recent if is_again]
    return max(
        sum(1 for _ in takewhile(operator.not_, outcomes)) for outcomes in (all_outcomes, second_outcomes)
    )
