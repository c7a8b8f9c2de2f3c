"""Open cases, with the queue's sort and filter columns and the next version of the post's cases."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, QuerySet

from moderation.models import Case, Complaint, LabelDraw, Post, Score
from moderation.models.cases import CaseReason
from moderation.queries import latest_scores

_NO_OPINION = 0.5
_LAST = {"priority": 0.0, "uncertainty": 0.0}


class NotScored(Exception):
    """The post has no score yet, so there is nothing to look at again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """A case to be opened on a post's latest score, which is loaded with its revision.

    An escalated one waits for a lead, and no new score takes it away. One of a `draw` has that draw's
    `audit_probability`.
    """

    post: Post
    score: Score
    reason: str
    is_escalated: bool = False
    draw: LabelDraw | None = None
    audit_probability: float | None = None


def opened(post: Post, *, reason: CaseReason, at: datetime, is_escalated: bool = False) -> Case:
    """Open a case of a post that a human is to look at again, whatever the filter says.

    Call with the post locked and without an open case. Raises NotScored.
    """
    score = latest_scores.of([post.pk]).get(post.pk)
    if score is None:
        raise NotScored("The post has no score yet.")
    [case] = all_opened([Opening(post=post, score=score, reason=reason, is_escalated=is_escalated)], at=at)
    return case


def all_opened(openings: Sequence[Opening], *, at: datetime) -> list[Case]:
    """Open cases in this order, in a fixed number of statements. Call with the posts locked and without
    open cases.
    """
    posts = [opening.post.pk for opening in openings]
    # A blind review leaves no trace in the version: it would tell how often a post was judged so.
    versions = _counted(Case.objects.filter(post__in=posts).exclude(reason=CaseReason.BLIND))
    places = queue_places([(opening.score, opening.reason) for opening in openings if not _is_drawn(opening)])
    return Case.objects.bulk_create(
        [
            Case(
                post=opening.post,
                platform_id=opening.post.platform_id,
                score=opening.score,
                reason=opening.reason,
                is_escalated=opening.is_escalated,
                draw=opening.draw,
                audit_probability=opening.audit_probability,
                version=1 + versions[opening.post.pk],
                opened_at=at,
                **(_drawn_place(opening.score) if _is_drawn(opening) else places[opening.score.pk]),
            )
            for opening in openings
        ]
    )


def queue_places(cases: Iterable[tuple[Score, str]]) -> Mapping[int, dict[str, Any]]:
    """Return the queue's sort and filter columns by score, of cases with these scores and reasons.

    An audit sample has one place for all; how uncertain an unread text is, nobody knows. Removals that only
    await a person come last, in order of arrival: which of them are decided must not depend on the score.
    """
    pairs = list(cases)
    complaints = _counted(Complaint.objects.filter(post__in=[score.revision.post_id for score, _ in pairs]))
    return {
        score.pk: {
            "priority": _NO_OPINION if score.is_audit_sample else score.expected_harm,
            "uncertainty": _NO_OPINION
            if score.is_audit_sample or score.route_reason == CaseReason.UNREAD_SCRIPT
            else 1 - abs(2 * score.spam_probability - 1),
            "complaint_count": complaints[score.revision.post_id],
            "language": score.revision.language,
        }
        | (_LAST if reason == CaseReason.UNPROVEN else {})
        for score, reason in pairs
    }


def _is_drawn(opening: Opening) -> bool:
    return opening.reason in {CaseReason.RANDOM, CaseReason.BLIND}


def _drawn_place(score: Score) -> dict[str, Any]:
    """Return the one queue place of all drawn posts: it must not reveal the filter's score."""
    return {"priority": _NO_OPINION, "uncertainty": _NO_OPINION, "language": score.revision.language}


def _counted(rows: QuerySet[Any]) -> Counter[int]:
    """Count rows by post."""
    return Counter(dict(rows.order_by().values_list("post").annotate(rows=Count("pk"))))
