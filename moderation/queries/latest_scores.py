"""The current scores of posts: the last score of the latest revision."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import F

from moderation.models import Score

EXPLAINING = ("record", "features", "contributions", "word_contributions", "counterfactual")
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
