"""Idempotency keys: do something once under a key; a repeated request gets the first answer.

`once` writes the answer in the transaction of the work. A process killed before the commit did nothing and
left no answer; one killed after it left both. There is no third case, so no repair is needed.

Work that waits for another service, Triton say, must not hold a transaction open: `once_apart` claims the
key in a short transaction, works without one, and records the answer. A killed process leaves its claim,
which runs out after `LONGEST_CLAIM`: such work must be safe to repeat.
"""

import hashlib
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from django.db import transaction

from moderation import prepared
from moderation.models import Platform, StoredAnswer
from moderation.operations.infrastructure import transactions, vault

KEPT = timedelta(hours=24)
_FORGOTTEN = 410
"""The status of a wiped answer: the repeated request is refused, not executed again."""

_AT_WORK = 102
"""The status of a claim; its request_digest is a token that only the claiming process knows."""

LONGEST_CLAIM = timedelta(minutes=5)
"""After this a claim counts as left by a killed process, and the request is executed again."""

_PRUNE_BATCH = 5_000
_TAKE_TURN = "SELECT pg_try_advisory_xact_lock(%(number)s)"
_KNOWN = """
SELECT request_digest, status, headers, body FROM moderation_storedanswer
WHERE platform_id = %(platform)s AND key = %(digest)s AND answered_at > %(since)s
  AND (status <> 102 OR answered_at > %(claimed_since)s)
"""
_STORE = """
INSERT INTO moderation_storedanswer (platform_id, key, request_digest, status, headers, body, answered_at,
  subjects)
VALUES (%(platform)s, %(key)s, %(request_digest)s, %(status)s, %(headers)s, %(body)s, %(at)s,
  %(subjects)s)
ON CONFLICT (platform_id, key) DO UPDATE SET request_digest = excluded.request_digest,
  status = excluded.status, headers = excluded.headers, body = excluded.body,
  answered_at = excluded.answered_at, subjects = excluded.subjects
"""
"""One statement, even if an expired answer is stored under this key."""


class InFlight(Exception):
    """The first request under this key has not been answered yet."""


class Forgotten(Exception):
    """The subject of the request was erased since, and the answer with it."""


class KeyReused(Exception):
    """Another request was answered under this key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to a request. `body` is JSON; `is_repeated` if it comes from an earlier request.

    `subjects` names the posts and authors whose words are in it (`post:1`, `author:1`); erasing them wipes
    it.
    """

    status: int
    body: str
    headers: Mapping[str, str] = field(default_factory=dict)
    is_repeated: bool = False
    subjects: Sequence[str] = ()


def once(
    *,
    platform: Platform,
    key: str,
    request_digest: str,
    work: Callable[[], Answer],
    at: datetime,
    is_secret: bool = False,
) -> Answer:
    """Return the stored answer of this key, or do the work and store its answer if it succeeded (2xx).

    A refusal changed nothing: it is not stored, and the request may be retried. A secret answer is stored
    encrypted. Raises InFlight, KeyReused or Forgotten, and whatever `work` raises.
    """
    with transaction.atomic():
        # Held until commit: a concurrent repetition fails here, a later one finds the stored answer.
        _take_turn(platform=platform, key=key)
        record = _known(platform=platform, key=key, at=at)
        if record is not None:
            return _repeated(*record, request_digest=request_digest, is_secret=is_secret)
        answer = work()
        if _is_success(answer):
            body = vault.encrypt(answer.body) if is_secret else answer.body
            _store(
                replace(answer, body=body), platform=platform, key=key, request_digest=request_digest, at=at
            )
    return answer


