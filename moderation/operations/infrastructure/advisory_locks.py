"""PostgreSQL's advisory locks of the product, and the order in which it takes all of its locks.

Two transactions that take the same locks in different orders can deadlock, and the database fails one of
them. So every transaction takes its locks in this order, and several rows of one table by their ids:

1. the key of an idempotent request, which is tried and never waited for (`idempotency`);
2. a lock of `AdvisoryLock`, but for ERASURES;
3. authors;
4. the row that the work is about: a platform, a draw, a campaign or a decision on one, a reconsideration, a
   rule, a review page;
5. posts, by FOR NO KEY UPDATE, so that rows which only point to them need not wait;
6. scoring jobs and revisions, then evidence;
7. ERASURES, then exports;
8. cases;
9. decisions, appeals, entries of feeds and deliveries, of which those that somebody holds are left out;
10. stored answers of idempotent requests.

Rows are inserted in the order of their unique names: authors, posts, domains, evidence.
"""

from __future__ import annotations

from enum import IntEnum, unique

from django.db import connection

from moderation.operations.infrastructure import transactions


@unique
class AdvisoryLock(IntEnum):
    """The locks, each held until its transaction ends.

    A number is never changed: two versions of the product run side by side during an upgrade.
    """

    INTAKE = 7_312
    """Per platform: posts take it shared, a complaint that arrives before its post takes it exclusively."""

    CAMPAIGNS = 7_313
    """Adding posts to campaigns or removing them."""

    AUDIT_CHAIN = 7_316
    """Sealing audit entries."""

    ERASURE_JOURNAL = 7_317
    """Appending to the journal of erasures."""

    HOURLY_COUNTS = 7_319
    """Counting the hours of the activity page."""

    QUALITY = 7_320
    """Per platform, 0 for all: storing figures of quality."""

    DRIFT = 7_321
    """Per platform: counting the next hours of drift."""

    EVIDENCE_SITE = 7_322
    """Per site: deciding whether another fetch may begin there."""

    THUMBNAIL = 7_323
    """Per digest: keeping a file until its row is committed, or deleting it."""

    PICTURES = 7_324
    """Finding the group of a picture, or deleting groups."""

    POLICIES = 7_325
    """Counting policies in words before one more is drafted or begins."""

    ERASURES = 7_318
    """Erasures take it shared; a starting export takes it exclusively for a moment."""

    PROMOTION = 7_390_113
    """Promotion and rollback."""


@transactions.required
def take(lock: AdvisoryLock, *, subject_id: int = 0, is_shared: bool = False) -> None:
    """Wait for a lock, of one subject or of all, and hold it until the transaction ends.

    Call inside a transaction, in the order above.
    """
    function = "pg_advisory_xact_lock_shared" if is_shared else "pg_advisory_xact_lock"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}(%s, %s)", (lock.value, subject_id))
