"""Context of a post: the author's posts, complaints, decisions, the domains, the address."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import OuterRef, QuerySet, Subquery

from moderation.models import Case, Complaint, Decision, Post, PostLink, Revision, User
from moderation.models.decisions import DecisionSource

LIMIT = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """An event. `verdict` is "" if nothing was decided; `is_this` marks the post itself."""

    at: datetime
    verdict: str = ""
    is_this: bool = False


@dataclass(frozen=True, kw_only=True)
class Lane:
    """Events of one kind, the newest `LIMIT` of them; `subject` is untrusted text."""

    name: str
    events: tuple[Event, ...]
    subject: str = ""

    @property
    def is_cut(self) -> bool:
        """Whether there may be more events than shown."""
        return len(self.events) == LIMIT


def lanes(*, case: Case, viewer: User, is_blind: bool) -> tuple[Lane, ...]:
    """Return the lanes of a case in six queries.

    `is_blind` leaves out what the filter decided, and every decision on the case's own post.
    """
    revision = case.score.revision
    author_id = case.post.author_id
    domains, network = _domains(revision), viewer.address_shown(revision.ip_network)
    return (
        Lane(name="posts", events=_posts(case, is_blind=is_blind)),
        Lane(name="complaints", events=_complaints(author_id)),
        Lane(name="decisions", events=_decisions(case, is_blind=is_blind)),
        Lane(name="domains", events=_linked(domains, author_id), subject=", ".join(domains.values())),
        Lane(name="network", events=_network(revision, author_id), subject=network),
    )


def _posts(case: Case, *, is_blind: bool) -> tuple[Event, ...]:
    standing = _told(Decision.objects.filter(post=OuterRef("pk"), reversal__isnull=True), is_blind=is_blind)
    verdict = Subquery(standing.order_by("-decided_at", "-id").values("verdict")[:1])
    posts = Post.objects.filter(author=case.post.author_id).annotate(verdict=verdict)
    rows = posts.order_by("-received_at", "-id").values_list("received_at", "verdict", "pk")[:LIMIT]
    # A blind reviewer must not read the verdict on this very post in its author's history.
    hidden = case.post_id if is_blind else None
    return tuple(
        Event(at=at, verdict="" if pk == hidden else outcome or "", is_this=pk == case.post_id)
        for at, outcome, pk in rows
    )


def _complaints(author_id: int) -> tuple[Event, ...]:
    about = Complaint.objects.filter(post__author=author_id).order_by("-received_at", "-id")
    return _plain(about.values_list("received_at", flat=True)[:LIMIT])


def _decisions(case: Case, *, is_blind: bool) -> tuple[Event, ...]:
    standing = Decision.objects.filter(post__author=case.post.author_id, reversal__isnull=True)
    decided = _told(standing.exclude(post=case.post_id) if is_blind else standing, is_blind=is_blind)
    rows = decided.order_by("-decided_at", "-id").values_list("decided_at", "verdict")[:LIMIT]
    return tuple(Event(at=at, verdict=verdict) for at, verdict in rows)


def _domains(revision: Revision) -> dict[int, str]:
    links = PostLink.objects.filter(revision=revision, position__lt=5).order_by("position")
    return dict(links.values_list("domain_id", "domain__name"))


def _linked(domains: dict[int, str], author_id: int) -> tuple[Event, ...]:
    links = PostLink.objects.filter(domain__in=domains).order_by("-received_at", "-id")[: 2 * LIMIT]
    rows = links.values_list("received_at", "revision__post__author_id")
    return _plain(at for at, writer in rows if writer != author_id)


def _network(revision: Revision, author_id: int) -> tuple[Event, ...]:
    if not revision.ip_network:
        return ()
    near = Revision.objects.filter(ip_network=revision.ip_network).order_by("-received_at", "-id")
    rows = near.values_list("received_at", "post__author_id")[: 2 * LIMIT]
    return _plain(at for at, writer in rows if writer != author_id)


def _told(decisions: QuerySet[Decision], *, is_blind: bool) -> QuerySet[Decision]:
    return decisions.filter(source=DecisionSource.MODERATOR) if is_blind else decisions


def _plain(moments: Iterable[datetime]) -> tuple[Event, ...]:
    return tuple(Event(at=at) for at in list(moments)[:LIMIT])