def once_apart(
    *, platform: Platform, key: str, request_digest: str, work: Callable[[], Answer], at: datetime
) -> Answer:
    """Do as `once` for work that waits for another service, which runs outside any transaction.

    The work makes its own transactions and is safe to repeat: a process killed between its last commit and
    the record of the answer leaves the change without an answer, and the repetition is refused as any
    second request for the same change. Raises as `once`.
    """
    token = secrets.token_hex(32)
    # Durable: a claim inside another transaction would be seen by nobody.
    with transaction.atomic(durable=True):
        _take_turn(platform=platform, key=key)
        record = _known(platform=platform, key=key, at=at)
        if record is not None:
            return _repeated(*record, request_digest=request_digest, is_secret=False)
        _store(Answer(status=_AT_WORK, body=""), platform=platform, key=key, request_digest=token, at=at)
    # Whoever claimed the key after LONGEST_CLAIM has another token: their row stays as it is.
    claim = StoredAnswer.objects.filter(platform=platform, request_digest=token)
    try:
        answer = work()
    except BaseException:
        claim.delete()
        raise
    if _is_success(answer):
        claim.update(
            request_digest=request_digest,
            status=answer.status,
            headers=dict(answer.headers),
            body=answer.body,
            answered_at=at,
            subjects=list(answer.subjects),
        )
    else:
        claim.delete()
    return answer


@transactions.required
def forget(*, subjects: Sequence[str]) -> None:
    """Wipe the answers that hold words of these. Call inside the transaction that erases them."""
    answers = StoredAnswer.objects.exclude(subjects=[]).filter(subjects__overlap=list(subjects))
    answers.update(status=_FORGOTTEN, body="", headers={}, request_digest="", subjects=[])


def prune(*, at: datetime) -> int:
    """Delete expired answers; return how many."""
    deleted = _PRUNE_BATCH
    total = 0
    while deleted == _PRUNE_BATCH:
        answers = StoredAnswer.objects.filter(answered_at__lte=at - KEPT).order_by("answered_at")
        batch = list(answers.values_list("pk", flat=True)[:_PRUNE_BATCH])
        deleted = StoredAnswer.objects.filter(pk__in=batch).delete()[0]
        total += deleted
    return total


def _take_turn(*, platform: Platform, key: str) -> None:
    """Try to lock the key until this transaction ends. Raises InFlight if another request holds it.

    A row marked as in flight would outlive a killed process; the database drops this lock with it.
    """
    digest = _digest(platform=platform, key=key)
    # Signed, as bigint is. One number of 64 bits: PostgreSQL keeps these locks apart from those that are
    # taken by two (advisory_locks).
    [(is_ours,)] = prepared.rows(_TAKE_TURN, number=int.from_bytes(digest[:8], "big", signed=True))
    if not is_ours:
        raise InFlight("The first request with this Idempotency-Key is still being answered.")


def _is_success(answer: Answer) -> bool:
    return 200 <= answer.status < 300


def _repeated(digest: str, answer: Answer, *, request_digest: str, is_secret: bool) -> Answer:
    """Return what is stored, if it answers this request. Raises InFlight, Forgotten or KeyReused."""
    if answer.status == _AT_WORK:
        raise InFlight("The first request with this Idempotency-Key is still being answered.")
    if answer.status == _FORGOTTEN:
        raise Forgotten("What this request was about was erased.")
    if digest != request_digest:
        raise KeyReused("Another request was answered under this Idempotency-Key.")
    return replace(answer, body=vault.decrypt(answer.body)) if is_secret else answer


def _known(*, platform: Platform, key: str, at: datetime) -> tuple[str, Answer] | None:
    """Return the digest of the request that was answered, or is at work, and what was stored for it."""
    digest = _digest(platform=platform, key=key).hex()
    rows = prepared.rows(
        _KNOWN,
        platform=platform.pk,
        digest=digest,
        since=at - KEPT,
        claimed_since=at - LONGEST_CLAIM,
    )
    if not rows:
        return None
    [(digest, status, headers, body)] = rows
    return digest, Answer(status=status, body=body, headers=json.loads(headers), is_repeated=True)


def _store(answer: Answer, *, platform: Platform, key: str, request_digest: str, at: datetime) -> None:
    prepared.run(
        _STORE,
        platform=platform.pk,
        key=_digest(platform=platform, key=key).hex(),
        request_digest=request_digest,
        status=answer.status,
        headers=json.dumps(dict(answer.headers)),
        body=answer.body,
        at=at,
        subjects=list(answer.subjects),
    )


def _digest(*, platform: Platform, key: str) -> bytes:
    """Digest a key: platforms may build it from anything, even an author's name."""
    return hashlib.sha256(f"{platform.pk}:{key}".encode()).digest()
