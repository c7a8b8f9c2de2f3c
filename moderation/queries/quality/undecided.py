"""What undecided cases do to the figures: posts in review that nobody judged yet are missing from them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Q, QuerySet

from moderation.models import Case, Platform
from moderation.models.cases import CaseReason, CaseState
from moderation.queries.quality.estimates import FEWEST_SHOWN
from moderation.queries.quality.labelled_posts import LabelledPosts

_DRAWN = (CaseReason.AUDIT.value, CaseReason.RANDOM.value)
_ROUTED = (
    CaseReason.UNCERTAIN.value,
    CaseReason.DEGRADED.value,
    CaseReason.HOLD.value,
    CaseReason.OUTVOTED.value,
    CaseReason.UNREAD_SCRIPT.value,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Undecided:
    """Open cases of a period: of drawn posts, and of posts whose route was review."""

    drawn: int
    review: int


def undecided(*, since: datetime, until: datetime, platform: Platform | None) -> Undecided:
    """Count the open cases that will give labels for the figures of a period."""
    return Undecided(
        **_open(since=since, until=until, platform=platform).aggregate(
            drawn=Count("pk", filter=Q(reason__in=_DRAWN)), review=Count("pk", filter=Q(reason__in=_ROUTED))
        )
    )


def review_opened(*, since: datetime, until: datetime, platform: Platform | None) -> list[datetime]:
    """Return when the open cases of posts whose route was review were opened, the oldest first."""
    cases = _open(since=since, until=until, platform=platform).filter(reason__in=_ROUTED)
    return list(cases.order_by("opened_at").values_list("opened_at", flat=True))


def _open(*, since: datetime, until: datetime, platform: Platform | None) -> QuerySet[Case]:
    cases = Case.objects.filter(state=CaseState.OPEN, opened_at__gte=since, opened_at__lt=until).order_by()
    return cases if platform is None else cases.filter(platform=platform)


def row(posts: LabelledPosts, waiting: Undecided, *, passed: LabelledPosts) -> Mapping[str, Any]:
    """Return the open cases, how many were `passed` over, and how far recall and prevalence would move if all
    those in review were spam.

    Spam among them is missing from both figures: recall is too high, and prevalence is too low if more of
    them are spam than of all posts. The members named `with_…` are None where there are too few labels, or
    none of posts removed or let through.
    """
    worth = 1.0 / posts.chance
    spam, removed = float(worth[posts.is_spam].sum()), float(worth[posts.is_spam & posts.is_removed].sum())
    everything, review = float(worth.sum()), waiting.review
    has_routes = bool(posts.is_removed.any() and posts.is_allowed.any())
    is_shown = has_routes and int(posts.is_spam.sum()) >= FEWEST_SHOWN
    return {
        "drawn": waiting.drawn,
        "review": review,
        "passed": len(passed),
        "decided": len(posts),
        "with_recall": removed / (spam + review) if is_shown else None,
        "with_prevalence": (spam + review) / (everything + review) if is_shown else None,
    }
