"""The current scores of posts: the last score of the latest revision."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db.models import F

from moderation.models import Revision, Score

EXPLAINING = (
    "record",
    "features",
    "contributions",
    "word_contributions",
    "evidence_words",
    "counterfactual",
)
"""Large fields of a score that neither a case nor a decision needs."""

HEAVY = (*EXPLAINING, "revision__text", "revision__journey", "revision__author_snapshot")
"""These, and those of its revision."""


def of(post_ids: Iterable[int]) -> dict[int, Score]:
    """Return the score of each post whose latest revision has one, with its revision, without HEAVY."""
    rows = (
        Score.objects.filter(
            revision__post__in=post_ids, revision__number=F("revision__post__latest_revision")
        )
        .select_related("revision")
        .defer(*HEAVY)
        .order_by("revision__post_id", "-generation")
        .distinct("revision__post_id")
    )
    return {score.revision.post_id: score for score in rows}


def content_probabilities(revisions: Sequence[Revision], *, release_id: str) -> list[float | None]:
    """Return what the content model of a release said of each revision's text in an earlier score of it, None
    where it was not asked. Costs nothing where none was scored before.
    """
    again = [revision.pk for revision in revisions if revision.generation > 1]
    if not again:
        return [None] * len(revisions)
    scores = Score.objects.filter(revision__in=again, release=release_id, content_probability__isnull=False)
    said = dict(scores.order_by("generation").values_list("revision", "content_probability"))
    return [said.get(revision.pk) for revision in revisions]
