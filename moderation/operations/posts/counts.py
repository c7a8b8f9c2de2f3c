"""Update shares, comments and views of a post, which change without a revision."""

from datetime import datetime

from django.db import transaction

from moderation.models import Platform, Post, Revision
from moderation.operations import rescore
from moderation.operations.refusals import Erased


def update(
    *,
    platform: Platform,
    post_id: int,
    shares: int | None = None,
    comments: int | None = None,
    views: int | None = None,
    at: datetime,
) -> Revision:
    """Set the counts of the latest revision; None keeps a count.

    Rescores when shares or comments have doubled: no model reads views. Raises Post.DoesNotExist or Erased.
    """
    with transaction.atomic():
        rows = Post.objects.select_for_update(no_key=True)
        post = rows.get(platform=platform, pk=post_id)
        if post.erased_at is not None:
            raise Erased("The post was erased.")
        latest = Revision.objects.select_for_update().get(post=post, number=post.latest_revision)
        has_doubled = _has_doubled(latest.shares, shares) or _has_doubled(latest.comments, comments)
        for name, count in (("shares", shares), ("comments", comments), ("views", views)):
            if count is not None:
                setattr(latest, name, count)
        latest.save(update_fields=("shares", "comments", "views"))
        if has_doubled:
            rescore.again([latest.pk], at=at)
    return latest


def _has_doubled(before: int | None, now: int | None) -> bool:
    """Rescore a spreading post at 1, 2, 4, 8… shares: a dozen scorings for thousands."""
    return now is not None and now > 0 and now >= 2 * (before or 0)
