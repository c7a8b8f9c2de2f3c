"""Write entries of the audit log, in the transaction of the act that they tell of."""

from __future__ import annotations

from datetime import datetime

from moderation.models import AuditEntry, User
from moderation.operations.infrastructure import transactions


@transactions.required
def add(
    *,
    action: str,
    subject_kind: str,
    subject_id: object,
    actor: User | None,
    at: datetime,
    **details: object,
) -> None:
    """Add one audit entry. Call inside the transaction of the act that it tells of."""
    AuditEntry.objects.create(
        at=at,
        actor=actor,
        action=action,
        subject_kind=subject_kind,
        subject_id=str(subject_id),
        details=details,
    )
