"""PostgreSQL's advisory locks of the product, and the order in which it takes all of its locks.

Two transactions that take the same locks in different orders wait for each other: a deadlock, which the
database ends by failing one of them. So whatever a transaction takes, it takes in this order, and several
rows of one table by their ids:

1. the key of an idempotent request, which is tried and never waited for (`idempotency`);
2. a lock of `AdvisoryLock`, but for ERASURES;
3. authors;
4. the row that the work is about: a platform, a draw, a campaign or a decision on one, a reconsideration, a
   rule, a review page;
5. posts, by FOR NO KEY UPDATE, so that rows which only point to them need not wait;
6. revisions;
7. ERASURES, then exports;
8. cases;
9. decisions, appeals, entries of feeds and deliveries, of which those that somebody holds are left out;
10. stored answers of idempotent requests.

What is added is added in the order of its unique names: authors, posts, domains.
"""

from __future__ import annotations

from enum import IntEnum, unique

from django.db import connection

from moderation.operations.infrastructure import transactions


@unique
class AdvisoryLock(IntEnum):
    """The locks, each held until its transaction ends. A number once given out stays: two versions of the
    product run beside each other during an upgrade.
    """

    INTAKE = 7_312
    """Of one platform: posts share it, a complaint that comes before its post holds it alone."""

    CAMPAIGNS = 7_313
    """Whoever puts posts into campaigns or takes them out."""

    AUDIT_CHAIN = 7_316
    """Whoever seals audit entries."""

    ERASURE_JOURNAL = 7_317
    """Whoever appends to the journal of erasures."""

    ERASURES = 7_318
    """Erasures share it; an export that begins holds it alone for a moment."""

    PROMOTION = 7_390_113
    """Whoever lets another release go live."""


@transactions.required
def take(lock: AdvisoryLock, *, subject_id: int = 0, is_shared: bool = False) -> None:
    """Wait for a lock, of one subject or of all, and hold it until the transaction ends.

    Call inside a transaction, in the order above.
    """
    function = "pg_advisory_xact_lock_shared" if is_shared else "pg_advisory_xact_lock"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}(%s, %s)", (lock.value, subject_id))
