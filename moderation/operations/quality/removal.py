"""Let the filter remove alone where its removals have proven right, and stop it where they no longer have."""

from __future__ import annotations

from datetime import datetime, timedelta

from moderation.models import Platform
from moderation.operations.audit import entries
from moderation.operations.infrastructure import transactions
from moderation.queries.quality import removal
from moderation.queries.quality.labelled_posts import LabelledPosts

LONGEST = timedelta(days=90)
"""Labels count so long. An attempt that took longer begins anew: each is wrong with 5 % at most."""

_audit = entries.writer("platform")


@transactions.required
def weigh(*, platform_id: int, posts: LabelledPosts, at: datetime) -> Platform:
    """Count the labels of a platform's removals, and begin or stop removing; return the platform.

    `posts` are its labelled posts of the last 90 days. It begins when the bound of all labels of this attempt
    is above the promise. It stops when the bound no longer is, or when labels since it began refute the
    promise: a long good past must not hide a bad present. Then the next attempt begins with no labels.
    """
    platform = Platform.objects.select_for_update().get(pk=platform_id)
    was_proven_at = platform.removal_proven_at
    since = platform.removal_since or max(platform.created_at, at - LONGEST)
    if was_proven_at is None and since < at - LONGEST:
        since = at
    found = removal.trials(posts, since=since)
    if was_proven_at and removal.trials(posts, since=was_proven_at).is_refuted:
        since, platform.removal_proven_at = at, None
    elif not found.is_proven:
        platform.removal_proven_at = None
    elif was_proven_at is None:
        platform.removal_proven_at = at
    platform.removal_since = since
    platform.removal_right, platform.removal_wrong = found.right, found.wrong
    platform.save(update_fields=("removal_proven_at", "removal_since", "removal_right", "removal_wrong"))
    if platform.removal_proven_at != was_proven_at:
        _audit(
            "platform.removal_proven" if platform.removal_proven_at else removal.STOPPED,
            platform,
            actor=None,
            at=at,
            right=found.right,
            wrong=found.wrong,
            low=round(found.interval[0], 4),
        )
    return platform
