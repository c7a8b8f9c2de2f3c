"""Other posts that share a trait with a post: the input of clustering into campaigns.

Each trait's latest posts only, straight from an index, so that a domain in a third of all posts costs no
more than a new one.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from typing import Any, NamedTuple
from uuid import UUID

from django.conf import settings
from django.db.models import Value
from django.utils.crypto import salted_hmac

from moderation import prepared
from moderation.models import PostLink, Revision, RevisionPicture
from moderation.models.campaigns import TieKind
from scoring import similarity

LATEST, FIRST = 16, 8
"""Number of posts read per trait: the latest before, and the first of the same instant and after it."""

WINDOW = timedelta(days=14)
"""A trait not seen for this time counts as new."""

_MAX_LINKS = 20
_MAX_GROUPS = 4
_NO_LINK = "picture"
"""Stands in place of a link's digest in the rows of pictures."""

_SOURCES = {
    TieKind.TEXT: "SELECT x.post_id FROM moderation_revisiongroup x WHERE x.similarity_group = k.key::uuid",
    TieKind.LINK: "SELECT r.post_id FROM moderation_postlink x"
    " JOIN moderation_revision r ON r.id = x.revision_id WHERE x.url_digest = k.key",
    TieKind.DOMAIN: "SELECT r.post_id FROM moderation_postlink x"
    " JOIN moderation_revision r ON r.id = x.revision_id WHERE x.domain_id = k.key::bigint",
    TieKind.NETWORK: "SELECT x.post_id FROM moderation_revision x WHERE x.ip_network = k.key",
    TieKind.AUTHOR: "SELECT x.id AS post_id FROM moderation_post x WHERE x.author_id = k.key::bigint",
    TieKind.PICTURE: "SELECT r.post_id FROM moderation_revisionpicture x"
    " JOIN moderation_revision r ON r.id = x.revision_id WHERE x.group_id = k.key::bigint",
}

# The latest before, and the first of those that arrived in the same instant: posts of one bulk request have
# the same instant, and only the first of them surely have a campaign already. Apart from these, later posts
# that another worker compared first, as it does before it looks: this one may not have been there to be seen.
# Every part reads an index and stops.
_QUERY = """
SELECT '{kind}', k.position, ARRAY(
  SELECT s.post_id FROM (
    ({source} AND x.received_at < k.at AND x.received_at > k.since ORDER BY x.received_at DESC LIMIT {latest})
    UNION ALL
    ({source} AND x.received_at = k.at AND {post_id} < k.post_id LIMIT {first})
  ) s WHERE s.post_id <> k.post_id), ARRAY(
  SELECT s.post_id FROM ({source}
    AND x.received_at BETWEEN k.at AND k.at + (k.at - k.since) ORDER BY x.received_at LIMIT {first}) s
  WHERE s.post_id <> ALL(%(batch)s) AND EXISTS (
    SELECT FROM moderation_revision v JOIN moderation_revisiongroup g ON g.revision_id = v.id
    WHERE v.post_id = s.post_id))
FROM unnest(%({kind}_keys)s::text[], %({kind}_posts)s::bigint[], %({kind}_ats)s::timestamptz[],
            %({kind}_sinces)s::timestamptz[]) WITH ORDINALITY AS k(key, post_id, at, since, position)
"""
_QUERIES = " UNION ALL ".join(
    # The second word of a source is the column that it selects.
    _QUERY.format(kind=kind, source=source, post_id=source.split()[1], latest=LATEST, first=FIRST)
    for kind, source in _SOURCES.items()
)
_GROUPS = "SELECT digest, similarity_group FROM moderation_similarityband WHERE digest = ANY(%(digests)s)"
_HOMES = """
SELECT p.id, p.erased_at IS NOT NULL, m.revision_id, m.campaign_id, c.posts, c.example_id,
       EXISTS (SELECT FROM moderation_campaigndecision d WHERE d.campaign_id = c.id)
FROM moderation_post p LEFT JOIN moderation_campaignmember m ON m.post_id = p.id
LEFT JOIN moderation_campaign c ON c.id = m.campaign_id
WHERE p.id = ANY(%(posts)s)
  AND (p.erased_at IS NULL OR EXISTS (SELECT FROM moderation_kepttraits k WHERE k.post_id = p.id))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trait:
    """A trait that posts can share; `key` finds it in its index, `value` is for display.

    For a text, `bands` is the number of the signature's bands that lead to this group.
    """

    kind: TieKind
    key: str
    value: str
    bands: int = similarity.BANDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """Posts that share a trait, the post itself left out: either earlier ones or later ones."""

    trait: Trait
    posts: tuple[int, ...]


class Home(NamedTuple):
    """Whether a post is erased, and its campaign, with what is a member's or the campaign's: None without."""

    is_erased: bool
    revision_id: int | None
    campaign_id: int | None
    posts: int | None
    example_id: int | None
    is_decided: bool


def keyed(value: object, *, bits: int = 63) -> int:
    """Return the keyed digest by which a trait of erased spam is recognised, but cannot be guessed."""
    digest = hashlib.blake2b(str(value).encode(), key=_key(settings.SECRET_KEY), digest_size=32).digest()
    return int.from_bytes(digest, "big") >> (256 - bits)


def keyed_link(url_digest: str) -> str:
    """Return what is kept in the place of an erased link's digest."""
    return f"{keyed(url_digest, bits=256):064x}"


