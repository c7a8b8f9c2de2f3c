"""Release the claims of a review page when it is left, including those of an answer that it never received.

A request may be in flight when its page is left, and its answer would claim the next cases for nobody. So
each page has an id, and the request and the leaving both write its row: whichever commits second sees the
first and releases the cases.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from moderation.models import ReviewPage, User
from moderation.operations.cases import shift

_KEPT = timedelta(days=1)


def leave_page(
    *, page_id: UUID, moderator: User, held: Collection[int], leaving: Collection[int], at: datetime
) -> None:
    """Release the cases that the page held and those that its last answer claimed.

    Except the cases in `leaving`: their decisions are in flight and need the claim.
    """
    with transaction.atomic():
        row = _locked(page_id, moderator=moderator, at=at)
        row.left_at = at
        row.save(update_fields=("left_at",))
    shift.hand_back(case_ids=sorted({*held, *row.leased} - {*leaving}), moderator=moderator)


def note_leased(*, page_id: UUID, moderator: User, case_ids: Collection[int], at: datetime) -> None:
    """Record the cases that an answer claimed; release them if the page was left.

    Call after the claims are committed.
    """
    with transaction.atomic():
        row = _locked(page_id, moderator=moderator, at=at)
        row.leased, row.used_at = list(case_ids), at
        row.save(update_fields=("leased", "used_at"))
    if row.left_at:
        shift.hand_back(case_ids=row.leased, moderator=moderator)


def _locked(page_id: UUID, *, moderator: User, at: datetime) -> ReviewPage:
    """Lock the page's row, created if new; delete the moderator's rows of past days."""
    row, is_new = ReviewPage.objects.select_for_update().get_or_create(
        page=page_id, user=moderator, defaults={"used_at": at}
    )
    if is_new:
        ReviewPage.objects.filter(user=moderator, used_at__lt=at - _KEPT).delete()
    return row
