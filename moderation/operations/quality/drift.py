"""Watch each platform's posts four hours at a time, raise alarms, and note who has seen them."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import numpy as np
from django.db import transaction
from django.db.models import F, OuterRef, Subquery
from django.utils.translation import gettext as _

from moderation.models import DriftAlarm, DriftBlock, DriftWatch, Platform, Post, User
from moderation.models.notifications import NotificationKind
from moderation.operations.audit import entries
from moderation.operations.infrastructure import advisory_locks
from moderation.operations.infrastructure.advisory_locks import AdvisoryLock
from moderation.operations.notifications import notify
from moderation.operations.refusals import NotAllowed
from moderation.queries.quality import drift_evidence, drift_groups, drift_reference, drift_traits
from moderation.queries.quality.drift_groups import Group, SeenPost
from moderation.queries.quality.drift_reference import BLOCK, REFERENCE, Growth

_audit = entries.writer("drift", platform="platform_id")
SETTLED_AFTER = timedelta(minutes=30)
"""By then the posts of a block are scored."""

POSTS_A_RUN = 20_000
"""After so many a run ends, well within a task's time; the next run goes on."""

_DAY, _SAME_ALARM = timedelta(days=1), timedelta(days=7)
_NEXT = Subquery(DriftWatch.objects.filter(platform=OuterRef("pk")).values("next_at"))


def sweep(*, at: datetime) -> int:
    """Watch every platform up to now, the one furthest behind first; return how many blocks were counted."""
    platforms = list(
        Platform.objects.annotate(next_at=_NEXT).order_by(F("next_at").asc(nulls_first=True), "pk")
    )
    blocks, posts = 0, 0
    for platform in platforms:
        while posts < POSTS_A_RUN:
            block = _next_block(platform, platforms=len(platforms), at=at)
            if block is None:
                break
            blocks, posts = blocks + 1, posts + block.posts
    return blocks


def acknowledge(*, alarm_id: int, actor: User, at: datetime) -> None:
    """Note that a lead has seen an alarm; the first one counts. Raises NotAllowed or DoesNotExist."""
    if not actor.may_lead:
        raise NotAllowed(_("Only leads and administrators acknowledge alarms."))
    alarm = DriftAlarm.objects.get(pk=alarm_id)
    with transaction.atomic():
        open_alarm = DriftAlarm.objects.filter(pk=alarm_id, acknowledged_at__isnull=True)
        if open_alarm.update(acknowledged_at=at, acknowledged_by=actor):
            _audit("drift.acknowledged", alarm, actor=actor, at=at)


def _next_block(platform: Platform, *, platforms: int, at: datetime) -> DriftBlock | None:
    """Count one block and weigh it, in one transaction; None if none was due."""
    with transaction.atomic():
        advisory_locks.take(AdvisoryLock.DRIFT, subject_id=platform.pk)
        watch = DriftWatch.objects.filter(platform=platform).first() or _begun(platform, at=at)
        if watch is None or watch.next_at + BLOCK + SETTLED_AFTER > at:
            return None
        end = watch.next_at + BLOCK
        totals = drift_groups.counted(platform_id=platform.pk, start=watch.next_at, end=end)
        block = DriftBlock.objects.create(
            platform=platform,
            starts_at=watch.next_at,
            posts=totals.posts,
            authors=totals.authors,
            counts=totals.counts.tobytes() if totals.posts else b"",
        )
        _weigh(watch, block, platforms=platforms, end=end)
        watch.next_at = end
        watch.save()
        DriftBlock.objects.filter(platform=platform, starts_at__lt=end - _DAY - REFERENCE).delete()
    return block


def _begun(platform: Platform, *, at: datetime) -> DriftWatch | None:
    """Begin with the oldest post of the reference, so that the first days can be compared."""
    start = (
        Post.objects.filter(platform=platform, erased_at__isnull=True, received_at__gte=at - REFERENCE)
        .order_by("received_at")
        .values_list("received_at", flat=True)
        .first()
    )
    if start is None:
        return None
    return DriftWatch(
        platform=platform,
        next_at=drift_reference.start_of(start),
        evidence=drift_evidence.nothing().tobytes(),
    )


