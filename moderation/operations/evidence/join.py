"""Let the first score of a post see what others have had fetched: pages, pictures, and where links lead."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

import structlog
from django.db import IntegrityError, transaction

from moderation.models import Evidence, Revision
from moderation.models.evidence import OPEN
from moderation.models.platforms import Collecting
from moderation.operations.evidence import leads, opening
from moderation.operations.evidence.leads import Address
from moderation.operations.infrastructure import transactions
from moderation.operations.similarity import picture_groups

log = structlog.get_logger(__name__)

_FIRST_GENERATION = 1
_DEPTH = 2
"""A page has a preview picture, and a picture has codes."""


def join(*, revisions: Sequence[Revision], at: datetime) -> None:
    """Join revisions that have no score yet to what has been read of their addresses in this clock hour.

    Only for platforms that collect evidence of all posts: elsewhere the score requests it. Fetches nothing
    and waits for no evidence worker: what is being read is left to `opening`.
    Call before their posts or cases are locked.
    """
    fresh = [revision for revision in revisions if revision.scoring.generation == _FIRST_GENERATION]
    eligible = [revision for revision in fresh if revision.post.platform.collects_evidence == Collecting.ON]
    if not eligible:
        return
    browsed_ids = {
        revision.pk for revision in eligible if revision.post.platform.browses_evidence == Collecting.ON
    }
    addresses = opening.carried_by([revision.pk for revision in eligible], as_browser=browsed_ids)
    known_ids = _ended(addresses, at=at)
    if not known_ids:
        return
    try:
        _join(addresses, known=known_ids, at=at)
    except IntegrityError:
        # The last other post that carried an address was erased meanwhile, and what was read there with it.
        log.info("known_evidence_gone", posts=len(eligible))


def _join(carried: list[Address], *, known: dict[str, int], at: datetime) -> None:
    with transaction.atomic():
        posts = transactions.lock_posts(revisions__in={address.revision_id for address in carried})
        revisions = Revision.objects.filter(
            post__in=posts, pk__in={address.revision_id for address in carried}
        )
        ids = set(revisions.values_list("pk", flat=True))
        opening.join([address for address in carried if address.revision_id in ids], known=known)
        for _ in range(_DEPTH):
            further = leads.known(ids)
            if not opening.join(further, known=_ended(further, at=at)):
                break
        picture_groups.join(ids)


def _ended(addresses: Iterable[Address], *, at: datetime) -> dict[str, int]:
    """Return the rows of addresses read before `at`, which records hold, by digest."""
    digests = {address.digest for address in addresses}
    if not digests:
        return {}
    hour = at.replace(minute=0, second=0, microsecond=0)
    rows = Evidence.objects.filter(url_digest__in=digests, hour=hour, fetched_at__lt=at)
    return dict(rows.exclude(state__in=OPEN).values_list("url_digest", "pk"))
