"""Draw among the posts of the review route, and log the chance.

Where more comes than people can decide, the order by harm selects what is decided. Drawn posts wait in the
audit lane, which is always worked through: they stand for the others.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from django.utils.crypto import salted_hmac

from moderation.models import Score
from moderation.models.cases import CaseReason
from moderation.models.scores import RouteChoice
from moderation.queries.cases import queue_mix


def draw(scores: Sequence[Score], *, at: datetime) -> None:
    """Set chance and outcome on unsaved scores of posts that a human has to see; none without an audit lane.

    A text that is scored again keeps its draw. One that had an automatic verdict before is not drawn: the
    audit sample stands for it, and what brought it here (complaints, say) is no chance.
    """
    candidates = [score for score in scores if score.route == RouteChoice.REVIEW and not _has_a_sample(score)]
    if not candidates:
        return
    chance = queue_mix.review_chance(queue_mix.mix(), at=at)
    if chance is None:
        return
    earlier = _earlier([score for score in candidates if score.generation > 1])
    for score in candidates:
        rows = earlier.get(score.revision_id)
        if rows is None or all(row.is_degraded and row.review_probability is None for row in rows):
            _draw(score, chance)
        else:
            _keep(score, rows, chance=chance)


def _has_a_sample(score: Score) -> bool:
    """Whether the post is in a sample already, or people see all of its kind."""
    return score.is_audit_sample or score.route_reason == CaseReason.UNPROVEN


def _draw(score: Score, chance: float) -> None:
    score.review_probability = chance
    score.is_review_sample = _number(score) < chance


def _keep(score: Score, before: Sequence[Score], *, chance: float) -> None:
    """Keep the first draw of a text; without one, draw nothing after an automatic verdict."""
    first_draw = next((row for row in before if row.review_probability is not None), None)
    if first_draw is not None:
        score.review_probability, score.is_review_sample = (
            first_draw.review_probability,
            first_draw.is_review_sample,
        )
    elif any(0.0 < row.audit_probability < 1.0 for row in before):
        score.review_probability = chance


def _earlier(scores: Sequence[Score]) -> dict[int, list[Score]]:
    by_revision: dict[int, list[Score]] = defaultdict(list)
    if scores:
        rows = Score.objects.filter(revision__in=[score.revision_id for score in scores]).only(
            "revision_id", "audit_probability", "review_probability", "is_review_sample", "is_degraded"
        )
        for row in rows.order_by("revision_id", "generation"):
            by_revision[row.revision_id].append(row)
    return dict(by_revision)


def _number(score: Score) -> float:
    """Return a number in [0, 1), the same for the same revision, that its sender cannot know."""
    post = score.revision.post
    name = "\x1f".join((post.platform.slug, post.external_id, str(score.revision.number)))
    digest = salted_hmac("review sample", name, algorithm="sha256").digest()
    return (int.from_bytes(digest[:8], "big") >> 11) / 2**53
