"""Write entries of the audit log, in the transaction of the act that they record."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol

from moderation.models import AuditEntry, User
from moderation.operations.infrastructure import transactions


class Writer(Protocol):
    """Adds an entry about a row. Call inside the transaction of the act that it records."""

    def __call__(
        self, action: str, row: Any, *, actor: User | None, at: datetime, **details: object
    ) -> None: ...


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


def replaced(row: Any, chosen: Mapping[str, object]) -> dict[str, object]:
    """Set the columns of a row that are chosen otherwise, unsaved; return what they were, for its entry."""
    before = {name: old for name, value in chosen.items() if (old := getattr(row, name)) != value}
    for name in before:
        setattr(row, name, chosen[name])
    return before


def writer(subject_kind: str, *, subject_id: str = "pk", **told: str) -> Writer:
    """Return a function that adds entries about rows of one kind, all with the same details.

    `subject_id` and the values of `told` name attributes of the row; `told` makes them details.
    """

    def write(action: str, row: Any, *, actor: User | None, at: datetime, **details: object) -> None:
        add(
            action=action,
            subject_kind=subject_kind,
            subject_id=getattr(row, subject_id),
            actor=actor,
            at=at,
            **{name: getattr(row, attribute) for name, attribute in told.items()},
            **details,
        )

    return write
