"""Timeline of an author, a domain or an address: posts, complaints, decisions."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, QuerySet, Value

from moderation.models import Complaint, Decision, Label, Revision
from moderation.models.decisions import DecisionSource
from moderation.queries import case_access

SAMPLE = 300
"""Number of latest posts in a timeline; a domain may have a hundred thousand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """An event. `tone` is spam, ham or "" if nothing was judged."""

    at: datetime
    kind: str
    tone: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """Events of the most recent posts in order; `is_partial` if older ones were left out."""

    events: tuple[Event, ...]
    is_partial: bool


def of(revisions: QuerySet[Revision], *, hides_blind: bool = True) -> Timeline:
    """Return the timeline of some posts, given by their latest revisions, in four queries.

    `hides_blind` leaves out what the filter or people said of posts that are being judged blindly.
    """
    blind = case_access.blind_cases().filter(post=OuterRef("post"))
    marked = revisions.annotate(is_hidden=Exists(blind) if hides_blind else Value(value=False))
    columns = ("post_id", "received_at", "is_hidden")
    recent = list(marked.order_by("-post_id").values_list(*columns)[: SAMPLE + 1])
    posts = recent[:SAMPLE]
    ids = [post_id for post_id, _, _ in posts]
    judged = [post_id for post_id, _, is_hidden in posts if not is_hidden]
    labels = dict(
        Label.objects.filter(post__in=judged, retracted_at__isnull=True).values_list("post", "is_spam")
    )
    events = [Event(at=at, kind="post", tone=_tone(labels.get(post_id))) for post_id, at, _ in posts]
    rows = Complaint.objects.filter(post__in=ids).order_by("-received_at")
    events += [Event(at=at, kind="complaint") for at in rows.values_list("received_at", flat=True)[:SAMPLE]]
    decided = Decision.objects.filter(post__in=judged, reversal__isnull=True).order_by("-decided_at")
    events += [
        Event(
            at=at,
            kind="decision" if source == DecisionSource.MODERATOR else "automatic",
            tone=_tone(verdict == "spam"),
        )
        for at, source, verdict in decided.values_list("decided_at", "source", "verdict")[:SAMPLE]
    ]
    return Timeline(events=tuple(sorted(events, key=lambda event: event.at)), is_partial=len(recent) > SAMPLE)


def _tone(is_spam: bool | None) -> str:  # noqa: FBT001 - a label as it is stored, None where there is none
    return "" if is_spam is None else "spam" if is_spam else "ham"
