"""Leave a review page: what was leased for it goes back, that of an answer which it never saw included.

An act may be on its way when its page is left, and its answer would lease the next cases for nobody. So a
page names itself, and act and leaving both write its row: the second sees the first and gives the cases back.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from moderation.models import ReviewPage, User
from moderation.operations.cases import shift

_KEPT = timedelta(days=1)


def page(
    *, page_id: UUID, moderator: User, held: Collection[int], leaving: Collection[int], at: datetime
) -> None:
    """Give back what the page held and what its last answer leased.

    Not the cases in `leaving`: their decisions are on the way and need the claim.
    """
    with transaction.atomic():
        row = _locked(page_id, moderator=moderator, at=at)
        row.left_at = at
        row.save(update_fields=("left_at",))
    shift.hand_back(case_ids=sorted({*held, *row.leased} - {*leaving}), moderator=moderator)


def note_leased(*, page_id: UUID, moderator: User, case_ids: Collection[int], at: datetime) -> None:
    """Note what an answer leased; give it back if the page was left. Call after the leases are committed."""
    with transaction.atomic():
        row = _locked(page_id, moderator=moderator, at=at)
        row.leased, row.used_at = list(case_ids), at
        row.save(update_fields=("leased", "used_at"))
    if row.left_at:
        shift.hand_back(case_ids=row.leased, moderator=moderator)


def _locked(page_id: UUID, *, moderator: User, at: datetime) -> ReviewPage:
    """Lock the page's row, made if it is new; the moderator's rows of days past go then."""
    row, is_new = ReviewPage.objects.select_for_update().get_or_create(
        page=page_id, user=moderator, defaults={"used_at": at}
    )
    if is_new:
        ReviewPage.objects.filter(user=moderator, used_at__lt=at - _KEPT).delete()
    return row
