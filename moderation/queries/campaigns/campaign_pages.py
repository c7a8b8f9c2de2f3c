"""Campaigns for pages: the list, and one campaign but for its members."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import (
    Count,
    DateTimeField,
    Exists,
    F,
    Func,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
)
from django.db.models.functions import Coalesce

from moderation.models import (
    Author,
    Campaign,
    CampaignDecision,
    CampaignMember,
    CampaignTrait,
    Case,
    RevisionEvidence,
    RevisionPicture,
    User,
)
from moderation.models.campaigns import TieKind
from moderation.models.cases import CaseState
from moderation.queries import case_access, keyset, outcome_counts
from moderation.queries.campaigns import campaign_names
from moderation.queries.campaigns import purity as campaigns_purity
from moderation.queries.campaigns.campaign_members import Place, placed
from moderation.queries.campaigns.campaign_names import CampaignName
from moderation.queries.keyset import Key, Page
from moderation.queries.outcome_counts import Decided

_LISTED = Q(posts__gte=3) | Q(authors__gte=2, domains__gte=1)
"""Two posts without a link are alike by chance more often than not."""
_READ_LENGTH = 800
_TOP = 8
_BARS = 60
_PICTURED, _MOST_PICTURES = 200, 4
"""So many of the newest posts are looked at for pictures that they share."""
_STEPS = tuple(
    timedelta(minutes=minutes) for minutes in (1, 5, 15, 30, 60, 180, 360, 720, 1_440, 4_320, 10_080, 43_200)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRow:
    """A campaign in the list.

    `removed` and `allowed` count decisions in force, of people and the filter, on its newest posts.
    """

    campaign: Campaign
    name: CampaignName
    waiting: int
    removed: int
    allowed: int
    excerpt: str

    @property
    def is_counted_in_part(self) -> bool:
        """Whether `removed` and `allowed` leave out older posts."""
        return self.campaign.posts > campaign_names.NEWEST_COUNTED


@dataclass(frozen=True, slots=True, kw_only=True)
class TraitRow:
    """A trait as the viewer may read it, and the number of members that share it."""

    name: str
    posts: int


@dataclass(frozen=True, slots=True)
class SharedPicture:
    """A thumbnail that one of the posts carries; `posts` of the newest ones show a copy of it.

    `width` and `height` are those of the picture that was sent: the thumbnail has the same shape.
    """

    post_id: int
    digest: str
    width: int
    height: int
    posts: int


@dataclass(frozen=True, kw_only=True)
class CampaignPage:
    """Everything about a campaign but its members. `times` counts posts by the start of a bar and place."""

    campaign: Campaign
    name: CampaignName
    counts: Counter[Place]
    times: dict[datetime, Counter[Place]]
    begin: datetime
    step: timedelta
    authors: tuple[TraitRow, ...]
    domains: tuple[TraitRow, ...]
    networks: tuple[TraitRow, ...]
    pictures: tuple[SharedPicture, ...]
    decisions: tuple[CampaignDecision, ...]
    purity: campaigns_purity.Purity | None


def waiting(*, viewer: User, cursor: str = "", limit: int = keyset.SHOWN) -> Page[ListRow]:
    """Return campaigns of which some posts wait, those with most waiting posts first.

    Raises InvalidCursor.
    """
    # The join repeats no member: a post has one open case at most (a constraint).
    path = "members__post__cases__"
    seen = Q(~case_access.elsewhere(viewer, of=path), **{f"{path}state": CaseState.OPEN})
    rows = Campaign.objects.filter(_LISTED, seen).annotate(waiting=Count("members"))
    after = keyset.after(cursor, int, int)
    return _listed(rows, order=("-waiting", "-pk"), after=after, limit=limit)


def newest(*, viewer: User, cursor: str = "", limit: int = keyset.SHOWN) -> Page[ListRow]:
    """Return all campaigns, the newest first. Raises InvalidCursor."""
    cases = Case.objects.filter(post__membership__campaign=OuterRef("pk"), state=CaseState.OPEN).order_by()
    counted = (
        cases.exclude(case_access.elsewhere(viewer))
        .values("post__membership__campaign")
        .annotate(cases=Count("pk"))
        .values("cases")
    )
    rows = Campaign.objects.filter(_LISTED).annotate(waiting=Coalesce(Subquery(counted), 0))
    return _listed(rows, order=("-pk",), after=keyset.after(cursor, int), limit=limit)


def _listed(rows: QuerySet[Any], *, order: Sequence[str], after: Key | None, limit: int) -> Page[ListRow]:
    shown = ("opened_at", "latest_at", "posts", "authors", "domains", "example__text")
    campaigns = rows.select_related("example").only(*shown)
    return keyset.page(campaigns, order=order, after=after, limit=limit).of(_rows)


def _rows(campaigns: Sequence[Any]) -> list[ListRow]:
    ids = [row.pk for row in campaigns]
    names, decided = campaign_names.names(ids), _decided(ids)
    return [
        ListRow(
            campaign=row,
            name=names[row.pk],
            waiting=row.waiting,
            removed=decided[row.pk].removed + decided[row.pk].spam,
            allowed=decided[row.pk].let_through + decided[row.pk].not_spam,
            excerpt=row.example.text[:_READ_LENGTH] if row.example else "",
        )
        for row in campaigns
    ]


def _decided(campaign_ids: list[int]) -> dict[int, Decided]:
    rows = Campaign.objects.filter(pk__in=campaign_ids).order_by()
    standings = rows.values_list("pk", campaign_names.standings("pk"))
    return {campaign: outcome_counts.decided(said) for campaign, said in standings}


def page(*, campaign_id: int, viewer: User, at: datetime) -> CampaignPage:
    """Read a campaign's page but for its members, in a fixed number of queries.

    Raises Campaign.DoesNotExist; the row of a merged campaign says into which one.
    """
    campaign = Campaign.objects.annotate(shows_pictures=_has_pictures()).get(pk=campaign_id)
    members = CampaignMember.objects.filter(campaign=campaign)
    span = members.aggregate(begin=Min("post__posted_at"), end=Max("post__posted_at"))
    begin = span["begin"] or campaign.opened_at
    step = _step((span["end"] or begin) - begin)
    times = _times(placed(members, viewer=viewer), begin=begin, step=step)
    standing = campaigns_purity.standing(campaigns=[campaign.pk], at=at).get(campaign.pk)
    traits = _traits(campaign, viewer=viewer)
    decisions = CampaignDecision.objects.filter(campaign=campaign).select_related(
        "decided_by", "correction", "reconsideration"
    )
    return CampaignPage(
        campaign=campaign,
        name=campaign_names.names([campaign.pk])[campaign.pk],
        counts=sum(times.values(), Counter()),
        times=times,
        begin=begin,
        step=step,
        authors=traits[TieKind.AUTHOR],
        domains=traits[TieKind.DOMAIN],
        networks=traits[TieKind.NETWORK],
        pictures=shared_pictures(campaign.pk) if campaign.shows_pictures else (),
        decisions=tuple(decisions.defer("member_ids").order_by("-decided_at", "-id")[:_TOP]),
        purity=campaigns_purity.purity(standing) if standing else None,
    )


def shared_pictures(campaign_id: int) -> tuple[SharedPicture, ...]:
    """Return the pictures that at least two of the newest posts show, the most common first."""
    members = CampaignMember.objects.filter(campaign=campaign_id).order_by("-pk")
    newest = list(members.values_list("revision", flat=True)[:_PICTURED])
    groups = RevisionPicture.objects.filter(revision__in=newest).values_list("group", flat=True)
    common = [(group, posts) for group, posts in Counter(groups).most_common(_MOST_PICTURES) if posts > 1]
    evidence = RevisionEvidence.objects.filter(
        revision__in=newest, evidence__picture_group__in=[group for group, _ in common]
    ).exclude(evidence__thumbnail="")
    rows = evidence.order_by("-id").values_list(
        "evidence__picture_group",
        "revision__post",
        "evidence__thumbnail",
        "evidence__facts__width",
        "evidence__facts__height",
    )
    example = {group: columns for group, *columns in rows}
    shown = [[*example[group], posts] for group, posts in common if group in example]
    return tuple(SharedPicture(*columns) for columns in shown)


def _has_pictures() -> Exists:
    """Whether the newest posts of a campaign show any, for the query that reads it: most show none."""
    members = CampaignMember.objects.filter(campaign=OuterRef(OuterRef("pk"))).order_by("-pk")
    return Exists(RevisionPicture.objects.filter(revision__in=members.values("revision")[:_PICTURED]))


def _step(span: timedelta) -> timedelta:
    """Return the shortest usual step that makes few enough bars."""
    return next((step for step in _STEPS if span < step * _BARS), _STEPS[-1])


def _times(members: QuerySet[Any], *, begin: datetime, step: timedelta) -> dict[datetime, Counter[Place]]:
    bar = Func(
        Value(step), F("post__posted_at"), Value(begin), function="date_bin", output_field=DateTimeField()
    )
    bars: dict[datetime, Counter[Place]] = {}
    rows = members.annotate(bar=bar).order_by().values_list("bar", "place").annotate(posts=Count("pk"))
    for start, place, posts in rows:
        bars.setdefault(start, Counter())[Place(place)] = posts
    return bars


def _traits(campaign: Campaign, *, viewer: User) -> dict[TieKind, tuple[TraitRow, ...]]:
    by_kind: dict[TieKind, list[CampaignTrait]] = {}
    for kind in (TieKind.AUTHOR, TieKind.DOMAIN, TieKind.NETWORK):
        rows = CampaignTrait.objects.filter(campaign=campaign, kind=kind, posts__gt=0)
        by_kind[kind] = list(rows.order_by("-posts", "pk")[:_TOP])
    authors = Author.objects.in_bulk([int(row.value) for row in by_kind[TieKind.AUTHOR]])
    names = {str(pk): str(author) for pk, author in authors.items()}
    names |= {row.value: viewer.address_shown(row.value) for row in by_kind[TieKind.NETWORK]}
    return {
        kind: tuple(TraitRow(name=names.get(row.value, row.value), posts=row.posts) for row in rows)
        for kind, rows in by_kind.items()
    }
