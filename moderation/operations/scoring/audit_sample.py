"""Draw the audit sample of new scores by their platforms' plans, and log each probability."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from datetime import datetime

from django.utils.crypto import salted_hmac

from moderation.models import Revision, Score
from moderation.queries.labels import audit_plan
from moderation.queries.labels.audit_chance import Chance
from moderation.queries.labels.audit_plan import Plan
from scoring import routing
from scoring.pipeline import ScoreResult
from scoring.records import PostRecord
from scoring.release import Release


@dataclasses.dataclass(frozen=True, slots=True)
class _Draw:
    """The probability that a post is drawn, and whether it was."""

    chance: float
    is_drawn: bool
    uniform_probability: float | None


def drawn(
    *,
    revisions: Sequence[Revision],
    records: Sequence[PostRecord],
    results: Sequence[ScoreResult],
    release: Release,
    at: datetime,
) -> list[ScoreResult]:
    """Return the results with the sample drawn; posts that go to a human anyway, and bans, are unchanged.

    A rescored post keeps its draw: otherwise its logged probability would be wrong. A release whose audit
    rate is 0 has no sample.
    """
    if not release.thresholds.audit_rate:
        return list(results)
    plans = _Plans(floor=release.thresholds.audit_rate, at=at)
    earlier = _earlier([revision for revision in revisions if revision.scoring.generation > 1])
    return [
        _drawn(revision, record, result, earlier=earlier.get(revision.pk), plans=plans)
        for revision, record, result in zip(revisions, records, results, strict=True)
    ]


class _Plans:
    """The plans of a batch's platforms, and how many posts were sampled today, including this batch."""

    def __init__(self, *, floor: float, at: datetime) -> None:
        self._floor, self._at = floor, at
        self._plans: dict[int, Plan] = {}
        self._today: dict[int, int] = {}

    def chance(self, revision: Revision, record: PostRecord, result: ScoreResult) -> Chance:
        platform = revision.post.platform
        if platform.pk not in self._plans:
            self._plans[platform.pk] = audit_plan.of(platform=platform, floor=self._floor, at=self._at)
            self._today[platform.pk] = audit_plan.drawn_today(platform_id=platform.pk, at=self._at)
        return self._plans[platform.pk].chance(
            record,
            content_probability=result.content_probability,
            spam_probability=result.spam_probability,
            drawn_today=self._today[platform.pk],
        )

    def count(self, revision: Revision) -> None:
        self._today[revision.post.platform_id] = self._today.get(revision.post.platform_id, 0) + 1


def _drawn(
    revision: Revision, record: PostRecord, result: ScoreResult, *, earlier: _Draw | None, plans: _Plans
) -> ScoreResult:
    if result.routing.automatic is None:
        return result
    draw = earlier or _draw(record, result, plans.chance(revision, record, result))
    route = routing.sampled(
        result.routing,
        chance=draw.chance,
        is_drawn=draw.is_drawn,
        uniform_probability=draw.uniform_probability,
    )
    if route.is_audit_sample and not earlier:
        plans.count(revision)
    opinion = routing.opinion(route, result.spam_probability)
    return dataclasses.replace(
        result, routing=route, expected_harm=routing.expected_harm(record, probability=opinion)
    )


def _draw(record: PostRecord, result: ScoreResult, chance: Chance) -> _Draw:
    number = routing.draw(record, result.release_id, key=_key())
    return _Draw(
        chance=chance.total,
        is_drawn=number < chance.total,
        uniform_probability=chance.uniform if number < chance.uniform else None,
    )


def _earlier(revisions: Sequence[Revision]) -> dict[int, _Draw]:
    if not revisions:
        return {}
    drawn_for = Score.objects.filter(
        revision__in=revisions, audit_probability__gt=0.0, audit_probability__lt=1.0
    )
    rows = drawn_for.order_by("revision_id", "-generation").values_list(
        "revision_id", "audit_probability", "is_audit_sample", "audit_uniform_probability"
    )
    # The last one in this order wins: the earliest generation.
    return {revision: _Draw(chance, is_drawn, uniform) for revision, chance, is_drawn, uniform in rows}


def _key() -> bytes:
    """Return the installation's secret key of the draw: senders must not predict which posts are drawn."""
    return salted_hmac("audit sample", "", algorithm="sha256").digest()
