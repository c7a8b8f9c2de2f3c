"""Give a new moderator the golden items of the first shift, a few at a time."""

from datetime import datetime

from moderation.models import BlindReview, User
from moderation.models.blind_reviews import BlindCause
from moderation.operations.cases import blind_reviews, claims, golden_items
from moderation.operations.infrastructure import transactions
from moderation.queries.cases import first_shift
from moderation.queries.cases.queue_filter import FIRST_SHIFT


@transactions.required
def opened(*, moderator: User, count: int, held: int, at: datetime) -> int:
    """Open cases until a moderator may hold `count` of the shift; return how many to claim beside those held.

    Handed back, they are blind reviews like any other: somebody else may answer them.
    """
    shift = first_shift.of(user=moderator, at=at)
    number = max(0, min(count, shift.left if shift and shift.is_offered else 0) - held)
    missing = number - claims.free_cases(moderator=moderator, wanted=FIRST_SHIFT, at=at)[:number].count()
    if missing > 0:
        items = first_shift.unknown(moderator, at=at)
        blind_reviews.opened(
            golden_items.drawn_for(items, people={moderator.pk}, number=missing, at=at), at=at
        )
    return number


@transactions.required
def mark(review: BlindReview, *, moderator: User, at: datetime) -> None:
    """Note that an answer was given in a first shift, by somebody who knew of the test."""
    shift = first_shift.of(user=moderator, at=at)
    # Nobody keeps answers out of their figures by a first shift that is over.
    if review.golden_id is not None and shift is not None and shift.answered < first_shift.LONGEST:
        review.cause = BlindCause.FIRST
        review.save(update_fields=("cause",))
