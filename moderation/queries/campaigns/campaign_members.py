"""The state of each member of a campaign: waiting, decided, settled by the filter, left out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypedDict

from django.db.models import Case as Switch
from django.db.models import CharField, F, FilteredRelation, Q, QuerySet, Value, When
from django.db.models.functions import Left

from moderation.models import CampaignMember, User, desk_settings
from moderation.models.cases import BLIND_REASONS, CaseReason, CaseState
from moderation.models.decisions import DecisionSource, Verdict
from moderation.models.posts import ERASED_NAME
from moderation.queries import case_access, keyset, outcome_counts
from moderation.queries.keyset import Page

_READ_LENGTH = 800


class Place(StrEnum):
    """The state of a member. Only the first is settled by every decision on the campaign."""

    WAITING = "waiting"
    ESCALATED = "escalated"
    BLIND = "blind"
    SPAM = "spam"
    NOT_SPAM = "not_spam"
    REMOVED = "removed"
    ALLOWED = "allowed"
    PENDING = "pending"
    LEFT_OUT = "left_out"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberRow:
    """One member. `case_id` is None if nothing waits, `spam_probability` if it must be hidden."""

    post_id: int
    external_id: str
    author_id: int
    author: str
    excerpt: str
    posted_at: datetime
    likeness: float
    ties: tuple[str, ...]
    place: Place
    left_out_by: str
    case_id: int | None
    spam_probability: float | None


class _Placed(TypedDict):
    place: str


if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    PlacedMember = WithAnnotations[CampaignMember, _Placed]


def placed(members: QuerySet[CampaignMember], *, viewer: User | None = None) -> QuerySet[PlacedMember]:
    """Annotate each member with its open case (`waiting`), its decision in force and its `place`.

    A blind case measures the filter or the campaign: a human decides it alone, never with the others. What
    lies in a queue for others alone is to this viewer like a case for the leads.
    """
    kept = case_access.elsewhere(viewer, of="waiting__") if viewer else Q(pk__in=())
    # The filtered join doubles no member: a post has one open case at most (a constraint).
    return members.annotate(
        waiting=FilteredRelation("post__cases", condition=Q(post__cases__state=CaseState.OPEN)),
        standing=outcome_counts.standing(post="post"),
        place=Switch(
            When(left_out_at__isnull=False, then=Value(Place.LEFT_OUT.value)),
            # Nobody decides what waits of a platform that is off, leads neither.
            When(
                waiting__platform__in=desk_settings.current().platforms_off, then=Value(Place.PENDING.value)
            ),
            When(waiting__reason__in=BLIND_REASONS, then=Value(Place.BLIND.value)),
            When(
                Q(waiting__is_escalated=True) | (Q(waiting__isnull=False) & kept),
                then=Value(Place.ESCALATED.value),
            ),
            When(waiting__isnull=False, then=Value(Place.WAITING.value)),
            *(When(standing=verdict, then=Value(place.value)) for verdict, place in _SETTLED.items()),
            default=Value(Place.PENDING.value),
            output_field=CharField(),
        ),
    )


def meant(*, verdict: Verdict, has_filtered: bool, may_lead: bool) -> frozenset[Place]:
    """Return the places that a decision settles: waiting and, if asked, filtered the other way."""
    places = {Place.WAITING}
    if may_lead:
        places.add(Place.ESCALATED)
    if has_filtered:
        places.add(Place.ALLOWED if verdict == Verdict.SPAM else Place.REMOVED)
    return frozenset(places)


def rows(
    *, campaign_id: int, viewer: User, is_newest_first: bool, cursor: str = "", limit: int = 50
) -> Page[MemberRow]:
    """Return members, the least similar first, or the newest first. Raises InvalidCursor."""
    order, kinds = (("-pk",), (int,)) if is_newest_first else (("likeness", "pk"), (float, int))
    columns = _columns(placed(CampaignMember.objects.filter(campaign=campaign_id), viewer=viewer))
    page = keyset.page(columns, order=order, after=keyset.after(cursor, *kinds), limit=limit)
    return page.of(lambda rows: map(_member, rows))


def row(*, campaign_id: int, post_id: int, viewer: User) -> MemberRow:
    """Return one member. Raises CampaignMember.DoesNotExist."""
    members = CampaignMember.objects.filter(campaign=campaign_id, post=post_id)
    member = _columns(placed(members, viewer=viewer)).first()
    if member is None:
        raise CampaignMember.DoesNotExist
    return _member(member)


def _columns(members: QuerySet[Any]) -> QuerySet[Any, dict[str, Any]]:
    return members.values(
        "pk",
        "post_id",
        "likeness",
        "ties",
        "place",
        case_id=F("waiting__pk"),
        spam_probability=F("waiting__score__spam_probability"),
        route_reason=F("waiting__score__route_reason"),
        external_id=F("post__external_id"),
        posted_at=F("post__posted_at"),
        author_id=F("post__author"),
        author=F("post__author__display_name"),
        author_external_id=F("post__author__external_id"),
        text=Left("revision__text", _READ_LENGTH),
        left_out=F("left_out_by__username"),
    )


def _member(row: dict[str, Any]) -> MemberRow:
    place = Place(row["place"])
    is_untold = place == Place.BLIND or row["route_reason"] == CaseReason.UNREAD_SCRIPT
    return MemberRow(
        post_id=row["post_id"],
        external_id=row["external_id"],
        author_id=row["author_id"],
        author=row["author"] or row["author_external_id"] or str(ERASED_NAME),
        excerpt=row["text"],
        posted_at=row["posted_at"],
        likeness=row["likeness"],
        ties=tuple(row["ties"]),
        place=place,
        left_out_by=row["left_out"] or "",
        case_id=row["case_id"],
        spam_probability=None if is_untold else row["spam_probability"],
    )


_SETTLED = {
    f"{DecisionSource.MODERATOR}:{Verdict.SPAM}": Place.SPAM,
    f"{DecisionSource.MODERATOR}:{Verdict.NOT_SPAM}": Place.NOT_SPAM,
    f"{DecisionSource.AUTOMATIC}:{Verdict.SPAM}": Place.REMOVED,
    f"{DecisionSource.AUTOMATIC}:{Verdict.NOT_SPAM}": Place.ALLOWED,
}
