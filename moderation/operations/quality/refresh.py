"""Estimate the figures of quality anew and store them, so that no page has to."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from functools import partial

from django.db import transaction

from moderation.models import Platform, QualityFigure, QualityTable
from moderation.models.notifications import NotificationKind
from moderation.models.platforms import Removal
from moderation.models.quality import Dimension, QualitySpan, QualityTableKind, QualityUnit
from moderation.models.scores import RouteChoice
from moderation.operations.audit import entries
from moderation.operations.infrastructure import advisory_locks, transactions
from moderation.operations.infrastructure.advisory_locks import AdvisoryLock
from moderation.operations.notifications import notify
from moderation.queries.quality import coverage, figures, needed_labels, removal, tables, undecided
from moderation.queries.quality.figures import Figure
from moderation.queries.quality.labelled_posts import LabelledPosts, labelled_posts, passed_over
from moderation.queries.quality.tables import Rows

SPANS = {QualitySpan.DAYS_7: 7, QualitySpan.DAYS_28: 28, QualitySpan.DAYS_90: 90}
TREND = {QualitySpan.DAY: 28, QualitySpan.WEEK: 90}
"""How many days back days and weeks are shown."""

_STEPS = {QualitySpan.DAY: 1, QualitySpan.WEEK: 7}
_BATCH = 1_000
LONGEST = timedelta(days=90)
"""How long labels count; a longer attempt starts again. Each errs with 5 % at most."""

_audit = entries.writer("platform")


@dataclass(frozen=True, slots=True, kw_only=True)
class _About:
    """The platform, unit and time of an estimate; `posts` are all labels, of whatever unit.

    `routes` had posts, and of the review route those that were opened at `waiting` are undecided.
    """

    platform: Platform | None
    unit: QualityUnit
    at: datetime
    posts: LabelledPosts
    routes: frozenset[RouteChoice]
    waiting: Sequence[datetime]

    def hides_spam(self, *, start: datetime, end: datetime) -> bool:
        """Return whether much of a period's spam may be among its undecided posts."""
        within = (self.posts.scored_at >= start) & (self.posts.scored_at < end)
        waiting = bisect_left(self.waiting, end) - bisect_left(self.waiting, start)
        return coverage.hides_spam(self.posts.where(within.astype(bool)), waiting=waiting)


def refresh(*, at: datetime) -> int:
    """Estimate all figures, of each platform and of the whole in a transaction each; return how many."""
    platforms: list[Platform | None] = [None, *Platform.objects.order_by("pk")]
    return sum(_refresh(platform, at=at) for platform in platforms)


def _refresh(platform: Platform | None, *, at: datetime) -> int:
    longest = at - timedelta(days=max(SPANS.values()))
    posts, passed = (
        query(since=longest, until=at, platform_id=platform.pk if platform else None)
        for query in (labelled_posts, passed_over)
    )
    routes = coverage.routes(posts, since=longest, until=at, platform=platform)
    waiting = undecided.review_opened(since=longest, until=at, platform=platform)
    about = partial(_About, platform=platform, at=at, posts=posts, routes=routes, waiting=waiting)
    rows = [
        row
        for unit, part, passed_part in (
            (QualityUnit.POSTS, posts, passed),
            (QualityUnit.VIEWS, posts.with_views, passed.with_views),
        )
        # No figure by views of a platform that sends none: the page says so in words.
        if unit == QualityUnit.POSTS or len(part)
        for estimate in (_spans, _trends)
        for row in estimate(part, passed_part, about=about(unit=unit))
    ]
    plan = _plan(posts, platform=platform, at=at)
    quality_tables = [
        QualityTable(platform=platform, span=span, kind=kind, rows=table_rows, counted_at=at)
        for span, days in SPANS.items()
        for kind, table_rows in (
            _tables(posts, passed, since=at - timedelta(days=days), at=at, platform=platform) | plan
        ).items()
    ]
    with transaction.atomic():
        # Around the storing alone, which replaces all rows: without it two runs at once would both insert.
        advisory_locks.take(AdvisoryLock.QUALITY, subject_id=platform.pk if platform else 0)
        QualityFigure.objects.filter(platform=platform).delete()
        QualityTable.objects.filter(platform=platform).delete()
        QualityFigure.objects.bulk_create(rows, batch_size=_BATCH)
        QualityTable.objects.bulk_create(quality_tables)
        if platform is not None:
            weigh_removals(platform_id=platform.pk, posts=posts, at=at)
    return len(rows)


def _tables(
    posts: LabelledPosts,
    passed: LabelledPosts,
    *,
    since: datetime,
    at: datetime,
    platform: Platform | None,
) -> dict[QualityTableKind, Rows]:
    part, passed_part = _since(posts, since), _since(passed, since)
    open_counts = undecided.undecided(since=since, until=at, platform=platform)
    by_kind = tables.tables(part, since=since, until=at, platform=platform)
    return by_kind | {
        QualityTableKind.UNDECIDED: [dict(undecided.row(part, open_counts, passed=passed_part))]
    }


