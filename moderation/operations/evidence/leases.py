"""Leases on evidence: which worker fetches an address, whether its site may be asked, and for whom.

Nothing waits for ever: the sweep finds what is due, whose message was lost or whose worker died.
"""

import threading
import time
import zlib
from collections import Counter, defaultdict
from collections.abc import Generator
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q

from moderation import enqueue, prepared
from moderation.models import Evidence, EvidenceRequest
from moderation.models.evidence import EvidenceState
from moderation.operations.evidence import thumbnails
from moderation.operations.infrastructure import advisory_locks, limits, sweeps
from moderation.operations.infrastructure.advisory_locks import AdvisoryLock
from moderation.operations.infrastructure.limits import Bucket, LimitReached
from moderation.queries.health import clocks

LEASE_SECONDS = 300
"""Longer than a fetch with all its hops, a slow name server and the reading of what came, after others."""
_LEASE, _PAUSE = timedelta(seconds=LEASE_SECONDS), timedelta(seconds=1)
_LOOK_SECONDS = 0.1
_TURNS_SECONDS = 10.0
"""After this time a thread goes on with another message: the broker sends one again after a minute."""

_lock = threading.Lock()
_places: Counter[str] = Counter()
_parked: defaultdict[str, dict[int, None]] = defaultdict(dict)

MAX_ATTEMPTS = 3
SWEEP_LIMIT = 500

_PLATFORM = """
SELECT p.platform_id FROM moderation_revisionevidence j JOIN moderation_revision r ON r.id = j.revision_id
JOIN moderation_post p ON p.id = r.post_id WHERE j.evidence_id = %(id)s ORDER BY j.id LIMIT 1
"""
_SITE = "SELECT site FROM moderation_evidence WHERE id = %(id)s"
_BUSY = """
SELECT count(*) FILTER (WHERE state = 'fetching' AND lease_until > %(at)s) >= %(at_once)s
  OR count(*) FILTER (WHERE started_at > %(at)s - %(pause)s) >= %(per_second)s
FROM moderation_evidence WHERE site = %(site)s AND started_at > %(at)s - %(lease)s AND id <> %(id)s
"""
# A locked row is waited for, not passed over: its message would be used up. Requests are opened in two
# transactions, the second of which locks the rows that the first one has just sent messages for.
# Attempts are counted when claimed, not when they fail: a worker that is killed counts nothing.
_CLAIM = """
UPDATE moderation_evidence
SET state = 'fetching', started_at = %(at)s, lease_until = %(at)s + %(lease)s, attempts = attempts + 1
WHERE id = %(id)s AND (due_at <= %(at)s OR due_at > %(at)s + %(pause)s + %(apart)s)
  AND (state = 'waiting' OR state = 'fetching'
    AND (lease_until <= %(at)s OR lease_until > %(at)s + %(lease)s + %(apart)s))
RETURNING id, url, url_digest, hour, site, kind, state, started_at, attempts
"""
_CLAIMED = ("id", "url", "url_digest", "hour", "site", "kind", "state", "started_at", "attempts")


def claim(*, evidence_id: int, at: datetime) -> Evidence | None:
    """Take a lease on a row that waits or whose lease is over; None if there is nothing to do now.

    While its site has been asked as often as allowed, the row waits another second for the sweep.
    """
    at_once, per_second = settings.EVIDENCE_LIMITS.site_at_once, settings.EVIDENCE_LIMITS.site_per_second
    values = {"id": evidence_id, "at": at, "lease": _LEASE, "pause": _PAUSE}
    with transaction.atomic():
        site = next((name for (name,) in prepared.rows(_SITE, id=evidence_id)), None)
        if site is None:
            return None
        # The lock orders those who count what is under way; two sites of one number only wait for each other.
        advisory_locks.take(AdvisoryLock.EVIDENCE_SITE, subject_id=zlib.crc32(site.encode()) & 0x7FFF_FFFF)
        busy = prepared.rows(_BUSY, site=site, at_once=at_once, per_second=per_second, **values)
        if site and busy[0][0]:  # what came with a post, and has no site, asks nobody
            waiting = Evidence.objects.filter(pk=evidence_id, state=EvidenceState.WAITING)
            waiting.update(due_at=at + _PAUSE)
            return None
        rows = prepared.rows(_CLAIM, apart=clocks.APART, **values)
    return Evidence.from_db("default", _CLAIMED, rows[0]) if rows else None


