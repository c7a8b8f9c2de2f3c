"""The pictures that posts of a campaign share, counted over its newest posts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from django.db.models import Exists, OuterRef

from moderation.models import CampaignMember, RevisionEvidence, RevisionPicture

COUNTED = 200
_TOP = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedPicture:
    """A thumbnail that one of the posts carries; `posts` of the newest ones show a copy of it.

    `width` and `height` are those of the picture that was sent: the thumbnail has the same shape.
    """

    post_id: int
    digest: str
    width: int
    height: int
    posts: int


def are_there() -> Exists:
    """Whether the newest posts of a campaign show any, for the query that reads it: most show none."""
    members = CampaignMember.objects.filter(campaign=OuterRef(OuterRef("pk"))).order_by("-pk")
    return Exists(RevisionPicture.objects.filter(revision__in=members.values("revision")[:COUNTED]))


def shared(campaign_id: int) -> tuple[SharedPicture, ...]:
    """Return the pictures that at least two of the newest posts show, the most common first."""
    members = CampaignMember.objects.filter(campaign=campaign_id).order_by("-pk")
    newest = list(members.values_list("revision", flat=True)[:COUNTED])
    groups = RevisionPicture.objects.filter(revision__in=newest).values_list("group", flat=True)
    common = [(group, posts) for group, posts in Counter(groups).most_common(_TOP) if posts > 1]
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
    return tuple(_shown(*example[group], posts=posts) for group, posts in common if group in example)


def _shown(post_id: int, digest: str, width: int, height: int, *, posts: int) -> SharedPicture:
    return SharedPicture(post_id=post_id, digest=digest, width=width, height=height, posts=posts)