def _plan(posts: LabelledPosts, *, platform: Platform | None, at: datetime) -> dict[QualityTableKind, Rows]:
    need = needed_labels.of_traffic(
        at=at,
        platform_id=platform.pk if platform else None,
        posts=_since(posts, at - needed_labels.LABELS_SINCE),
    )
    return {QualityTableKind.PLAN: [asdict(need)]}


def _spans(posts: LabelledPosts, passed: LabelledPosts, *, about: _About) -> Iterator[QualityFigure]:
    for span, days in SPANS.items():
        start = about.at - timedelta(days=days)
        passed_part = _since(passed, start)
        hides_spam = about.hides_spam(start=start, end=about.at)
        everything, *parts = figures.slices(
            _since(posts, start), looks=days, unit=about.unit, passed=passed_part
        )
        for part in (everything, *parts):
            estimates = part.figures
            if part.dimension != Dimension.ROUTE:  # that of one route needs no other
                # A reason has labels of spam alone: those of all posts say what routes have any.
                of = everything.figures if part.dimension == Dimension.REASON else estimates
                estimates = coverage.shown(estimates, of=of, wanted=about.routes, hides_spam=hides_spam)
            yield from _rows(
                estimates, part.dimension, part.name, about=about, span=span, start=start, end=about.at
            )


def _trends(posts: LabelledPosts, passed: LabelledPosts, *, about: _About) -> Iterator[QualityFigure]:
    for span, days in TREND.items():
        step, since = _STEPS[span], about.at - timedelta(days=days)
        for start, estimates in figures.by_day(
            _since(posts, since), days=step, unit=about.unit, passed=_since(passed, since)
        ):
            # A step that began before the period was read in part, but would be shown as a whole one.
            if start >= since:
                end = start + timedelta(days=step)
                hides_spam = about.hides_spam(start=start, end=end)
                shown = coverage.shown(estimates, of=estimates, wanted=about.routes, hides_spam=hides_spam)
                yield from _rows(shown, Dimension.ALL, "", about=about, span=span, start=start, end=end)


def _since(posts: LabelledPosts, start: datetime) -> LabelledPosts:
    return posts.where((posts.scored_at >= start).astype(bool))


def _rows(
    estimates: Iterable[Figure],
    dimension: Dimension,
    name: str,
    *,
    about: _About,
    span: QualitySpan,
    start: datetime,
    end: datetime,
) -> Iterator[QualityFigure]:
    for figure in estimates:
        yield QualityFigure(
            platform=about.platform,
            unit=about.unit,
            span=span,
            start=start,
            end=end,
            dimension=dimension,
            slice=name,
            measure=figure.measure,
            value=figure.weighted.value,
            low=figure.weighted.low,
            high=figure.weighted.high,
            labels=figure.weighted.labels,
            uniform_value=figure.uniform.value,
            uniform_low=figure.uniform.low,
            uniform_high=figure.uniform.high,
            uniform_labels=figure.uniform.labels,
            estimated_at=about.at,
        )


@transactions.required
def weigh_removals(*, platform_id: int, posts: LabelledPosts, at: datetime) -> None:
    """Count the labels of a platform's removals, and begin or stop removing.

    `posts` are its labelled posts of the last 90 days. It begins when the bound of all labels of this attempt
    is above the promise. It stops when the bound no longer is, or when labels since it began refute the
    promise: a long good past must not hide a bad present. Then the next attempt begins with no labels.
    """
    platform = Platform.objects.select_for_update().get(pk=platform_id)
    was_proven_at = platform.removal_proven_at
    since = platform.removal_since or max(platform.created_at, at - LONGEST)
    if was_proven_at is None and since < at - LONGEST:
        since = at
    trials = removal.trials(posts, since=since)
    if was_proven_at and removal.trials(posts, since=was_proven_at).is_refuted:
        since, platform.removal_proven_at = at, None
    elif not trials.is_proven:
        platform.removal_proven_at = None
    elif was_proven_at is None:
        platform.removal_proven_at = at
    platform.removal_since = since
    platform.removal_right, platform.removal_wrong = trials.right, trials.wrong
    platform.save(update_fields=("removal_proven_at", "removal_since", "removal_right", "removal_wrong"))
    if platform.removal_proven_at != was_proven_at:
        _audit(
            "platform.removal_proven" if platform.removal_proven_at else removal.STOPPED,
            platform,
            actor=None,
            at=at,
            right=trials.right,
            wrong=trials.wrong,
            low=round(trials.interval[0], 4),
        )
        if platform.removal_proven_at is None and platform.removal == Removal.PROVEN:
            notify.write(kind=NotificationKind.REMOVAL, subject=platform.pk, platform_id=platform.pk, at=at)
