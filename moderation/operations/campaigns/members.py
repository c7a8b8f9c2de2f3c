"""Members of campaigns, and counts of the authors, domains and networks that they share.

Counts are kept as members come and go, so that a page need not count thousands. Call everything here inside
the transaction that holds the campaign lock (`gather`).
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

from django.db.models import F

from moderation import prepared
from moderation.models import Campaign, CampaignMember, CampaignTrait, Revision
from moderation.models.campaigns import TieKind
from moderation.operations.campaigns.assignment import NewMember
from moderation.queries.campaigns import shared_traits
from moderation.queries.campaigns.shared_traits import Trait
from scoring import similarity

_COUNTED = (TieKind.AUTHOR, TieKind.DOMAIN, TieKind.NETWORK)
_COMPARED_CHARACTERS = 2_000

_ADD_TRAITS = """
INSERT INTO moderation_campaigntrait AS t (campaign_id, kind, value, posts)
SELECT * FROM unnest(%(campaigns)s::bigint[], %(kinds)s::text[], %(values)s::text[], %(posts)s::int[])
ON CONFLICT (campaign_id, kind, value) DO UPDATE SET posts = t.posts + EXCLUDED.posts
"""

_MERGE_TRAITS = """
INSERT INTO moderation_campaigntrait AS t (campaign_id, kind, value, posts)
SELECT %(kept)s, kind, value, posts FROM moderation_campaigntrait WHERE campaign_id = %(gone)s
ON CONFLICT (campaign_id, kind, value) DO UPDATE SET posts = t.posts + EXCLUDED.posts
"""

_TAKE_TRAITS = """
UPDATE moderation_campaigntrait t SET posts = greatest(t.posts - k.posts, 0)
FROM unnest(%(campaigns)s::bigint[], %(kinds)s::text[], %(values)s::text[], %(posts)s::int[])
  AS k(campaign_id, kind, value, posts)
WHERE t.campaign_id = k.campaign_id AND t.kind = k.kind AND t.value = k.value
"""

_RECOUNT = """
UPDATE moderation_campaign c SET
  posts = greatest(c.posts + k.posts, 0), latest_at = greatest(c.latest_at, %(at)s),
  authors = (SELECT count(*) FROM moderation_campaigntrait t
             WHERE t.campaign_id = c.id AND t.kind = 'author'),
  domains = (SELECT count(*) FROM moderation_campaigntrait t
             WHERE t.campaign_id = c.id AND t.kind = 'domain')
