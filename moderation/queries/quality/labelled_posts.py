"""Posts with a human label and the chance that the label came about: the basis of figures of quality.

A label counts if chance, or the filter's own route, brought its post to a human:

- The route itself said review: chance 1, whoever decided it in the end, also with its campaign. Without those
  that were decided together, most spam of the review route would be left out. With an audit lane in the queue
  mix only those that were drawn count, with their logged chance: which others are decided, the order of the
  queue says, and where more comes than is decided that is no sample.
- The filter would have removed it, and may not alone (ADR 33): chance 1, and it counts as removed.
- The audit sample drew it (`Score.audit_probability`), or a draw of random labels did (`LabelDraw`). A post
  can come up in either, so its chance is that of being in at least one of them.

What counts is the first score of the labelled text that was not degraded. Complaints and appeals lead to a
later score, perhaps to the route review: such a label came about because the post was bad, and the posts of
the random samples stand for it already. Unless its first score was drawn it is left out, like every label on
an automatic verdict that a complaint, an appeal, a second review or a decision on a campaign brought. Bans
are left out: no model decided, and no audit sample looks at them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from typing import Any, LiteralString, Self

import numpy as np
import numpy.typing as npt
from django.db import connection
from django.db.models import F, FloatField, Max, Q
from django.db.models.functions import Cast

from moderation.models import LabelDraw, Release
from moderation.models.cases import CaseReason, CaseState
from moderation.models.scores import RouteChoice

Flags = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.float64]
Words = npt.NDArray[Any]

_JUDGED: LiteralString = """
SELECT l.id, d.revision_id, d.case_id, l.is_spam, d.reason, d.decided_by_id, l.labelled_at AS since
FROM moderation_label l JOIN moderation_decision d ON d.id = l.decision_id
WHERE l.retracted_at IS NULL AND l.labelled_at >= %(since)s
"""
"""A label is never older than the score of its post: the index by time of the labels bounds the search."""

_PASSED_OVER: LiteralString = """
SELECT c.id, o.revision_id, c.id AS case_id, false AS is_spam, '' AS reason, 0 AS decided_by_id,
  c.opened_at AS since
FROM moderation_case c JOIN moderation_score o ON o.id = c.score_id
WHERE c.state = 'open' AND c.is_drawn AND c.reason <> 'blind' AND c.opened_at < (
  SELECT e.opened_at FROM moderation_case e
  WHERE e.state = 'decided' AND e.is_drawn AND e.closed_at >= %(since)s AND e.opened_at >= %(since)s
    AND (%(platform)s::bigint IS NULL OR e.platform_id = %(platform)s)
  ORDER BY e.opened_at DESC OFFSET %(spared)s LIMIT 1
)
"""

_SPARED = 10
"""So many of the youngest decided cases may have been chosen out of their turn."""

_ROWS: LiteralString = """
SELECT p.id, s.spam_probability, s.route, s.is_audit_sample, s.audit_probability,
  coalesce(b.effect = 'allow', false), d.is_spam, c.draw_id IS NOT NULL,
  p.platform_id, f.slug, r.language, d.reason, s.release_id, d.decided_by_id, s.scored_at, d.since,
  p.received_at, s.audit_uniform_probability, s.review_probability, v.views, s.route_reason
FROM source d
JOIN moderation_revision r ON r.id = d.revision_id
JOIN moderation_post p ON p.id = r.post_id AND p.erased_at IS NULL
JOIN moderation_platform f ON f.id = p.platform_id
LEFT JOIN LATERAL (
  SELECT views FROM moderation_revision o
  WHERE o.post_id = p.id AND o.views IS NOT NULL ORDER BY o.number DESC LIMIT 1
) v ON true
LEFT JOIN moderation_case c ON c.id = d.case_id
-- The first score with all models; a text that was decided before there was one has only degraded scores.
JOIN LATERAL (
  SELECT * FROM moderation_score o
  WHERE o.revision_id = d.revision_id ORDER BY o.is_degraded, o.generation LIMIT 1
) s ON s.ban_id IS NULL
LEFT JOIN moderation_rule b ON b.id = s.rule_id
WHERE s.scored_at >= %(since)s AND s.scored_at < %(until)s
  AND (%(platform)s::bigint IS NULL OR p.platform_id = %(platform)s)
  AND (s.audit_probability >= 1 OR s.is_audit_sample OR c.draw_id IS NOT NULL)
  AND (s.review_probability IS NULL OR s.is_review_sample)
