"""What a campaign is called, how much its posts resemble one another, and the line about it above a case.

Names are read from the members, so that nothing has to be kept up to date or erased.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import F, OuterRef, Subquery
from django.db.models.functions import Left

from moderation.models import Campaign, CampaignMember, CampaignTrait, Case
from moderation.models.campaigns import TieKind
from moderation.models.cases import BLIND_REASONS, CaseState
from moderation.queries import outcome_counts
from moderation.queries.outcome_counts import Decided
from moderation.queries.search import PostRow

_LETTERS_READ, _COMPARED = 240, 200
_ALIKE = 0.5
_LINK = re.compile(r"(?:https?://|www\.)\S+")
_SENTENCES = re.compile(r".{20,59}(?:[.!?…](?=\s|$)|。)")
"""Whole sentences that fit in a name."""
NEWEST_COUNTED = 200
"""Decisions are counted on so many of the newest posts: no page must grow slower with its campaigns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignName:
    """The first words of posts that share half of their text, else the domain of most links, else neither.

    `tightness` is the median share of the text that a post has in common with the campaign's first post, over
    the first `compared` others; None without any.
    """

    words: str
    domain: str
    tightness: float | None
    compared: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """A case's campaign in one line; decisions are counted on its newest posts."""

    campaign_id: int
    case_id: int
    posts: int
    authors: int
    domains: int
    decided: Decided
    ties: tuple[str, ...]
    name: CampaignName

    @property
    def counted(self) -> int:
        """Number of posts whose decisions are counted."""
        return min(self.posts, NEWEST_COUNTED)


def names(campaign_ids: Iterable[int]) -> dict[int, CampaignName]:
    """Return the names of campaigns by their id, in one query."""
    rows: Any = Campaign.objects.filter(pk__in=campaign_ids).order_by().values("pk", **_columns("pk"))
    return {row["pk"]: _name_of(row) for row in rows}


def of_posts(rows: Iterable[PostRow]) -> dict[int, CampaignName]:
    """Return the names of the campaigns of several posts that listed posts are in."""
    ids = {row.campaign_id for row in rows if row.campaign_id is not None and row.campaign_posts > 1}
    return names(ids) if ids else {}


def strip(*, case: Case) -> Strip | None:
    """Return the strip of a case's campaign, in one query; None if it is in none.

    Blind cases get none: it would bias the measurement.
    """
    if case.state == CaseState.OPEN and case.reason in BLIND_REASONS:
        return None
    members = CampaignMember.objects.filter(post=case.post_id, campaign__posts__gte=2)
    member = (
        members.select_related("campaign")
        .annotate(standings=standings("campaign"), **_columns("campaign"))
        .first()
    )
    if member is None:
        return None
    return Strip(
        campaign_id=member.campaign_id,
        case_id=case.pk,
        posts=member.campaign.posts,
        authors=member.campaign.authors,
        domains=member.campaign.domains,
        decided=outcome_counts.decided(member.standings),
        ties=tuple(member.ties),
        name=_name_of(vars(member)),
    )


def standings(campaign: str) -> ArraySubquery:
    """Return an expression for the decisions in force on the newest posts of the campaign in that field."""
    members = CampaignMember.objects.filter(campaign=OuterRef(campaign)).order_by("-pk")
    said = members.annotate(said=outcome_counts.standing(post="post")).values("said")
    return ArraySubquery(said[:NEWEST_COUNTED])


def _columns(campaign: str) -> dict[str, Any]:
    """Return what `_name_of` needs, as annotations of a query whose field `campaign` names the campaign."""
    members = CampaignMember.objects.filter(campaign=OuterRef(campaign)).order_by("pk")
    others = members.exclude(revision=F("campaign__example"))
    domains = CampaignTrait.objects.filter(campaign=OuterRef(campaign), kind=TieKind.DOMAIN)
    # Half of the posts at least: a domain of a few would be a wrong name.
    shared = domains.filter(posts__gte=F("campaign__posts") / 2.0).order_by("-posts", "value")
    return {
        "named_text": Subquery(
            members.exclude(revision__text="").values(text=Left("revision__text", _LETTERS_READ))[:1]
        ),
        "named_likenesses": ArraySubquery(others.values("likeness")[:_COMPARED]),
        "named_domain": Subquery(shared.values("value")[:1]),
    }


def _name_of(row: dict[str, Any]) -> CampaignName:
    """Return a name from the columns of `_columns`."""
    likenesses = row["named_likenesses"]
    tightness = median(likenesses) if likenesses else None
    return CampaignName(
        words=_first_words(row["named_text"] or "") if tightness and tightness >= _ALIKE else "",
        domain=row["named_domain"] or "",
        tightness=tightness,
        compared=len(likenesses),
    )


def _first_words(text: str) -> str:
    """Return a text's beginning without links and hidden characters, whole sentences if they are short."""
    visible = "".join(character for character in text if unicodedata.category(character) != "Cf")
    words = " ".join(_LINK.sub(" ", visible).split())
    sentences = _SENTENCES.match(words)
    return sentences[0] if sentences else words
