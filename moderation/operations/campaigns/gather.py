"""Cluster similar posts into campaigns as they arrive.

What a batch shares with earlier posts is read in a few statements from indexes, by all workers at once. Only
posts that share enough for a campaign wait for the campaign lock: under it their places are chosen in memory
and written at once. Nothing here takes longer because a campaign is large.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

import structlog
from django.db import transaction

from moderation.models import CampaignMember, Revision
from moderation.operations.campaigns import members, membership
from moderation.operations.campaigns.assignment import Assignment
from moderation.operations.infrastructure import advisory_locks, transactions
from moderation.operations.infrastructure.advisory_locks import AdvisoryLock
from moderation.queries.campaigns import same_meaning, shared_traits
from moderation.queries.campaigns.shared_traits import Home, Sighting
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
    seen = {post for one in moving for sighting in found[one.pk] for post in sighting.posts}
    with transaction.atomic():
        _line_up()
        homes = shared_traits.homes_of(seen.union(one.post_id for one in moving))
        fresh = [one for one in moving if one.post_id in homes and _is_open(one, homes[one.post_id])]
        if not fresh:
            return
        moved = [one.post_id for one in fresh if homes[one.post_id].campaign_id]
        members.remove(members=list(CampaignMember.objects.filter(post__in=moved)))
        sightings = {one.pk: _among(homes, found[one.pk]) for one in fresh}
        assignment = Assignment.among({post: homes[post] for post in homes.keys() - moved}, at=at)
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


def _unplaced(revisions: Sequence[Revision]) -> tuple[list[Revision], set[int]]:
    """Return the newest revisions of posts that are in no campaign, or in one for an earlier text, in the
    order of their ids; and the posts of the latter.
    """
    newest = {revision.post_id: revision for revision in sorted(revisions, key=lambda row: row.number)}
    places = dict(CampaignMember.objects.filter(post__in=newest).values_list("post", "revision"))
    edited = {post for post, revision in places.items() if revision < newest[post].pk}
    unplaced = [revision for post, revision in newest.items() if post in edited or post not in places]
    return sorted(unplaced, key=lambda revision: revision.pk), edited


def _is_open(revision: Revision, home: Home) -> bool:
    """Whether a post is to be placed still: meanwhile another worker may have, or somebody erased it."""
    return not home.is_erased and (home.revision_id is None or home.revision_id < revision.pk)


def _among(standing: Mapping[int, Home], sightings: Sequence[Sighting]) -> list[Sighting]:
    kept = [replace(one, posts=tuple(post for post in one.posts if post in standing)) for one in sightings]
    return [sighting for sighting in kept if sighting.posts]