ORDER BY d.since, d.id
"""

_LONGEST_LANGUAGE = 8
"""Letters of a language in BCP 47; what is longer was stored by mistake, and fits into no slice's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledPosts:
    """A column for each field, in the order in which the labels were given; all have the same length.

    `automatic` is the route that the post had or, drawn for a sample or unproven, would have had; "review"
    where a human had to see it. `chance` in (0, 1] is the probability that the label came about. `is_uniform`
    marks the review route and the automatic posts that were drawn whatever their score, with
    `uniform_chance`: by the uniform part of the audit sample, on a platform without any such label by draws
    of random labels. `views` are what the platform last told of the post, NaN if it told none.
    """

    post_id: npt.NDArray[np.int64]
    spam_probability: Numbers
    automatic: Words
    is_spam: Flags
    chance: Numbers
    is_uniform: Flags
    uniform_chance: Numbers
    platform_id: npt.NDArray[np.int64]
    language: Words
    reason: Words
    release_id: Words
    decided_by: npt.NDArray[np.int64]
    scored_at: Words
    labelled_at: Words
    views: Numbers

    def __len__(self) -> int:
        return len(self.is_spam)

    @property
    def is_removed(self) -> Flags:
        """Whether the filter alone removed the post, or would have."""
        return np.asarray(self.automatic == RouteChoice.REMOVE.value, dtype=bool)

    @property
    def is_allowed(self) -> Flags:
        """Whether the filter alone let the post through, or would have."""
        return np.asarray(self.automatic == RouteChoice.ALLOW.value, dtype=bool)

    @property
    def with_views(self) -> Self:
        """Return the posts of which the platform told how often they were seen."""
        return self.where(~np.isnan(self.views))

    @property
    def uniform(self) -> Self:
        """Return the posts that were drawn whatever their score, with the chance of that."""
        posts = self.where(self.is_uniform)
        return replace(posts, chance=posts.uniform_chance)

    def where(self, chosen: Flags) -> Self:
        """Return the rows that a mask of the same length chooses."""
        return type(self)(**{field.name: getattr(self, field.name)[chosen] for field in fields(self)})


@dataclass(frozen=True, slots=True)
class _Draw:
    """A draw of random labels: which posts it could take, and each one's chance."""

    since: datetime
    until: datetime
    chance: float


def labelled_posts(*, since: datetime, until: datetime, platform_id: int | None = None) -> LabelledPosts:
    """Read the labels of posts first scored at or after `since` and before `until`, oldest label first."""
    return _read(_JUDGED, since=since, until=until, platform_id=platform_id)


def passed_over(*, since: datetime, until: datetime, platform_id: int | None = None) -> LabelledPosts:
    """Read the drawn posts of a period that wait although younger ones were decided, as if not spam.

    Drawn cases come by age: those whose turn did not come yet are missing at random, and are left out. Others
    were avoided, or nobody reads their language: their labels may differ from all that are known.
    """
    return _read(_PASSED_OVER, since=since, until=until, platform_id=platform_id)


def _read(
    source: LiteralString, *, since: datetime, until: datetime, platform_id: int | None
) -> LabelledPosts:
    values = {"since": since, "until": until, "platform": platform_id, "spared": _SPARED}
    with connection.cursor() as cursor:
        cursor.execute("WITH source AS (" + source + ")" + _ROWS, values)
        rows = cursor.fetchall()
    draws = _draws(since=since, platform_id=platform_id)
    removes_from = _thresholds({(row[12], row[9]) for row in rows})
    audited = {row[8] for row in rows if row[17] is not None}
    posts = [
        _row(row, draws=draws.get(row[8], []), removes_from=removes_from, has_audit=row[8] in audited)
        for row in rows
    ]
    columns = _columns(posts)
    # The last labels of a draw whose posts were all withdrawn: no chance is known for them.
    return columns.where(columns.chance > 0)


