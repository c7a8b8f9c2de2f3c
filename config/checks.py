"""System check: no demonstration accounts, whose password is public, in a production database."""

from collections.abc import Sequence
from typing import Any

import structlog
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.core.checks import Warning as CheckWarning
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, InterfaceError

from moderation.evidence.reader import Reader
from moderation.operations.accounts import demo
from moderation.operations.infrastructure import egress
from moderation.operations.reputation import inquiry

log = structlog.get_logger(__name__)


@register(Tags.database)
def no_demo_accounts(*, databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Report demonstration accounts that still have its password; `migrate` runs this, too."""
    if not settings.IS_PRODUCTION or not databases:
        return []
    try:
        names = demo.accounts_left()
    except DatabaseError:
        return []  # no tables yet
    return [
        Error(
            f"The demo account {name} still has the demo's password.",
            hint="Give it another password or deactivate it: manage.py changepassword, or the page People.",
            id="spamdesk.E001",
        )
        for name in names
    ]


def refuse_demo_accounts() -> None:
    """Refuse to serve while such an account exists. Raises ImproperlyConfigured with their names.

    An unreachable database is no reason not to start; sign-in refuses that password anyway.
    """
    if not settings.IS_PRODUCTION:
        return
    try:
        names = demo.accounts_left()
    except (DatabaseError, InterfaceError):
        log.warning("demo_accounts_not_checked")
        return
    if names:
        raise ImproperlyConfigured(
            f"The demo accounts {', '.join(names)} still have the demo's password; production does not start"
            " with them. Change it with `manage.py changepassword`."
        )


@register()
def providers_can_be_called(**_: Any) -> list[CheckMessage]:
    """Warn about a server for the age of domains whose address the egress guard would refuse."""
    if settings.RDAP_URL in (inquiry.IANA, inquiry.OFF):
        return []
    try:
        egress.check(settings.RDAP_URL)
    except egress.Refused as refused:
        hint = "Give a public https address, or list its host in SPAMDESK_EGRESS_PRIVATE_HOSTS."
        warning = f"SPAMDESK_RDAP_URL will never be called. {refused}"
        return [CheckWarning(warning, hint=hint, id="spamdesk.W002")]
    return []


@register(deploy=True)
def readers_are_jailed(**_: Any) -> list[CheckMessage]:
    """Warn if the kernel does not confine the process that reads hostile bytes; this starts one."""
    reader = Reader(memory_bytes=settings.EVIDENCE_LIMITS.read_bytes)
    try:
        reader.read("page", b"<p>Anything", hints={}, seconds=settings.EVIDENCE_LIMITS.read_seconds)
    finally:
        reader.close()
    if not reader.lacking:
        return []
    hint = "Collect evidence on Linux 5.13 or later, where the container's own filter allows both."
    warning = f"Whoever takes a reader of links over is not held back by {' and '.join(reader.lacking)}."
    return [CheckWarning(warning, hint=hint, id="spamdesk.W003")]
