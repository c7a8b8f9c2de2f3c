"""Earlier posts that say the same in other words: the content model's vectors, compared in memory with those
of the latest posts that read as spam.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

import numpy as np

from moderation.models import Revision, Score
from moderation.models.campaigns import TieKind
from moderation.models.scores import RouteChoice
from moderation.queries.campaigns.shared_traits import LATEST, Sighting, Trait
from scoring.content import ContentScore, vectors_of
from scoring.score_result import ScoreResult

_WINDOW, _MOST = timedelta(days=1), 500
"""Compared are the posts of the last day, so many of each route."""
_SURE, _ALIKE = 0.8, 0.93
"""Content probability of both posts, since honest people say the same in other words all day; and the cosine
of their vectors: docs/adr/0006-campaigns-by-summed-ties.md.
"""


def sightings_of(
    revisions: Sequence[Revision], *, said: Mapping[int, ScoreResult], at: datetime
) -> dict[int, Sighting]:
    """Return the nearest earlier posts of other authors, by revision: of this batch and of the last day.

    `said` are results of scoring by the revisions' ids, all by one content model.
    """
    scores = {pk: result.content_score for pk, result in said.items() if result.content_score}
    sure = [one for one in revisions if one.pk in scores and scores[one.pk].probability >= _SURE]
    if not sure:
        return {}
    earlier = _latest(said[sure[0].pk].content_model, at=at)
    rows = [*earlier, *((one.post_id, one.post.author_id, scores[one.pk]) for one in sure)]
    authors, vectors = np.array([author for _, author, _ in rows]), vectors_of([score for *_, score in rows])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)  # int8 rounds their lengths
    sightings, trait = {}, Trait(kind=TieKind.MEANING, key="", value="")
    for place, one in enumerate(sure, start=len(earlier)):
        cosines = np.where(authors[:place] == authors[place], 0.0, vectors[:place] @ vectors[place])
        nearest = np.argsort(-cosines, kind="stable")[:LATEST]
        if posts := tuple(rows[other][0] for other in nearest[cosines[nearest] >= _ALIKE]):
            sightings[one.pk] = Sighting(trait=trait, posts=posts)
    return sightings


def _latest(content_model: str, *, at: datetime) -> list[tuple[int, int, ContentScore]]:
    said = Score.objects.filter(content_model=content_model, content_score__isnull=False)
    columns = [f"revision__{name}" for name in ("post", "post__author", "number", "post__latest_revision")]
    rows = said.filter(scored_at__gt=at - _WINDOW).values_list(*columns, "content_score")
    by_route = (rows.filter(route=route) for route in (RouteChoice.REVIEW, RouteChoice.REMOVE))
    held, removed = (latest.order_by("-scored_at")[:_MOST] for latest in by_route)
    # Asked for present texts alone, PostgreSQL would read the whole day.
    present = {row[0]: row for row in held.union(removed, all=True) if row[2] == row[3]}
    scores = [(post, author, ContentScore.from_bytes(raw)) for post, author, *_, raw in present.values()]
    return [row for row in scores if row[2].probability >= _SURE]
