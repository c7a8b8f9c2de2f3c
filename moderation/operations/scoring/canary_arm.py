"""Which posts of a batch a canary's candidate scores: all those of the authors that its key chooses."""

from __future__ import annotations

from collections.abc import Sequence

import structlog
from django.db.models import F
from django.utils.crypto import salted_hmac

from moderation.models import CanaryRun, Revision

log = structlog.get_logger(__name__)


def running() -> CanaryRun | None:
    """Return the canary that runs, if any; read for each batch, so that its end is known at once."""
    return CanaryRun.objects.filter(stopped_at__isnull=True, started_at__isnull=False).first()


def split(
    revisions: Sequence[Revision], *, canary: CanaryRun | None, live: str
) -> tuple[list[Revision], list[Revision]]:
    """Return the posts that the live release scores, and those that the candidate does.

    Once another release is live the candidate scores none: the canary is about to be ended.
    """
    if canary is None or canary.live != live:
        return list(revisions), []
    chosen = [revision for revision in revisions if is_chosen(canary, revision.post.author_id)]
    theirs = {revision.pk for revision in chosen}
    return [revision for revision in revisions if revision.pk not in theirs], chosen


def is_chosen(canary: CanaryRun, author_id: int) -> bool:
    """Tell whether a canary decides for an author: always the same, and by a key that nobody can foresee."""
    digest = salted_hmac("canary", f"{canary.pk}:{author_id}", algorithm="sha256").digest()
    return int.from_bytes(digest[:8], "big") < canary.share * 2**64


def failed(canary: CanaryRun, reason: str) -> None:
    """Count a batch that the candidate could not score."""
    log.warning("canary_failed", canary=canary.pk, reason=reason)
    CanaryRun.objects.filter(pk=canary.pk).update(failures=F("failures") + 1)