def give_back(row: Evidence, *, at: datetime) -> None:
    """Let a row that was claimed wait again, as if it had not been tried."""
    rows = Evidence.objects.filter(pk=row.pk, state=EvidenceState.FETCHING, attempts=row.attempts)
    rows.update(state=EvidenceState.WAITING, lease_until=None, attempts=row.attempts - 1, due_at=at + _PAUSE)


def turns(evidence_id: int) -> Generator[tuple[str, int]]:
    """Yield the first platform with an address, and the address; then those that found no place meanwhile.

    Nothing if the platform's places are taken: who holds one takes this address next, or the sweep finds it
    if this process dies before. So one platform's slow sites and pages leave some threads of a worker to
    others. Close it: then the place is free.
    """
    platform = str(next(iter(prepared.rows(_PLATFORM, id=evidence_id)), (None,))[0])
    with _lock:
        if _places[platform] >= settings.EVIDENCE_LIMITS.platform_at_once:
            _parked[platform][evidence_id] = None
            return
        _places[platform] += 1
    ends_at = time.monotonic() + _TURNS_SECONDS
    following: int | None = evidence_id
    try:
        while following is not None and time.monotonic() < ends_at:
            evidence_id, following = following, None
            yield platform, evidence_id
            following = _unparked(platform)
    finally:
        with _lock:
            _places[platform] -= 1
        if following is not None or (following := _unparked(platform)) is not None:
            enqueue.evidence(evidence_ids=[following])


def _unparked(platform: str) -> int | None:
    with _lock:
        following = next(iter(_parked[platform]), None)
        if following is not None:
            del _parked[platform][following]
    return following


def wait_for_site(site: str, *, seconds: float, at: datetime) -> bool:
    """Wait until a site may be asked once more; return whether that came within so many seconds.

    Leases count the sites of links only, and links to many sites may redirect to one. Without the store that
    counts there is no wait.
    """
    per_second = settings.EVIDENCE_LIMITS.site_per_second
    bucket = Bucket(name="redirects", per_minute=60 * per_second, burst=per_second)
    began = time.monotonic()
    while (waited := time.monotonic() - began) < seconds:
        try:
            limits.take(bucket=bucket, owner=site, at=at + timedelta(seconds=waited))
        except LimitReached:
            time.sleep(_LOOK_SECONDS)
        else:
            return True
    return False


def sweep(*, at: datetime) -> int:
    """Enqueue again what is due, and keep files that wait for the store; return how many.

    Rows that were tried too often end as LOST.
    """
    forgotten = sweeps.forgotten(has_backlog=enqueue.messages().get("evidence", 0) > 0, at=at)
    enqueued = _requests(forgotten, at=at) + _addresses(forgotten, at=at)
    return enqueued + thumbnails.bring()


def _requests(forgotten: Q, *, at: datetime) -> int:
    with transaction.atomic():
        requests = EvidenceRequest.objects.select_for_update(skip_locked=True, of=("self",))
        unopened = requests.filter(forgotten, opened_at__isnull=True)
        rows = list(unopened.order_by("enqueued_at")[:SWEEP_LIMIT])
        EvidenceRequest.objects.filter(pk__in=[row.pk for row in rows]).update(enqueued_at=at)
        enqueue.evidence_of(revision_ids=[row.revision_id for row in rows])
    return len(rows)


def _addresses(forgotten: Q, *, at: datetime) -> int:
    # Postponed for its site's sake after its message was sent: the message is used up.
    postponed = Q(due_at__gt=F("enqueued_at"))
    is_due = clocks.has_passed("due_at", at=at, longest=_PAUSE)
    is_over = clocks.has_passed("lease_until", at=at, longest=_LEASE)
    with transaction.atomic():
        rows = list(
            Evidence.objects.select_for_update(no_key=True, skip_locked=True)
            .filter(
                Q(state=EvidenceState.WAITING) & is_due & (postponed | forgotten)
                | Q(state=EvidenceState.FETCHING) & is_over
            )
            .order_by("due_at", "id")[:SWEEP_LIMIT]
        )
        lost_ids = [row.pk for row in rows if row.attempts >= MAX_ATTEMPTS]
        ids = [row.pk for row in rows if row.attempts < MAX_ATTEMPTS]
        Evidence.objects.filter(pk__in=lost_ids).update(
            state=EvidenceState.LOST, fetched_at=at, lease_until=None, detail=f"tried {MAX_ATTEMPTS} times"
        )
        # A clock set back must not postpone for as long as it was moved: due again from now.
        Evidence.objects.filter(pk__in=ids).update(enqueued_at=at, due_at=at)
        enqueue.evidence(evidence_ids=ids)
    return len(ids)
