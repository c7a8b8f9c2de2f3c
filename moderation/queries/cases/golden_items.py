"""Golden items as leads read them, and what people answered: to each their own, to leads everybody's."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from django.db.models import Count, F, Q, QuerySet
from django.utils import timezone

from moderation.models import BlindReview, GoldenItem, User
from moderation.models.blind_reviews import BlindCause
from moderation.queries import keyset, outcome_counts
from moderation.queries.keyset import Page

FEWEST_ANSWERS = 20
"""Below, no share is shown."""
LASTS = timedelta(days=90)
"""From the post's arrival: an older post would stand out among other blind reviews."""


class GoldenState(StrEnum):
    """Which golden items to show."""

    USED = "used"
    PROPOSED = "proposed"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True)
class GoldenResult:
    """How many answers to golden items somebody gave, until the start of this week, and how many were right.

    What is newer is left out: a count that rises with an answer would tell which post was golden. Answers of
    the first shift, where everybody knows, are counted by themselves, and at once.
    """

    user: User
    answers: int
    right: int
    first_answers: int = 0
    first_right: int = 0

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
    return GoldenResult(user=user, **_answers().filter(answered_by=user).aggregate(**_counts(at)))


def results(*, at: datetime) -> tuple[GoldenResult, ...]:
    """Return everybody's results by name, not by rank."""
    rows = _answers().order_by().values_list("answered_by").annotate(**_counts(at))
    counts = {person: numbers for person, *numbers in rows if any(numbers)}
    people = User.objects.filter(pk__in=counts).order_by("username")
    return tuple(GoldenResult(user, *counts[user.pk]) for user in people)


def usable(*, at: datetime) -> QuerySet[GoldenItem]:
    """Return the golden items in use whose posts may be given out."""
    return GoldenItem.objects.filter(
        confirmed_at__isnull=False,
        retired_at__isnull=True,
        post__erased_at__isnull=True,
        post__received_at__gt=at - LASTS,
        revision__number=F("post__latest_revision"),
    )


def page(*, state: GoldenState, cursor: str = "", limit: int = 50) -> Page[GoldenItem]:
    """Return golden items with the number of their answers, the newest first. Raises InvalidCursor."""
    rows = GoldenItem.objects.filter(retired_at__isnull=state != GoldenState.RETIRED)
    if state != GoldenState.RETIRED:
        rows = rows.filter(confirmed_at__isnull=state == GoldenState.PROPOSED)
    answered = Q(blind_reviews__answered_at__isnull=False) & ~Q(blind_reviews__verdict="")
    answered &= ~Q(blind_reviews__cause=BlindCause.FIRST)
    rows = rows.annotate(
        answers=Count("blind_reviews", filter=answered),
        right=Count("blind_reviews", filter=answered & Q(blind_reviews__verdict=F("verdict"))),
    ).select_related("platform", "post__author", "revision", "marked_by", "confirmed_by", "retired_by")
    rows = rows.defer("revision__journey", "revision__links")
    return keyset.page(rows, order=("-pk",), after=keyset.after(cursor, int), limit=limit)


def week_start(at: datetime) -> datetime:
    """Return Monday 00:00 of the week, in the current time zone."""
    day = timezone.localtime(at).replace(hour=0, minute=0, second=0, microsecond=0)
    return day - timedelta(days=day.weekday())


def _counts(at: datetime) -> dict[str, Count]:
    is_first, is_right = Q(cause=BlindCause.FIRST), Q(verdict=F("golden__verdict"))
    is_counted = ~is_first & Q(answered_at__lt=week_start(at))
    return {
        "answers": Count("pk", filter=is_counted),
        "right": Count("pk", filter=is_counted & is_right),
        "first_answers": Count("pk", filter=is_first),
        "first_right": Count("pk", filter=is_first & is_right),
    }


def _answers() -> QuerySet[BlindReview]:
    """Return answers to golden items; those handed on have no verdict and do not count."""
    return BlindReview.objects.filter(golden__is_wrong=False, answered_at__isnull=False).exclude(verdict="")
