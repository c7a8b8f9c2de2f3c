"""Blind reviews as leads read them: who disagreed, and the plans."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from django.db.models import Count, Q, QuerySet

from moderation.models import BlindReview, BlindReviewPlan, CaseNote, Platform, User, desk_settings
from moderation.models.cases import CaseReason, CaseState
from moderation.queries import keyset
from moderation.queries.keyset import Page

_PAGE = 20
_NOTES = 10


class DisputeState(StrEnum):
    """Which disagreements to show."""

    WAITING = "waiting"
    SETTLED = "settled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """Two verdicts on one text. `notes` were written on any case of the post, the newest first.

    `is_own` tells that the viewer gave one of the verdicts and may not settle it.
    """

    review: BlindReview
    notes: tuple[CaseNote, ...]
    is_own: bool


@dataclass(frozen=True, slots=True)
class PlanRow:
    """A platform's plan, None if it has none, and its blind reviews: answered, open, waiting for room."""

    platform: Platform
    plan: BlindReviewPlan | None
    answered: int
    in_queue: int
    waiting: int

    @property
    def share_percent(self) -> str:
        """The share as an HTML number field takes it."""
        return f"{100 * (self.plan.share if self.plan else 0):g}"

    @property
    def golden_percent(self) -> str:
        """The share of golden items likewise."""
        return f"{100 * (self.plan.golden_share if self.plan else 0):g}"


def disagreements(*, viewer: User, state: DisputeState, at: datetime, cursor: str = "") -> Page[Disagreement]:
    """Return disagreements, the newest first. Raises InvalidCursor."""
    rows = _disputed(state, at=at).select_related(
        "platform",
        "post__author",
        "decision__decided_by",
        "decision__revision",
        "answered_by",
        "settled_by",
    )
    rows = rows.defer("decision__revision__journey", "decision__revision__links")
    page = keyset.page(rows, order=("-pk",), after=keyset.after(cursor, int), limit=_PAGE)
    notes = _notes([review.post_id for review in page.rows])
    return page.of(
        lambda reviews: [
            Disagreement(
                review=review,
                notes=tuple(notes.get(review.post_id, ())),
                is_own=review.decision is not None
                and viewer.pk in (review.decision.decided_by_id, review.answered_by_id),
            )
            for review in reviews
        ]
    )


def waiting_count(*, at: datetime) -> int:
    """Return how many disagreements wait for a lead."""
    return _disputed(DisputeState.WAITING, at=at).count()


def plans() -> tuple[PlanRow, ...]:
    """Return every platform with its plan and counts, in two queries."""
    is_open = Q(case__state=CaseState.OPEN, case__reason=CaseReason.BLIND)
    rows = BlindReview.objects.order_by().values_list("platform")
    counted = rows.annotate(
        answered=Count("answered_at"),
        in_queue=Count("pk", filter=is_open),
        waiting=Count("pk", filter=Q(case__isnull=True)),
    )
    counts = {platform: numbers for platform, *numbers in counted}
    return tuple(
        PlanRow(platform, getattr(platform, "blind_review_plan", None), *counts.get(platform.pk, (0, 0, 0)))
        for platform in Platform.objects.select_related("blind_review_plan").order_by("slug")
    )


def _disputed(state: DisputeState, *, at: datetime) -> QuerySet[BlindReview]:
    rows = BlindReview.objects.filter(is_disputed=True)
    if state == DisputeState.SETTLED:
        return rows.filter(settled_at__isnull=False)
    # A decision that was corrected meanwhile leaves nothing to settle; an answer may still be undone.
    is_final = Q(answered_at__lte=at - timedelta(seconds=desk_settings.current().undo_seconds))
    return rows.filter(is_final, settled_at__isnull=True, decision__reversal__isnull=True)


def _notes(posts: list[int]) -> dict[int, list[CaseNote]]:
    notes: dict[int, list[CaseNote]] = {}
    rows = CaseNote.objects.filter(case__post__in=posts).exclude(text="").select_related("author", "case")
    for note in rows.order_by("-id"):
        of_post = notes.setdefault(note.case.post_id, [])
        if len(of_post) < _NOTES:
            of_post.append(note)
    return notes
