"""Golden items as leads read them, and what people answered: to each their own, to leads everybody's."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from django.db.models import Count, F, Q, QuerySet
from django.utils import timezone

from moderation.models import BlindReview, GoldenItem, User
from moderation.queries import keyset, outcome_counts
from moderation.queries.keyset import Page

FEWEST_ANSWERS = 20
"""Below, no share is shown."""


class GoldenState(StrEnum):
    """Which golden items to show."""

    USED = "used"
    PROPOSED = "proposed"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True)
class GoldenResult:
    """How many answers to golden items somebody gave, until the start of this week, and how many were right.

    What is newer is left out: a count that rises with an answer would tell which post was golden.
    """

    user: User
    answers: int
    right: int

    @property
    def share(self) -> float | None:
        """Share of right answers in [0, 1], None below FEWEST_ANSWERS."""
        return self.right / self.answers if self.answers >= FEWEST_ANSWERS else None

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the share."""
        return outcome_counts.interval(self.right, of=self.answers)


def own_result(*, user: User, at: datetime) -> GoldenResult:
    """Return somebody's own result."""
    answers = _answers(until=week_start(at)).filter(answered_by=user)
    return GoldenResult(user=user, **answers.aggregate(**_COUNTS))


def results(*, at: datetime) -> tuple[GoldenResult, ...]:
    """Return everybody's results by name, not by rank."""
    rows = _answers(until=week_start(at)).order_by().values_list("answered_by").annotate(**_COUNTS)
    counts = {person: (answers, right) for person, answers, right in rows}
    people = User.objects.filter(pk__in=counts).order_by("username")
    return tuple(GoldenResult(user, *counts[user.pk]) for user in people)


def page(*, state: GoldenState, cursor: str = "", limit: int = 50) -> Page[GoldenItem]:
    """Return golden items with the number of their answers, the newest first. Raises InvalidCursor."""
    rows = GoldenItem.objects.filter(retired_at__isnull=state != GoldenState.RETIRED)
    if state != GoldenState.RETIRED:
        rows = rows.filter(confirmed_at__isnull=state == GoldenState.PROPOSED)
    answered = Q(blind_reviews__answered_at__isnull=False) & ~Q(blind_reviews__verdict="")
    rows = rows.annotate(
        answers=Count("blind_reviews", filter=answered),
        right=Count("blind_reviews", filter=answered & Q(blind_reviews__verdict=F("verdict"))),
    ).select_related("platform", "post__author", "revision", "marked_by", "confirmed_by", "retired_by")
    rows = rows.defer("revision__journey", "revision__links")
    return keyset.page(rows, order=("-pk",), after=keyset.after(cursor, int), limit=limit)


def may_be_marked(*, post_id: int) -> bool:
    """Tell whether no lead has marked the post yet."""
    return not GoldenItem.objects.filter(post=post_id).exists()


def week_start(at: datetime) -> datetime:
    """Return Monday 00:00 of the week, in the current time zone."""
    day = timezone.localtime(at).replace(hour=0, minute=0, second=0, microsecond=0)
    return day - timedelta(days=day.weekday())


_COUNTS = {"answers": Count("pk"), "right": Count("pk", filter=Q(verdict=F("golden__verdict")))}


def _answers(*, until: datetime) -> QuerySet[BlindReview]:
    """Return final answers to golden items; those handed on have no verdict and do not count."""
    rows = BlindReview.objects.filter(golden__is_wrong=False, answered_at__lt=until)
    return rows.exclude(verdict="")
