"""A moderator's last skip, while it can be undone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from moderation.models import AuditEntry, Case, User, desk_settings
from moderation.models.cases import CaseReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip:
    """A case that was skipped, and until when the desk offers to undo it."""

    case: Case
    skipped_at: datetime
    final_at: datetime


def undoable(*, moderator: User, at: datetime) -> Skip | None:
    """Return the moderator's last skip while it can be undone, else None: the rows of cases keep no time."""
    window = timedelta(seconds=desk_settings.current().undo_seconds)
    skips = AuditEntry.objects.filter(actor=moderator, action="case.skipped", at__gt=at - window)
    entry = skips.order_by("-at", "-id").first()
    if entry is None:
        return None
    # Of a second review, `skipped_by` also names who must not judge it.
    own = Case.objects.filter(pk=entry.subject_id, skipped_by__contains=[moderator.pk])
    own = own.exclude(reason__in=(CaseReason.SECOND, CaseReason.BLIND))
    case = own.select_related("post__author").first()
    return Skip(case=case, skipped_at=entry.at, final_at=entry.at + window) if case else None
