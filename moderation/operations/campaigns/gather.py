"""Cluster similar posts into campaigns as they arrive. One worker at a time, briefly.

What a batch shares with earlier posts is read in a few statements from indexes, the choice is made in
memory, and the outcome is written at once. Nothing here takes longer because a campaign is large.
"""

from collections.abc import Collection, Sequence
from datetime import datetime

import structlog
from django.db import transaction

from moderation.models import CampaignMember, Post, Revision
from moderation.operations.campaigns import members
from moderation.operations.campaigns.assignment import Assignment
from moderation.operations.infrastructure import advisory_locks, transactions
from moderation.operations.infrastructure.advisory_locks import AdvisoryLock
from moderation.queries.campaigns import shared_traits

log = structlog.get_logger(__name__)


def gather(*, revisions: Sequence[Revision], at: datetime) -> None:
    """Put each revision's post into the campaign that it resembles; most posts resemble none.

    Safe to run twice. The revisions come with `post` selected. Call it before rows of posts or cases are
    locked, and outside the transaction that does: that could deadlock.
    """
    with transaction.atomic():
        _line_up()
        fresh = _fresh(revisions)
        if not fresh:
            return
        traits = shared_traits.traits_of(fresh)
        sightings = shared_traits.sightings_of(fresh, traits=traits)
        assignment = Assignment.around(
            {post for batch in sightings.values() for sighting in batch for post in sighting.posts}, at=at
        )
        for revision in fresh:
            assignment.place(revision, seen=sightings[revision.pk])
        for gone_id, kept_id in assignment.mergers:
            members.merge(gone=gone_id, kept=kept_id)
        members.add(new_members=assignment.new_members, at=at)


def gather_or_leave(*, revisions: Sequence[Revision], at: datetime) -> None:
    """Gather, but swallow failures: a post must be scored even if its campaign is not found."""
    try:
        gather(revisions=revisions, at=at)
    except Exception:
        log.exception("gathering_failed", posts=len(revisions))


@transactions.required
def forget(*, post_ids: Collection[int], kept: Collection[int], at: datetime) -> None:
    """Remove posts that are being erased from their campaigns, with the traits they added to the counts;
    those `kept` stay there, but nobody decides about them any more.

    Call inside the transaction that erases, before any of its rows are locked.
    """
    _line_up()  # even without members: another worker may be adding the post to a campaign right now
    rows = list(CampaignMember.objects.filter(post__in=post_ids).order_by("id"))
    members.remove(members=[row for row in rows if row.post_id not in kept])
    members.keep(members=[row for row in rows if row.post_id in kept], at=at)


def _line_up() -> None:
    """Take the campaign lock: two posts that arrive together must find each other's campaign."""
    advisory_locks.take(AdvisoryLock.CAMPAIGNS)


def _fresh(revisions: Sequence[Revision]) -> list[Revision]:
    """Drop erased and already assigned posts; a post whose text was edited leaves its old campaign."""
    newest = {revision.post_id: revision for revision in sorted(revisions, key=lambda row: row.number)}
    live_ids = Post.objects.filter(pk__in=newest, erased_at__isnull=True).values_list("pk", flat=True)
    latest = {post: newest[post] for post in live_ids}
    places = {member.post_id: member for member in CampaignMember.objects.filter(post__in=latest)}
    edited_ids = {post for post, place in places.items() if place.revision_id < latest[post].pk}
    members.remove(members=[places[post] for post in sorted(edited_ids)])
    fresh = [revision for post, revision in latest.items() if post in edited_ids or post not in places]
    return sorted(fresh, key=lambda revision: revision.pk)
