"""The book of campaigns: who is a member, and how many share an author, a domain, a network.

Counts are kept as members come and go, so that a page need not count thousands. Call everything here inside
the transaction that holds the campaign lock (`campaign_gather`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from django.db import connection
from django.db.models import F

from moderation.models import Campaign, CampaignMember, CampaignTrait, Revision
from moderation.models.campaigns import TieKind
from moderation.operations.campaigns.assignment import Newcomer
from moderation.queries.campaigns import shared_traits
from scoring import similarity

_COUNTED = (TieKind.AUTHOR, TieKind.DOMAIN, TieKind.NETWORK)
_COMPARED_CHARACTERS = 2_000

_ADD_TRAITS = """
INSERT INTO moderation_campaigntrait AS t (campaign_id, kind, value, posts)
SELECT * FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::int[])
ON CONFLICT (campaign_id, kind, value) DO UPDATE SET posts = t.posts + EXCLUDED.posts
"""

_MERGE_TRAITS = """
INSERT INTO moderation_campaigntrait AS t (campaign_id, kind, value, posts)
SELECT %(kept)s, kind, value, posts FROM moderation_campaigntrait WHERE campaign_id = %(gone)s
ON CONFLICT (campaign_id, kind, value) DO UPDATE SET posts = t.posts + EXCLUDED.posts
"""

_TAKE_TRAITS = """
UPDATE moderation_campaigntrait t SET posts = greatest(t.posts - k.posts, 0)
FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::int[]) AS k(campaign_id, kind, value, posts)
WHERE t.campaign_id = k.campaign_id AND t.kind = k.kind AND t.value = k.value
"""

_RECOUNT = """
UPDATE moderation_campaign c SET
  posts = greatest(c.posts + k.posts, 0), latest_at = greatest(c.latest_at, k.at),
  authors = (SELECT count(*) FROM moderation_campaigntrait t
             WHERE t.campaign_id = c.id AND t.kind = 'author'),
  domains = (SELECT count(*) FROM moderation_campaigntrait t
             WHERE t.campaign_id = c.id AND t.kind = 'domain')
FROM unnest(%s::bigint[], %s::int[], %s::timestamptz[]) AS k(id, posts, at)
WHERE c.id = k.id
"""


def enter(*, newcomers: Sequence[Newcomer], at: datetime) -> None:
    """Write new members and count what they bring."""
    if not newcomers:
        return
    revisions = _revisions(newcomers)
    newcomers = [newcomer for newcomer in newcomers if newcomer.post_id in revisions]
    examples = _examples(newcomers, revisions)
    CampaignMember.objects.bulk_create(
        [
            CampaignMember(
                post_id=newcomer.post_id,
                revision=revisions[newcomer.post_id],
                campaign_id=newcomer.campaign_id,
                joined_at=at,
                likeness=similarity.likeness(
                    revisions[newcomer.post_id].text[:_COMPARED_CHARACTERS], examples[newcomer.campaign_id]
                ),
                ties=list(newcomer.ties),
            )
            for newcomer in newcomers
        ]
    )
    homes = {revisions[newcomer.post_id].pk: newcomer.campaign_id for newcomer in newcomers}
    _run(_ADD_TRAITS, _traits(list(revisions.values()), homes=homes))
    _recount(Counter(newcomer.campaign_id for newcomer in newcomers), at=at)


def strike(*, members: Sequence[CampaignMember]) -> None:
    """Take members out, for their posts say something else now."""
    if not members:
        return
    homes = {member.revision_id: member.campaign_id for member in members}
    revisions = Revision.objects.filter(pk__in=homes).select_related("post")
    _run(_TAKE_TRAITS, _traits(list(revisions), homes=homes))
    CampaignTrait.objects.filter(campaign__in=set(homes.values()), posts=0).delete()
    CampaignMember.objects.filter(pk__in=[member.pk for member in members]).delete()
    left = Counter(member.campaign_id for member in members)
    _recount(Counter({campaign: -count for campaign, count in left.items()}), at=members[0].joined_at)


def merge(*, gone: int, kept: int) -> None:
    """Move all members of one campaign to another; its address leads there from now on."""
    moved = CampaignMember.objects.filter(campaign=gone).update(campaign=kept)
    with connection.cursor() as cursor:
        cursor.execute(_MERGE_TRAITS, {"gone": gone, "kept": kept})
    CampaignTrait.objects.filter(campaign=gone).delete()
    Campaign.objects.filter(merged_into=gone).update(merged_into=kept)
    latest_at = Campaign.objects.values_list("latest_at", flat=True).get(pk=gone)
    Campaign.objects.filter(pk=gone).update(merged_into=kept, posts=0, authors=0, domains=0)
    _recount(Counter({kept: moved}), at=latest_at)


def _revisions(newcomers: Sequence[Newcomer]) -> dict[int, Revision]:
    """Return the revision of each newcomer by its post; of those drawn in, the latest."""
    known = {newcomer.post_id: newcomer.revision for newcomer in newcomers if newcomer.revision is not None}
    drawn = [newcomer.post_id for newcomer in newcomers if newcomer.post_id not in known]
    latest = Revision.objects.filter(post__in=drawn, number=F("post__latest_revision")).select_related("post")
    return known | {revision.post_id: revision for revision in latest}


def _examples(newcomers: Sequence[Newcomer], revisions: dict[int, Revision]) -> dict[int, str]:
    """Return the text that each campaign's members are compared with: its first post's, while it is there."""
    campaigns = Campaign.objects.in_bulk({newcomer.campaign_id for newcomer in newcomers})
    wanted = {row.example_id for row in campaigns.values() if row.example_id is not None}
    known = dict(Revision.objects.filter(pk__in=wanted).values_list("pk", "text"))
    texts = {pk: known.get(row.example_id or 0, "") for pk, row in campaigns.items()}
    for newcomer in newcomers:
        revision = revisions[newcomer.post_id]
        if not texts[newcomer.campaign_id] and revision.text:
            # The example was erased, or is a picture without words: another takes its place.
            texts[newcomer.campaign_id] = revision.text
            Campaign.objects.filter(pk=newcomer.campaign_id).update(example=revision)
    return {pk: text[:_COMPARED_CHARACTERS] for pk, text in texts.items()}


def _traits(revisions: Sequence[Revision], *, homes: dict[int, int]) -> Counter[tuple[int, str, str]]:
    """Count the traits that revisions bring to their campaigns; `homes` maps revision to campaign."""
    found = shared_traits.facts_of(revisions)
    return Counter(
        (homes[revision_id], trait.kind.value, trait.value)
        for revision_id, traits in found.items()
        for trait in traits
        if trait.kind in _COUNTED
    )


def _run(statement: str, counts: Counter[tuple[int, str, str]]) -> None:
    rows = sorted(counts.items())
    with connection.cursor() as cursor:
        cursor.execute(
            statement,
            (
                [campaign for (campaign, _, _), _ in rows],
                [kind for (_, kind, _), _ in rows],
                [value for (_, _, value), _ in rows],
                [posts for _, posts in rows],
            ),
        )


def _recount(joined: Counter[int], *, at: datetime) -> None:
    campaigns = sorted(joined)
    with connection.cursor() as cursor:
        cursor.execute(_RECOUNT, (campaigns, [joined[pk] for pk in campaigns], [at] * len(campaigns)))