def _weigh(watch: DriftWatch, block: DriftBlock, *, platforms: int, end: datetime) -> None:
    restarts = {int(place): datetime.fromisoformat(since) for place, since in watch.restarts.items()}
    paid = drift_reference.payoffs(block, restarts=restarts)
    if paid is None:
        return
    evidence = np.frombuffer(watch.evidence, dtype=np.float32).reshape(paid.shape)
    evidence = drift_evidence.grown(evidence, paid)
    excess = drift_evidence.excess(evidence, platforms=platforms)
    strength = {int(place): float(excess[place]) for place in np.flatnonzero(excess >= 0.0)}
    if strength:
        buckets = _raise(watch.platform_id, strength=strength, restarts=restarts, end=end)
        evidence[list(buckets)] = -np.inf
        restarts |= dict.fromkeys(buckets, block.starts_at)
    # After as long as the reference reaches back it holds nothing from before the alarm.
    restarts = {place: since for place, since in restarts.items() if since > end - REFERENCE}
    watch.evidence = evidence.tobytes()
    watch.restarts = {str(place): since.isoformat() for place, since in restarts.items()}


def _raise(
    platform_id: int, *, strength: dict[int, float], restarts: dict[int, datetime], end: datetime
) -> set[int]:
    """Store an alarm for each group of posts, or add to one of the last days that is about the same posts.

    Returns the buckets that were named; the others have too few authors so far.
    """
    posts = list(drift_groups.seen(platform_id=platform_id, start=end - _DAY, end=end))
    growth = drift_reference.growth(platform_id=platform_id, until=end, restarts=restarts)
    recent = list(DriftAlarm.objects.filter(platform=platform_id, seen_at__gt=end - _SAME_ALARM))
    groups = drift_groups.groups(posts, strength=strength)
    for group in groups:
        match = next((alarm for alarm in recent if drift_groups.has_any(group.posts, alarm.traits)), None)
        if match is None:
            recent.append(_stored(platform_id, group, posts=posts, growth=growth, end=end))
        else:
            _add(match, group, posts=posts, growth=growth, end=end)
    return {drift_traits.bucket(trait) for group in groups for trait in group.traits}


def _stored(
    platform_id: int, group: Group, *, posts: Sequence[SeenPost], growth: Growth, end: datetime
) -> DriftAlarm:
    alarm = DriftAlarm.objects.create(
        platform_id=platform_id,
        raised_at=end,
        seen_at=end,
        posts=len(group.posts),
        all_posts=len(posts),
        traits=drift_groups.described(group.traits, growth),
        slices=drift_groups.slices(group, posts),
        mean_probability=float(np.mean([post.spam_probability for post in group.posts.values()])),
        sample=drift_groups.sample(group),
    )
    notify.write(kind=NotificationKind.DRIFT, subject=alarm.pk, platform_id=platform_id, at=end)
    return alarm


def _add(
    alarm: DriftAlarm, group: Group, *, posts: Sequence[SeenPost], growth: Growth, end: datetime
) -> None:
    """Add traits that are new, as far as there is room; numbers become those of the larger group."""
    pairs = {(trait["family"], trait["trait"]) for trait in alarm.traits}
    traits = [trait for trait in group.traits if (trait[0].value, trait[1]) not in pairs]
    alarm.traits = (alarm.traits + drift_groups.described(traits, growth))[: drift_groups.MOST_TRAITS]
    alarm.seen_at = end
    if len(group.posts) > alarm.posts:
        alarm.posts, alarm.all_posts = len(group.posts), len(posts)
        alarm.slices, alarm.sample = drift_groups.slices(group, posts), drift_groups.sample(group)
    alarm.save(update_fields=["traits", "seen_at", "posts", "all_posts", "slices", "sample"])
