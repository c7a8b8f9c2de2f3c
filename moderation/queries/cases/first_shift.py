"""The first shift of a new moderator: golden items, answered before anything else, with a result at the end.

What is known of it are its answers: those to golden items whose cause is BlindCause.FIRST. They count in no
figure of a reviewer, which are about people who do not know that they are tested.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Value

from moderation.models import BlindReview, Case, CaseNote, Decision, GoldenItem, User, desk_settings
from moderation.models.blind_reviews import BlindCause
from moderation.models.cases import CaseReason, CaseState
from moderation.models.users import Role
from moderation.queries import case_access
from moderation.queries.cases import golden_items

LONGEST, FEWEST = 10, 5
"""So many test posts it has at most; where there are fewer than FEWEST, it is offered to nobody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstShift:
    """How many of its posts somebody answered, and how many are left."""

    answered: int
    left: int

    @property
    def is_offered(self) -> bool:
        """Whether it may begin or go on."""
        return self.left > 0 and (self.answered > 0 or self.left >= FEWEST)


def of(*, user: User, at: datetime) -> FirstShift | None:
    """Return somebody's first shift; None for people who have decided a case, and without golden items."""
    if user.role != Role.MODERATOR:
        return None
    own = _answers().filter(golden=OuterRef("pk"), answered_by=user)
    items = GoldenItem.objects.filter(~Exists(Decision.objects.filter(decided_by=user)))
    counts = items.aggregate(
        answered=Count("pk", filter=Exists(own)), unknown=Count("pk", filter=Q(pk__in=unknown(user, at=at)))
    )
    answered = counts["answered"]
    left = min(LONGEST - answered, counts["unknown"])
    return FirstShift(answered=answered, left=left) if answered or left else None


def unknown(user: User, *, at: datetime) -> QuerySet[GoldenItem]:
    """Return the golden items in use that somebody may still judge, in languages that they read."""
    cases = Case.objects.filter(post=OuterRef("post"))
    known = (
        Exists(BlindReview.objects.filter(post=OuterRef("post"), answered_by=user))
        | Exists(CaseNote.objects.filter(case__post=OuterRef("post"), author=user))
        | Exists(cases.filter(state=CaseState.OPEN, skipped_by__contains=[user.pk]))
        | case_access.elsewhere(user, language="revision__language", reason=Value(CaseReason.BLIND))
    )
    items = golden_items.usable(at=at).exclude(known)
    return items.filter(Exists(cases.filter(language__in=[*user.languages, ""]))) if user.languages else items


def results(*, user: User, at: datetime) -> QuerySet[BlindReview]:
    """Return the answers of somebody's first shift that cannot be undone any more, the first first."""
    until = at - timedelta(seconds=desk_settings.current().undo_seconds)
    rows = _answers().filter(answered_by=user, answered_at__lte=until)
    return rows.select_related("golden__revision", "platform", "post__author").order_by("answered_at", "pk")


def _answers() -> QuerySet[BlindReview]:
    return BlindReview.objects.filter(cause=BlindCause.FIRST, golden__is_wrong=False)
