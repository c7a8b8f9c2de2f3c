"""Fetch pages again after complaints: the page behind a link may change after the post.

At most once in a clock hour, as every fetch, and per post as often as the limits allow.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db.models import Max

from moderation import prepared
from moderation.evidence import likeness
from moderation.models import Complaint, Evidence, Platform, Post, Revision, RevisionEvidence
from moderation.models.evidence import EvidenceRole
from moderation.models.platforms import Collecting
from moderation.operations.evidence import leads
from moderation.operations.infrastructure import transactions

AFTER = timedelta(hours=1)
"""The first complaint after this time asks for a new fetch."""
COMPLAINTS = 3
"""This many complaints since the last fetch ask for one sooner, in another clock hour."""
_ROLES = (EvidenceRole.LINK, EvidenceRole.BROWSER)
_EARLIER = """
SELECT DISTINCT ON (j.revision_id) j.revision_id, j.evidence_id
FROM moderation_revisionevidence own
JOIN moderation_revisionevidence j ON j.revision_id = own.revision_id
JOIN moderation_evidence e ON e.id = j.evidence_id
WHERE own.evidence_id = %(id)s AND e.url_digest = %(digest)s AND e.hour < %(hour)s
  AND e.state NOT IN ('waiting', 'fetching') ORDER BY j.revision_id, e.hour DESC, j.id DESC
"""


@transactions.required
def after_complaint(post: Post, *, platform: Platform, at: datetime) -> None:
    """Request the pages of a post again if its complaints suffice.

    Call before the revision is locked: opening locks requests first.
    """
    if platform.collects_evidence == Collecting.OFF:
        return
    latest = Revision.objects.filter(post=post, number=post.latest_revision)
    leads.reopen(due(list(latest.values_list("pk", flat=True)), at=at), at=at)


def due(revision_ids: Sequence[int], *, at: datetime) -> set[int]:
    """Return the revisions whose pages were fetched in an earlier hour, with enough complaints since."""
    hour = at.replace(minute=0, second=0, microsecond=0)
    rows = (
        RevisionEvidence.objects.filter(revision__in=revision_ids, role__in=_ROLES)
        .values("revision")
        .annotate(last=Max("evidence__hour"), fetched_at=Max("evidence__fetched_at"))
        .filter(last__lt=hour, fetched_at__isnull=False)
    )
    since = {row["revision"]: row["fetched_at"] for row in rows.order_by("revision")}
    ids: set[int] = set()
    for revision, fetched_at in since.items():
        complaints = Complaint.objects.filter(post__revisions=revision, received_at__gt=fetched_at)
        enough = 1 if at - fetched_at >= AFTER else COMPLAINTS
        if complaints[:enough].count() >= enough:
            ids.add(revision)
    return ids


@transactions.required
def compare(row: Evidence) -> dict[int, bool]:
    """Record whether this fetch differs from an earlier one of a revision; return it by revision.

    Call with the row locked, as it will be kept.
    """
    evidence_ids = dict(prepared.rows(_EARLIER, id=row.pk, digest=row.url_digest, hour=row.hour))
    rows = Evidence.objects.in_bulk(set(evidence_ids.values()))
    is_changed = {pk: _is_changed(old_row, row) for pk, old_row in rows.items()}
    changes = {revision: is_changed[pk] for revision, pk in evidence_ids.items()}
    for value in (True, False):
        these = [revision for revision, flag in changes.items() if flag is value]
        if these:
            row.revisions.filter(revision__in=these).update(is_changed=value)
    return changes


def _is_changed(before: Evidence, after: Evidence) -> bool:
    if before.state != after.state:
        return True
    if (before.final_domain, before.final_host) != (after.final_domain, after.final_host):
        return True
    return bool(likeness.differ(before.facts or {}, after.facts or {}))
