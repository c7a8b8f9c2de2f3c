"""Ask for the evidence of posts that were just scored, as their platforms wish."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from moderation import enqueue
from moderation.models import EvidenceRequest, Score
from moderation.models.platforms import Collecting
from moderation.operations.infrastructure import transactions

_UNSURE_ROUTE = "review"


@transactions.required
def after(scores: Sequence[Score], *, at: datetime) -> int:
    """Ask for the evidence of these scores' revisions, once for each revision; return of how many.

    Without a platform that collects any, it costs nothing. Call inside the transaction that stores the
    scores.
    """
    wanted = [score.revision_id for score in scores if _is_wanted(score)]
    if not wanted:
        return 0
    known = EvidenceRequest.objects.filter(revision__in=wanted).values_list("revision", flat=True)
    fresh = sorted(set(wanted) - set(known))
    EvidenceRequest.objects.bulk_create(
        [EvidenceRequest(revision_id=pk, enqueued_at=at) for pk in fresh], ignore_conflicts=True
    )
    enqueue.evidence_of(revision_ids=fresh)
    return len(fresh)


def _is_wanted(score: Score) -> bool:
    collects = score.revision.post.platform.collects_evidence
    leads_anywhere = score.record.get("links") or score.revision.media_urls
    if collects == Collecting.OFF or not leads_anywhere:
        return False
    return collects == Collecting.ON or score.route == _UNSURE_ROUTE
