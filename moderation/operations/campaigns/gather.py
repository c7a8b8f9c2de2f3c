"""Cluster similar posts into campaigns as they arrive.

What a batch shares with earlier posts is read in a few statements from indexes, by all workers at once. Only
posts that share enough for a campaign wait for the campaign lock: under it their places are chosen in memory
and written at once. Nothing here takes longer because a campaign is large.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

import structlog
from django.db import transaction
from django.db.models import Q

from moderation.models import CampaignMember, Post, Revision
from moderation.operations.campaigns import members, membership
from moderation.operations.campaigns.assignment import Assignment
from moderation.operations.infrastructure import advisory_locks, transactions
from moderation.operations.infrastructure.advisory_locks import AdvisoryLock
from moderation.queries.campaigns import same_meaning, shared_traits
from moderation.queries.campaigns.shared_traits import Sighting
from scoring import similarity
from scoring.score_result import ScoreResult

log = structlog.get_logger(__name__)


def gather(*, revisions: Sequence[Revision], results: Sequence[ScoreResult] = (), at: datetime) -> None:
    """Put each revision's post into the campaign that it resembles; most posts resemble none.

    `results` are those of scoring, in the order of the revisions; without them meanings are not compared.
    Safe to run twice. The revisions come with `post` selected. Call it before rows of posts or cases are
    locked, and outside the transaction that does: that could deadlock.
    """
    open_revisions, edited = _unplaced(revisions)
    if not open_revisions:
        return
    traits = shared_traits.traits_of(open_revisions)
    found = shared_traits.sightings_of(open_revisions, traits=traits)
    said = {revision.pk: result for revision, result in zip(revisions, results, strict=False)}
    for pk, sighting in same_meaning.sightings_of(open_revisions, said=said, at=at).items():
        found[pk].append(sighting)
    moving = [
        revision
        for revision in open_revisions
        if revision.post_id in edited
        or membership.could_join(found[revision.pk], words=similarity.word_count(revision.text))
    ]
    if not moving:
        return
    with transaction.atomic():
        _line_up()
        fresh, edited = _unplaced(moving)
        standing = _standing(fresh, found)
        fresh = [revision for revision in fresh if standing.get(revision.post_id) is False]
        if not fresh:
            return
        members.remove(members=[edited[one.post_id] for one in fresh if one.post_id in edited])
        sightings = {revision.pk: _among(standing, found[revision.pk]) for revision in fresh}
        assignment = Assignment.around(
            {post for batch in sightings.values() for sighting in batch for post in sighting.posts}, at=at
        )
        for revision in fresh:
            assignment.place(revision, seen=sightings[revision.pk])
        assignment.save()
        for gone_id, kept_id in assignment.mergers:
            members.merge(gone=gone_id, kept=kept_id)
        members.add(
            new_members=assignment.new_members,
            campaigns=assignment.campaigns.values(),
            facts=traits,
            at=at,
        )


def gather_or_leave(*, revisions: Sequence[Revision], results: Sequence[ScoreResult], at: datetime) -> None:
    """Gather, but swallow failures: a post must be scored even if its campaign is not found."""
    try:
        gather(revisions=revisions, results=results, at=at)
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


def _unplaced(revisions: Sequence[Revision]) -> tuple[list[Revision], dict[int, CampaignMember]]:
    """Return the newest revisions of posts that are in no campaign, or in one for an earlier text, in the
    order of their ids; with the memberships of the latter, by post."""
    newest = {revision.post_id: revision for revision in sorted(revisions, key=lambda row: row.number)}
    places = {member.post_id: member for member in CampaignMember.objects.filter(post__in=newest)}
    edited = {post: place for post, place in places.items() if place.revision_id < newest[post].pk}
    unplaced = [revision for post, revision in newest.items() if post in edited or post not in places]
    return sorted(unplaced, key=lambda revision: revision.pk), edited


def _standing(fresh: Sequence[Revision], found: dict[int, list[Sighting]]) -> dict[int, bool]:
    """Return posts and those that they were found to resemble, without those erased meanwhile whose digests
    are not kept; and whether each is erased."""
    ids = {post for one in fresh for sighting in found[one.pk] for post in sighting.posts}
    rows = Post.objects.filter(Q(erased_at=None) | Q(kept_traits__isnull=False))
    standing = rows.filter(pk__in=ids.union(one.post_id for one in fresh))
    return {pk: erased_at is not None for pk, erased_at in standing.values_list("pk", "erased_at")}


def _among(standing: Collection[int], sightings: Sequence[Sighting]) -> list[Sighting]:
    kept = [replace(one, posts=tuple(post for post in one.posts if post in standing)) for one in sightings]
    return [sighting for sighting in kept if sighting.posts]
