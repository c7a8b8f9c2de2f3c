"""Members of campaigns, and counts of the authors, domains and networks that they share.

Counts are kept as members come and go, so that a page need not count thousands. Call everything here inside
the transaction that holds the campaign lock (`gather`).
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any

from django.db.models import F

from moderation import prepared
from moderation.models import Campaign, CampaignMember, CampaignTrait, Revision
from moderation.models.campaigns import TieKind
from moderation.operations.campaigns.assignment import NewMember
from moderation.queries.campaigns import shared_traits
from moderation.queries.campaigns.shared_traits import Home, Trait
from scoring import similarity

_COUNTED = (TieKind.AUTHOR, TieKind.DOMAIN, TieKind.NETWORK)
_COMPARED_CHARACTERS = 2_000

_ADD = """
WITH added AS (
  INSERT INTO moderation_campaigntrait AS t (campaign_id, kind, value, posts)
  SELECT * FROM unnest(%(campaigns)s::bigint[], %(kinds)s::text[], %(values)s::text[], %(posts)s::int[])
  ON CONFLICT (campaign_id, kind, value) DO UPDATE SET posts = t.posts + EXCLUDED.posts
  RETURNING campaign_id, kind, xmax = 0 AS is_new)
UPDATE moderation_campaign c SET posts = c.posts + k.posts, latest_at = greatest(c.latest_at, %(at)s),
  authors = c.authors + (SELECT count(*) FROM added WHERE campaign_id = k.id AND kind = 'author' AND is_new),
  domains = c.domains + (SELECT count(*) FROM added WHERE campaign_id = k.id AND kind = 'domain' AND is_new)
FROM unnest(%(homes)s::bigint[], %(joined)s::int[]) AS k(id, posts) WHERE c.id = k.id
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


@dataclass(slots=True, kw_only=True)
class Known:
    """What is told of new members: traits and texts by revision, and revisions of those drawn in by post."""

    facts: dict[int, Sequence[Trait]]
    texts: dict[int, str]
    drawn_in: dict[int, Revision] = field(default_factory=dict)
    likeness: Callable[[str, str], float] = field(default_factory=lambda: cache(similarity.likeness))

    def read(self, new_members: Sequence[NewMember], *, homes: Mapping[int, Home]) -> None:
        """Read what is missing about these, and again what was erased meanwhile."""
        drawn_in = {one.post_id for one in new_members if one.revision is None}
        if posts := {post for post in drawn_in if post not in self.drawn_in or homes[post].is_erased}:
            latest = Revision.objects.filter(post__in=posts, number=F("post__latest_revision"))
            self.drawn_in |= {row.post_id: row for row in latest.select_related("post")}
            rows = [self.drawn_in[post] for post in posts]
            self.facts |= shared_traits.facts_of(rows)
            self.texts |= {row.pk: row.text for row in rows}
        if examples := {one.campaign.example_id or 0 for one in new_members} - self.texts.keys():
            self.texts |= dict(Revision.objects.filter(pk__in=examples).values_list("pk", "text"))
        for one in new_members:
            text = (one.revision or self.drawn_in[one.post_id]).text
            example = self.texts.get(one.campaign.example_id or 0, "")
            self.likeness(text[:_COMPARED_CHARACTERS], example[:_COMPARED_CHARACTERS])


def add(*, new_members: Sequence[NewMember], known: Known, at: datetime) -> None:
    """Save new members and count their traits; what is `known` of them has been read."""
    if not new_members:
        return
    revisions = {one.post_id: one.revision or known.drawn_in[one.post_id] for one in new_members}
    examples = _examples(new_members, revisions, known.texts)
    CampaignMember.objects.bulk_create(
        [
            CampaignMember(
                post_id=member.post_id,
                revision=revisions[member.post_id],
                campaign=member.campaign,
                joined_at=at,
                likeness=known.likeness(
                    revisions[member.post_id].text[:_COMPARED_CHARACTERS], examples[member.campaign.pk]
                ),
                ties=list(member.ties),
                # One that only its kept digests tell of is drawn in, but nothing can be decided about it.
                left_out_at=revisions[member.post_id].post.erased_at,
            )
            for member in new_members
        ]
    )
    homes = {revisions[member.post_id].pk: member.campaign.pk for member in new_members}
    joined = Counter(homes.values())
    counts = _traits(known.facts, homes=homes)
    _run(_ADD, counts, homes=list(joined), joined=list(joined.values()), at=at)


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


def _examples(
    new_members: Sequence[NewMember], revisions: Mapping[int, Revision], known: Mapping[int, str]
) -> dict[int, str]:
    """Return the text that each campaign's members are compared with: its first post's, while that exists."""
    texts = {one.campaign.pk: known.get(one.campaign.example_id or 0, "") for one in new_members}
    for member in new_members:
        revision = revisions[member.post_id]
        if not texts[member.campaign.pk] and revision.text:
            # The example was erased, or is a picture without words: another takes its place.
            texts[member.campaign.pk] = revision.text
            Campaign.objects.filter(pk=member.campaign.pk).update(example=revision)
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


def _run(statement: str, counts: Counter[tuple[int, str, str]], **more: Any) -> None:
    rows = sorted(counts.items())
    prepared.run(
        statement,
        campaigns=[campaign for (campaign, _, _), _ in rows],
        kinds=[kind for (_, kind, _), _ in rows],
        values=[value for (_, _, value), _ in rows],
        posts=[posts for _, posts in rows],
        **more,
    )


def _recount(joined: Counter[int], *, at: datetime) -> None:
    campaigns = sorted(joined)
    prepared.run(_RECOUNT, campaigns=campaigns, posts=[joined[pk] for pk in campaigns], at=at)
