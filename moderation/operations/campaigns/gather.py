"""Cluster similar posts into campaigns as they arrive.

What a batch shares with earlier posts is read in a few statements from indexes, by all workers at once. Only
posts that share enough for a campaign wait for the campaign lock: under it their places are chosen in memory
and written at once. Nothing here takes longer because a campaign is large.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

import structlog
from django.db import transaction

from moderation.models import CampaignMember, Revision
from moderation.operations.campaigns import members, membership
from moderation.operations.campaigns.assignment import Assignment
from moderation.operations.infrastructure import advisory_locks, transactions
from moderation.operations.infrastructure.advisory_locks import AdvisoryLock
from moderation.queries.campaigns import same_meaning, shared_traits
from moderation.queries.campaigns.shared_traits import Home
from scoring import similarity
from scoring.score_result import ScoreResult

log = structlog.get_logger(__name__)


def gather(*, revisions: Sequence[Revision], results: Sequence[ScoreResult] = (), at: datetime) -> None:
    """Put each revision's post into the campaign that it resembles; most posts resemble none.

    `results` are those of scoring, in the order of the revisions; without them meanings are not compared.
    Safe to run twice. The revisions come with `post` selected. Call it before rows of posts or cases are
    locked, and outside the transaction that does: that could deadlock.
    """
    newest = {revision.post_id: revision for revision in sorted(revisions, key=lambda row: row.number)}
    homes = shared_traits.homes_of(newest)
    fresh = sorted((one for one in newest.values() if _is_open(one, homes)), key=lambda revision: revision.pk)
    if not fresh:
        return
    traits = shared_traits.traits_of(fresh)
    found = shared_traits.sightings_of(fresh, traits=traits)
    said = {revision.pk: result for revision, result in zip(revisions, results, strict=False)}
    for pk, sighting in same_meaning.sightings_of(fresh, said=said, at=at).items():
        found[pk].append(sighting)
    moving = [
        one
        for one in fresh
        if homes[one.post_id].campaign_id
        or membership.could_join(found[one.pk], words=similarity.word_count(one.text))
    ]
    if not moving:
        return
    posts = {one.post_id for one in moving}
    posts.update(*(sighting.posts for one in moving for sighting in found[one.pk]))
    known = members.Known(facts=dict(traits), texts={one.pk: one.text for one in moving})
    # Only to read what will likely be written: nobody should wait for that under the lock.
    homes = shared_traits.homes_of(posts)
    known.read(Assignment.of(moving, found=found, homes=homes).new_members, homes=homes)
    with transaction.atomic():
        _line_up()
        homes = shared_traits.homes_of(posts)
        fresh = [one for one in moving if _is_open(one, homes)]
        edited = [one.post_id for one in fresh if homes[one.post_id].campaign_id]
        if edited:
            members.remove(members=list(CampaignMember.objects.filter(post__in=edited)))
        assignment = Assignment.of(fresh, found=found, homes=homes)
        assignment.save()
        for gone_id, kept_id in assignment.mergers:
            members.merge(gone=gone_id, kept=kept_id)
        known.read(assignment.new_members, homes=homes)
        members.add(new_members=assignment.new_members, known=known, at=at)


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


def _is_open(revision: Revision, homes: Mapping[int, Home]) -> bool:
    """Whether a post is to be placed: it is not erased, and in no campaign or in one for an earlier text."""
    home = homes.get(revision.post_id)
    return home is not None and not home.is_erased and (home.revision_id or 0) < revision.pk
