"""Leases on evidence: which worker fetches an address, and whether its site may be asked now."""

from __future__ import annotations

import zlib
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from moderation.models import Evidence
from moderation.models.evidence import EvidenceState
from moderation.operations.infrastructure import advisory_locks, transactions
from moderation.operations.infrastructure.advisory_locks import AdvisoryLock
from moderation.queries.health import clocks

LEASE_SECONDS = 300
"""Longer than a fetch with all its hops, a slow name server and the reading of what came, after others."""
_PAUSE = timedelta(seconds=1)


def claim(*, evidence_id: int, at: datetime) -> Evidence | None:
    """Take a lease on a row that waits or whose lease is over; None if there is nothing to do now.

    While its site is asked as often as it may be, the row waits another second, and the sweep returns to it.
    """
    with transaction.atomic():
        site = Evidence.objects.filter(pk=evidence_id).values_list("site", flat=True).first()
        if site is None:
            return None
        # The lock orders those who count what is under way; two sites of one number only wait for each other.
        advisory_locks.take(AdvisoryLock.EVIDENCE_SITE, subject_id=zlib.crc32(site.encode()) & 0x7FFF_FFFF)
        # A locked row is waited for, not passed over: its message would be used up. Requests are opened in
        # two transactions, the second of which locks the rows that the first one has just sent messages for.
        rows = Evidence.objects.select_for_update(no_key=True)
        row = rows.filter(is_open(at=at), is_due(at=at), pk=evidence_id).first()
        if row is None:
            return None
        if _is_busy(site, at=at, but=row.pk):
            row.due_at = at + _PAUSE
            row.save(update_fields=("due_at",))
            return None
        row.state, row.started_at = EvidenceState.FETCHING, at
        row.lease_until = at + timedelta(seconds=LEASE_SECONDS)
        # Counted when claimed, not when it fails: a worker that is killed counts nothing.
        row.attempts += 1
        row.save(update_fields=("state", "started_at", "lease_until", "attempts"))
    return row


def give_back(row: Evidence, *, at: datetime) -> None:
    """Let a row that was claimed wait again, as if it had not been tried."""
    held = Evidence.objects.filter(pk=row.pk, state=EvidenceState.FETCHING, attempts=row.attempts)
    held.update(state=EvidenceState.WAITING, lease_until=None, attempts=row.attempts - 1, due_at=at + _PAUSE)


@transactions.required
def is_still_held(row: Evidence) -> bool:
    """Lock a row that was claimed; False if another worker has taken over, or its posts were erased."""
    held = Evidence.objects.select_for_update(no_key=True).filter(
        pk=row.pk, state=EvidenceState.FETCHING, attempts=row.attempts
    )
    return held.exists()


def is_open(*, at: datetime) -> Q:
    """Select the rows that wait, and those whose lease has run out."""
    return Q(state=EvidenceState.WAITING) | Q(state=EvidenceState.FETCHING) & is_over(at=at)


def is_due(*, at: datetime) -> Q:
    """Select the rows that need not wait for their site."""
    return clocks.has_passed("due_at", at=at, longest=_PAUSE)


def is_over(*, at: datetime) -> Q:
    """Select the rows whose lease has run out."""
    return clocks.has_passed("lease_until", at=at, longest=timedelta(seconds=LEASE_SECONDS))


def _is_busy(site: str, *, at: datetime, but: int) -> bool:
    if not site:
        return False  # what came with a post asks nobody
    recent = Evidence.objects.filter(site=site, started_at__gt=at - timedelta(seconds=LEASE_SECONDS))
    recent = recent.exclude(pk=but)
    at_once = recent.filter(state=EvidenceState.FETCHING, lease_until__gt=at)
    just_now = recent.filter(started_at__gt=at - _PAUSE)
    return (
        at_once.count() >= settings.EVIDENCE_LIMITS.site_at_once
        or just_now.count() >= settings.EVIDENCE_LIMITS.site_per_second
    )