def _row(
    row: tuple[Any, ...],
    *,
    draws: list[_Draw],
    removes_from: Mapping[tuple[str, str], float],
    has_audit: bool,
) -> tuple[Any, ...]:
    post, probability, route, is_audit, audit, is_allowance, is_spam, is_drawn = row[:8]
    platform, slug, language, reason, release, decided_by, scored_at, labelled_at, received_at = row[8:17]
    of_audit, of_review, views, route_reason = row[17:]
    is_review = route == RouteChoice.REVIEW and not is_audit
    automatic = route
    if is_audit:
        is_removed = not is_allowance and probability >= removes_from[release, slug]
        automatic = (RouteChoice.REMOVE if is_removed else RouteChoice.ALLOW).value
    elif route_reason == CaseReason.UNPROVEN:
        automatic = RouteChoice.REMOVE.value
    undrawn = 1.0
    for draw in draws:
        if draw.since < received_at and scored_at <= draw.until:
            undrawn *= 1.0 - draw.chance
    chance, is_uniform = 1.0 if of_review is None else of_review, True
    uniform = chance
    if not is_review:
        chance = 1.0 - (1.0 - audit) * undrawn
        is_uniform = of_audit is not None if has_audit else is_drawn
        uniform = of_audit if has_audit and is_uniform else (1.0 - audit) * (1.0 - undrawn)
    return (
        post, probability, automatic, is_spam, chance, is_uniform, uniform, platform,
        language.partition("-")[0].casefold()[:_LONGEST_LANGUAGE], reason, release, decided_by, scored_at,
        labelled_at, np.nan if views is None else views,
    )  # fmt: skip


def _draws(*, since: datetime, platform_id: int | None) -> dict[int, list[_Draw]]:
    """Return the draws that could take posts scored since then, by platform.

    Of a cancelled one the posts that were kept count.
    """
    rows = LabelDraw.objects.filter(asked_at__gte=since, population__gt=0, drawn__gt=0)
    if platform_id is not None:
        rows = rows.filter(platform=platform_id)
    kept_chance = Max("cases__audit_probability", filter=~Q(cases__state=CaseState.WITHDRAWN))
    whole = Cast(F("drawn"), FloatField()) / F("population")
    draws: dict[int, list[_Draw]] = {}
    for draw in rows.annotate(kept=kept_chance, whole=whole).order_by("id"):
        chance = (draw.kept or 0.0) if draw.cancelled_at else draw.whole
        first = draw.asked_at - timedelta(days=draw.days)
        draws.setdefault(draw.platform_id, []).append(_Draw(first, draw.asked_at, chance))
    return draws


def _thresholds(pairs: set[tuple[str, str]]) -> dict[tuple[str, str], float]:
    """Return from which probability on each release removes on each platform; without thresholds, never."""
    releases = Release.objects.in_bulk({release for release, _ in pairs})
    return {
        (release, slug): float(releases[release].thresholds_on(slug).get("remove_from", np.inf))
        for release, slug in pairs
    }


def _columns(rows: list[tuple[Any, ...]]) -> LabelledPosts:
    by_column = list(zip(*rows, strict=True)) if rows else [()] * 15
    kinds: tuple[Any, ...] = (
        np.int64, float, object, bool, float, bool, float, np.int64, object, object, object, np.int64, object,
        object, float,
    )  # fmt: skip
    arrays = [np.asarray(column, dtype=kind) for column, kind in zip(by_column, kinds, strict=True)]
    return LabelledPosts(**dict(zip((field.name for field in fields(LabelledPosts)), arrays, strict=True)))
