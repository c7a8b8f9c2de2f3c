"""Lock posts against erasure while something is written about them: else erased words could come back."""

from __future__ import annotations

from typing import Any

from moderation.models import Post


def posts(**among: Any) -> set[int]:
    """Lock posts for this transaction, and return the ids of those that are not erased.

    `among` is a filter of posts. Call before any revision, case or decision of theirs is locked: scoring and
    erasure do the same, which avoids a deadlock.
    """
    rows = Post.objects.select_for_update(no_key=True, of=("self",))
    rows = rows.filter(**among, erased_at__isnull=True)
    return set(rows.order_by("id").values_list("pk", flat=True))
