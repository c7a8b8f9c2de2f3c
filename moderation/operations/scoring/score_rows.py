"""A score as it is stored, with the record that it was computed from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from moderation.models import Release, Revision, Score
from scoring import routing
from scoring.blocklist import Effect, Rule
from scoring.pipeline import ScoreResult
from scoring.records import PostRecord


def row(
    *, revision: Revision, record: PostRecord, result: ScoreResult, release: Release, at: datetime
) -> Score:
    """Return the unsaved score of a revision."""
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
        content_score=result.content_score.to_bytes() if result.content_score else None,
        content_model=result.content_model,
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
        audit_uniform_probability=result.routing.uniform_probability,
        expected_harm=result.expected_harm,
        is_degraded=result.is_degraded,
        **_ruled(result.rule),
    )


def withheld(results: Sequence[ScoreResult], *, revisions: Sequence[Revision]) -> list[ScoreResult]:
    """Return the results with removals sent to people on platforms where the filter may not remove alone."""
    return [
        result
        if revision.post.platform.is_removing
        else replace(result, routing=routing.unproven(result.routing))
        for result, revision in zip(results, revisions, strict=True)
    ]


def _ruled(rule: Rule | None) -> dict[str, int]:
    """Add the rule to the stored score: a ban replaces the models' output, other rules are added to it."""
    if rule is None:
        return {}
    return {"ban_id" if rule.effect is Effect.BAN else "rule_id": rule.id}