FROM unnest(%(campaigns)s::bigint[], %(posts)s::int[]) AS k(id, posts)
WHERE c.id = k.id
"""


def add(
    *,
    new_members: Sequence[NewMember],
    campaigns: Iterable[Campaign],
    facts: Mapping[int, Sequence[Trait]],
    at: datetime,
) -> None:
    """Save new members and count their traits; `campaigns` are theirs, with their examples. `facts` are the
    traits of those revisions that the caller has read.
    """
    if not new_members:
        return
    revisions = _revisions(new_members)
    new_members = [member for member in new_members if member.post_id in revisions]
    examples = _examples(new_members, revisions, {row.pk: row.example_id for row in campaigns})
    CampaignMember.objects.bulk_create(
        [
            CampaignMember(
                post_id=member.post_id,
                revision=revisions[member.post_id],
                campaign_id=member.campaign_id,
                joined_at=at,
                likeness=similarity.likeness(
                    revisions[member.post_id].text[:_COMPARED_CHARACTERS], examples[member.campaign_id]
                ),
                ties=list(member.ties),
                # One that only its kept digests tell of is drawn in, but nothing can be decided about it.
                left_out_at=revisions[member.post_id].post.erased_at,
            )
            for member in new_members
        ]
    )
    homes = {revisions[member.post_id].pk: member.campaign_id for member in new_members}
    unread = [revision for revision in revisions.values() if revision.pk not in facts]
    _run(_ADD_TRAITS, _traits({**facts, **shared_traits.facts_of(unread)}, homes=homes))
    _recount(Counter(member.campaign_id for member in new_members), at=at)


def remove(*, members: Sequence[CampaignMember]) -> None:
    """Remove members whose posts were edited or erased."""
    if not members:
        return
    _take_traits(members)
    CampaignMember.objects.filter(pk__in=[member.pk for member in members]).delete()
    counts = Counter(member.campaign_id for member in members)
    # At an instant of the past: a campaign that is left must not look active again.
    _recount(Counter({campaign: -count for campaign, count in counts.items()}), at=members[0].joined_at)


def keep(*, members: Sequence[CampaignMember], at: datetime) -> None:
    """Leave erased members in their campaigns, out of later decisions and without their networks."""
    _take_traits(members, kinds=(TieKind.NETWORK,))
    rows = CampaignMember.objects.filter(pk__in=[member.pk for member in members])
    rows.filter(left_out_at__isnull=True).update(left_out_at=at)


def merge(*, gone: int, kept: int) -> None:
    """Move all members of one campaign to another; its address leads there from now on."""
    count = CampaignMember.objects.filter(campaign=gone).update(campaign=kept)
    prepared.run(_MERGE_TRAITS, gone=gone, kept=kept)
    CampaignTrait.objects.filter(campaign=gone).delete()
    # Every old address leads to the campaign itself, never through one that was merged, too.
    Campaign.objects.filter(merged_into=gone).update(merged_into=kept)
    latest_at = Campaign.objects.values_list("latest_at", flat=True).get(pk=gone)
    Campaign.objects.filter(pk=gone).update(merged_into=kept, posts=0, authors=0, domains=0)
    _recount(Counter({kept: count}), at=latest_at)


def _take_traits(members: Sequence[CampaignMember], *, kinds: Collection[TieKind] = _COUNTED) -> None:
    homes = {member.revision_id: member.campaign_id for member in members}
    revisions = Revision.objects.filter(pk__in=homes).select_related("post")
    _run(_TAKE_TRAITS, _traits(shared_traits.facts_of(list(revisions)), homes=homes, kinds=kinds))
    CampaignTrait.objects.filter(campaign__in=set(homes.values()), posts=0).delete()


def _revisions(new_members: Sequence[NewMember]) -> dict[int, Revision]:
    """Return the revision of each new member by its post; of those drawn in, the latest."""
    by_post = {member.post_id: member.revision for member in new_members if member.revision is not None}
    post_ids = [member.post_id for member in new_members if member.post_id not in by_post]
    latest = Revision.objects.filter(post__in=post_ids, number=F("post__latest_revision"))
    return by_post | {revision.post_id: revision for revision in latest.select_related("post")}


def _examples(
    new_members: Sequence[NewMember], revisions: dict[int, Revision], ids: dict[int, int | None]
) -> dict[int, str]:
    """Return the text that each campaign's members are compared with: its first post's, while that exists."""
    ids = {member.campaign_id: ids[member.campaign_id] for member in new_members}
    examples = {revision.pk: revision.text for revision in revisions.values()}
    if others := [pk for pk in ids.values() if pk is not None and pk not in examples]:
        examples |= dict(Revision.objects.filter(pk__in=others).values_list("pk", "text"))
    texts = {pk: examples.get(example or 0, "") for pk, example in ids.items()}
    for member in new_members:
        revision = revisions[member.post_id]
        if not texts[member.campaign_id] and revision.text:
            # The example was erased, or is a picture without words: another takes its place.
            texts[member.campaign_id] = revision.text
            Campaign.objects.filter(pk=member.campaign_id).update(example=revision)
    return {pk: text[:_COMPARED_CHARACTERS] for pk, text in texts.items()}


def _traits(
    facts: Mapping[int, Sequence[Trait]], *, homes: dict[int, int], kinds: Collection[TieKind] = _COUNTED
) -> Counter[tuple[int, str, str]]:
    """Count the traits that revisions bring to their campaigns; `homes` maps revision to campaign."""
    return Counter(
        (campaign, trait.kind.value, trait.value)
        for revision_id, campaign in homes.items()
        for trait in facts.get(revision_id, ())
        if trait.kind in kinds
    )


def _run(statement: str, counts: Counter[tuple[int, str, str]]) -> None:
    rows = sorted(counts.items())
    prepared.run(
        statement,
        campaigns=[campaign for (campaign, _, _), _ in rows],
        kinds=[kind for (_, kind, _), _ in rows],
        values=[value for (_, _, value), _ in rows],
        posts=[posts for _, posts in rows],
    )


def _recount(joined: Counter[int], *, at: datetime) -> None:
    campaigns = sorted(joined)
    prepared.run(_RECOUNT, campaigns=campaigns, posts=[joined[pk] for pk in campaigns], at=at)
