"""Decisions in force on posts, and outcomes of a set of posts in one query: the figures above every author,
domain and address.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import sqrt
from typing import ClassVar

from django.db.models import Case as Switch
from django.db.models import Count, Exists, Max, Min, OuterRef, Q, QuerySet, Subquery, Sum, Value, When
from django.db.models.functions import Coalesce, Concat

from moderation.models import Case, Complaint, Decision, Label, Post, Revision, User
from moderation.models.cases import BLIND_REASONS, CaseReason, CaseState
from moderation.queries import case_access

RECENT = timedelta(days=7)
FEWEST_OF_A_SHARE = 3
_REMOVED, _LET_THROUGH = "automatic:spam", "automatic:not_spam"
_Z = 1.959964  # two-sided 95 %


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Counts of posts. `recent` in the last seven days; people judged `spam` and `not_spam`, the filter alone
    decided `removed` and `let_through`.
    """

    posts: int
    recent: int
    authors: int
    waiting: int
    spam: int
    not_spam: int
    removed: int
    let_through: int
    complaints: int
    first_at: datetime | None
    last_at: datetime | None

    @property
    def judged(self) -> int:
        """Number of posts that people judged."""
        return self.spam + self.not_spam

    @property
    def spam_share(self) -> float:
        """Share of confirmed spam among the judged, in [0, 1]; 0 if nothing was judged."""
        return self.spam / self.judged if self.judged else 0.0

    @property
    def spam_interval(self) -> tuple[float, float]:
        """The 95 % interval of the share; (0, 1) if nothing was judged."""
        return interval(self.spam, of=self.judged)

    @property
    def has_share(self) -> bool:
        """Whether enough posts were judged for a share to be meaningful."""
        return self.judged >= FEWEST_OF_A_SHARE


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A part of a whole; a share in [0, 1] and its 95 % interval, None where there are too few."""

    fewest: ClassVar[int] = FEWEST_OF_A_SHARE
    part: int
    of: int

    @property
    def share(self) -> float | None:
        """The share, None of fewer than `fewest`."""
        return self.part / self.of if self.of >= self.fewest else None

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval."""
        return interval(self.part, of=self.of)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """Counts of posts by decision in force: the filter's, and people's `spam` and `not_spam`."""

    removed: int
    let_through: int
    spam: int
    not_spam: int

    @property
    def judged(self) -> int:
        """Number of posts that people decided."""
        return self.spam + self.not_spam


def decided(standings: Iterable[str]) -> Decided:
    """Count decisions in force, as `standing` gives them."""
    counts = Counter(standings)
    return Decided(
        removed=counts[_REMOVED],
        let_through=counts[_LET_THROUGH],
        spam=counts["moderator:spam"],
        not_spam=counts["moderator:not_spam"],
    )


def standing(*, post: str) -> Coalesce:
    """Return an expression for the decision in force of the field's post: "source:verdict", "" if none."""
    decisions = Decision.objects.filter(post=OuterRef(post), reversal__isnull=True)
    newest = decisions.order_by("-decided_at", "-id").annotate(said=Concat("source", Value(":"), "verdict"))
    return Coalesce(Subquery(newest.values("said")[:1]), Value(""))


def removed(posts: QuerySet[Post]) -> QuerySet[Post]:
    """Return those that the filter alone removed."""
    return posts.annotate(by_filter=_by_filter(post="pk")).filter(by_filter=_REMOVED)


def interval(part: int, *, of: int, z: float = _Z) -> tuple[float, float]:
    """Wilson's interval of a share (Wilson 1927), of 95 % unless `z` says otherwise; (0, 1) of nothing."""
    if not of:
        return 0.0, 1.0
    share = part / of
    middle = share + z * z / (2 * of)
    half = z * sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    whole = 1 + z * z / of
    return max(0.0, (middle - half) / whole), min(1.0, (middle + half) / whole)


def of(revisions: QuerySet[Revision], *, at: datetime, viewer: User | None = None) -> Figures:
    """Count over the latest revisions of some posts, one row per post; as waiting what the viewer may see."""
    waits = Case.objects.filter(post=OuterRef("post"), state=CaseState.OPEN)
    labels = Label.objects.filter(post=OuterRef("post"), retracted_at__isnull=True)
    complaints = Complaint.objects.filter(post=OuterRef("post")).order_by().values("post")
    counted = revisions.annotate(
        is_spam=Exists(labels.filter(is_spam=True)),
        is_not_spam=Exists(labels.filter(is_spam=False)),
        is_waiting=Exists(waits.exclude(case_access.kept_from(viewer)) if viewer else waits),
        # The count would tell a blind reviewer what somebody said of the post.
        is_blind=Exists(waits.filter(reason=CaseReason.BLIND)),
        by_filter=_by_filter(post="post"),
        told=Coalesce(Subquery(complaints.annotate(all=Count("pk")).values("all")), 0),
    ).aggregate(
        posts=Count("pk"),
        recent=Count("pk", filter=Q(received_at__gt=at - RECENT)),
        authors=Count("post__author", distinct=True),
        waiting=Count("pk", filter=Q(is_waiting=True)),
        spam=Count("pk", filter=Q(is_spam=True, is_blind=False)),
        not_spam=Count("pk", filter=Q(is_not_spam=True, is_blind=False)),
        removed=Count("pk", filter=Q(by_filter=_REMOVED)),
        let_through=Count("pk", filter=Q(by_filter=_LET_THROUGH)),
        complaints=Coalesce(Sum("told"), 0),
        first_at=Min("received_at"),
        last_at=Max("received_at"),
    )
    return Figures(**counted)


def _by_filter(*, post: str) -> Switch:
    """Return an expression for what the filter alone decided of the field's post, as `standing` does.

    "" where people judged the post, or one of them is to judge it without knowing what the filter decided.
    """
    judged = Label.objects.filter(post=OuterRef(post), retracted_at__isnull=True)
    blind = Case.objects.filter(post=OuterRef(post), state=CaseState.OPEN, reason__in=BLIND_REASONS)
    return Switch(When(Exists(judged) | Exists(blind), then=Value("")), default=standing(post=post))
