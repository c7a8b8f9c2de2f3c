"""Write entries of the audit log, in the transaction of the act that they record."""

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
    """Add one audit entry. Call inside the transaction of the act that it records."""
    entry(
        action=action, subject_kind=subject_kind, subject_id=subject_id, actor=actor, at=at, **details
    ).save(force_insert=True)


def entry(
    *,
    action: str,
    subject_kind: str,
    subject_id: object,
    actor: User | None,
    at: datetime,
    **details: object,
) -> AuditEntry:
    """Return one audit entry that is not saved yet, for whoever saves many at once."""
    return AuditEntry(
        at=at,
        actor=actor,
        action=action,
        subject_kind=subject_kind,
        subject_id=str(subject_id),
        details=details,
    )
