"""The current scores of posts: the last score of the latest revision."""

from collections.abc import Iterable, Sequence
from math import isnan
from typing import Any

from django.db.models import F

from moderation.models import Revision, Score
from scoring.content import ContentScore
from scoring.explain import CONTENT_TEXT
from scoring.features import NAMES, SCHEMA_HASH

EXPLAINING = (
    "record",
    "features",
    "content_score",
    "contributions",
    "word_contributions",
    "evidence_words",
    "counterfactual",
)
"""Large fields of a score that neither a case nor a decision needs."""

HEAVY = (*EXPLAINING, "revision__text", "revision__journey", "revision__author_snapshot")
"""These, and those of its revision."""
KNOWN = frozenset({*NAMES, CONTENT_TEXT})
"""What contributes with a value that stands among the score's features."""


def explaining(path: str) -> tuple[str, ...]:
    """Name the fields of EXPLAINING of the score that a path of relations leads to."""
    return tuple(f"{path}__{name}" for name in EXPLAINING)


def of(post_ids: Iterable[int]) -> dict[int, Score]:
    """Return the score of each post whose latest revision has one, with its revision, without HEAVY."""
    rows = (
        Score.objects.filter(
            revision__post__in=post_ids, revision__number=F("revision__post__latest_revision")
        )
        .select_related("revision__grouped")
        .defer(*HEAVY)
        .order_by("revision__post_id", "-generation")
        .distinct("revision__post_id")
    )
    return {score.revision.post_id: score for score in rows}


def contributions(score: Score) -> list[list[Any]]:
    """Return [feature, value or null, contribution], the largest first, with those that moved nothing: they
    are not stored of automatic verdicts, and left out where the score is of an earlier schema.
    """
    stored: list[list[Any]] = score.contributions
    if score.schema_hash != SCHEMA_HASH or not score.features:
        return stored
    told = {name: [name, *rest] for name, *rest in stored}
    values = {**dict(zip(NAMES, score.features, strict=True)), CONTENT_TEXT: score.content_probability}
    every = [
        told.pop(name, [name, None if value is None or isnan(value) else value + 0.0, 0.0])
        for name, value in values.items()
    ]
    return sorted([*every, *told.values()], key=lambda part: -abs(part[2]))


def content_scores(revisions: Sequence[Revision], *, content_model: str) -> list[ContentScore | None]:
    """Return what a content model (Release.content_model) said of each revision's text in an earlier score,
    None where it was not asked. Costs nothing where none was scored before.
    """
    again = [revision.pk for revision in revisions if revision.scoring.generation > 1]
    if not again or not content_model:
        return [None] * len(revisions)
    scores = Score.objects.filter(
        revision__in=again, content_model=content_model, content_score__isnull=False
    )
    stored = scores.order_by("generation").values_list("revision", "content_score")
    by_revision = {pk: ContentScore.from_bytes(bytes(score)) for pk, score in stored if score is not None}
    return [by_revision.get(revision.pk) for revision in revisions]
