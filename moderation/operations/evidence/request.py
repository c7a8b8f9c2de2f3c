"""Ask for the evidence of posts that were just scored, as their platforms wish."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from moderation import enqueue
from moderation.models import EvidenceRequest, Score
from moderation.models.platforms import Collecting
from moderation.models.scores import RouteChoice
from moderation.operations.infrastructure import transactions


@transactions.required
def after(scores: Sequence[Score], *, at: datetime) -> None:
    """Request the evidence of these scores' revisions, once for each.

    Earlier requests that are still unopened are enqueued again. If no platform collects evidence, it costs
    nothing. Call inside the transaction that stores the scores.
    """
    candidates = [score for score in scores if _leads_anywhere(score)]
    if not candidates:
        return
    requests = EvidenceRequest.objects.filter(revision__in=[score.revision_id for score in candidates])
    openings = dict(requests.values_list("revision", "opened_at"))
    fresh = sorted({score.revision_id for score in candidates if _is_wanted(score)} - openings.keys())
    EvidenceRequest.objects.bulk_create(
        [EvidenceRequest(revision_id=pk, enqueued_at=at, since=at) for pk in fresh], ignore_conflicts=True
    )
    # They waited for this score: only now is known which evidence it lacks.
    unopened = [pk for pk, opened_at in openings.items() if opened_at is None]
    enqueue.evidence_of(revision_ids=[*fresh, *sorted(unopened)])


def _leads_anywhere(score: Score) -> bool:
    if score.revision.post.platform.collects_evidence == Collecting.OFF:
        return False
    return bool(score.record.get("links") or score.revision.media_urls)


def _is_wanted(score: Score) -> bool:
    return (
        score.route == RouteChoice.REVIEW or score.revision.post.platform.collects_evidence == Collecting.ON
    )
