"""Promise: a web server that was taken over cannot change the audit log where another role owns it."""

from collections.abc import Iterator
from datetime import datetime

import pytest
from django.db import ProgrammingError, connection, transaction

from deploy.local.places import ROOT
from moderation.models import AuditEntry, Platform, User
from moderation.operations.audit import chain, entries

ROLES = (ROOT / "deploy" / "roles.sql").read_text()


@pytest.fixture
def application_role(db: None) -> Iterator[None]:
    """What follows runs as the application's role; role and grants end with the test's transaction."""
    with connection.cursor() as cursor:
        cursor.execute(ROLES)
        cursor.execute("SET LOCAL ROLE spamdesk_app")
        yield
        cursor.execute("RESET ROLE")


def entry(platform: Platform, at: datetime, lead: User) -> AuditEntry:
    entries.add(
        action="platform.registered", subject_kind="platform", subject_id=platform.pk, actor=lead, at=at
    )
    return AuditEntry.objects.latest("id")


@pytest.mark.parametrize(
    "attack",
    [
        "UPDATE moderation_auditentry SET action = 'nothing'",
        "DELETE FROM moderation_auditentry",
        "TRUNCATE moderation_auditentry",
        "DELETE FROM moderation_auditlink",
        "ALTER TABLE moderation_auditentry DISABLE TRIGGER ALL",
        "DROP TRIGGER audit_append_only ON moderation_auditentry",
    ],
)
def test_the_audit_log_cannot_be_changed(
    platform: Platform, lead: User, application_role: None, at: datetime, attack: str
) -> None:
    entry(platform, at, lead)

    with pytest.raises(ProgrammingError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(attack)


def test_the_log_is_written_and_sealed(
    platform: Platform, lead: User, application_role: None, at: datetime
) -> None:
    written = entry(platform, at, lead)

    assert chain.seal(at=at) >= 1
    assert chain.verify() == chain.head()
    assert written.actor == lead