@cache
def _key(secret: str) -> bytes:
    return salted_hmac("kept traits", "", secret=secret, algorithm="sha256").digest()


def traits_of(revisions: Sequence[Revision]) -> dict[int, tuple[Trait, ...]]:
    """Return what each revision could share, by its id. The revisions come with `post` selected."""
    facts, groups = facts_of(revisions), _groups(revisions)
    return {
        revision.pk: (
            *(
                Trait(kind=TieKind.TEXT, key=group, value=group, bands=bands)
                for group, bands in groups[revision.pk].items()
            ),
            *facts[revision.pk],
            *(
                replace(trait, key=keyed_link(trait.key))
                for trait in facts[revision.pk]
                if trait.kind == TieKind.LINK
            ),
        )
        for revision in revisions
    }


def facts_of(revisions: Sequence[Revision]) -> dict[int, tuple[Trait, ...]]:
    """Return authors, networks, domains, links and pictures of revisions, by their id: all but texts."""
    by_revision: dict[int, dict[Trait, None]] = {}
    for revision in revisions:
        author, network = str(revision.post.author_id), revision.ip_network
        traits = [Trait(kind=TieKind.AUTHOR, key=author, value=author)]
        traits += [Trait(kind=TieKind.NETWORK, key=network, value=network)] if network else []
        by_revision[revision.pk] = dict.fromkeys(traits)
    if not by_revision:
        return {}
    links = PostLink.objects.filter(revision__in=revisions, position__lt=_MAX_LINKS)
    image_rows = RevisionPicture.objects.filter(revision__in=revisions)
    # In one query: posts without pictures wait for none of their own.
    rows = links.order_by().values_list("revision_id", "id", "domain_id", "domain__name", "url_digest")
    pictures = image_rows.order_by().values_list("revision_id", "id", "group_id", Value(""), Value(_NO_LINK))
    for revision_id, _, key, name, digest in sorted(rows.union(pictures, all=True)):
        if digest == _NO_LINK:
            by_revision[revision_id][Trait(kind=TieKind.PICTURE, key=str(key), value=str(key))] = None
            continue
        by_revision[revision_id][Trait(kind=TieKind.DOMAIN, key=str(key), value=name)] = None
        by_revision[revision_id][Trait(kind=TieKind.LINK, key=digest, value=digest)] = None
    return {revision_id: tuple(traits) for revision_id, traits in by_revision.items()}


def sightings_of(
    revisions: Sequence[Revision], *, traits: dict[int, tuple[Trait, ...]]
) -> dict[int, list[Sighting]]:
    """Return the posts that share traits with each revision, in one query.

    Earlier ones, and later ones that were compared already: of two workers whoever looks last sees the other.
    """
    by_kind: dict[TieKind, list[tuple[Revision, Trait]]] = defaultdict(list)
    for revision in revisions:
        for trait in traits[revision.pk]:
            by_kind[trait.kind].append((revision, trait))
    values: dict[str, list[Any]] = {"batch": [revision.post_id for revision in revisions]}
    for kind in _SOURCES:
        pairs = by_kind.get(kind, [])
        ats = [_instant(kind, revision) for revision, _ in pairs]
        values[f"{kind}_keys"] = [trait.key for _, trait in pairs]
        values[f"{kind}_posts"] = [revision.post_id for revision, _ in pairs]
        values[f"{kind}_ats"], values[f"{kind}_sinces"] = ats, [at - WINDOW for at in ats]
    sightings: dict[int, list[Sighting]] = {revision.pk: [] for revision in revisions}
    for kind, place, *seen in prepared.rows(_QUERIES, **values):
        revision, trait = by_kind[kind][place - 1]
        # Later ones apart: the share of a campaign that is there must not shrink by who is about to join it.
        sightings[revision.pk] += [Sighting(trait=trait, posts=tuple(dict.fromkeys(s))) for s in seen if s]
    return sightings


def _instant(kind: TieKind, revision: Revision) -> datetime:
    """Return the instant to compare from: an edited post looks for posts similar to its new text."""
    return revision.post.received_at if kind == TieKind.AUTHOR else revision.received_at


def _groups(revisions: Sequence[Revision]) -> dict[int, Counter[str]]:
    """Return the similarity groups that each text's bands lead to: its own, and those it nearly matched."""
    plain = {revision.pk: similarity.bands(revision.text) for revision in revisions if revision.text.strip()}
    bands = {revision: (*of_text, *map(keyed, of_text)) for revision, of_text in plain.items()}
    group_of = groups_of({digest for of_text in bands.values() for digest in of_text})
    by_revision: dict[int, Counter[str]] = {}
    for revision in revisions:
        votes = Counter(str(group_of[digest]) for digest in bands.get(revision.pk, ()) if digest in group_of)
        nearest = Counter(dict(votes.most_common(_MAX_GROUPS)))
        if revision.pk in bands:
            nearest[str(revision.similarity_group)] = similarity.BANDS
        by_revision[revision.pk] = nearest
    return by_revision


def groups_of(digests: Collection[int]) -> dict[int, UUID]:
    """Return the groups of those bands that are stored."""
    return dict(prepared.rows(_GROUPS, digests=list(digests)))


def homes_of(posts: Collection[int]) -> dict[int, Home]:
    """Return where posts stand, without those erased whose digests are not kept."""
    return {post: Home(*row) for post, *row in prepared.rows(_HOMES, posts=list(posts))}
