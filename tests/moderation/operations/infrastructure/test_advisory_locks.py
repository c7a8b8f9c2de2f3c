"""Who excludes whom, seen from a second connection."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from django.db import connection, transaction

from moderation.operations.infrastructure import advisory_locks
from moderation.operations.infrastructure.advisory_locks import AdvisoryLock

pytestmark = pytest.mark.django_db

TWO_NUMBERS = "SELECT pg_try_advisory_xact_lock(%s, %s)"


@pytest.fixture
def other() -> Iterator[psycopg.Cursor[tuple[bool]]]:
    """Another process: nothing of it outlives the test."""
    with psycopg.connect(**connection.get_connection_params() | {"cursor_factory": None}) as there:
        yield there.cursor()
        there.rollback()


def is_free(other: psycopg.Cursor[tuple[bool]], statement: str, *numbers: int) -> bool:
    row = other.execute(statement, numbers).fetchone()
    assert row is not None
    return row[0]


class TestTake:
    @pytest.mark.parametrize("lock", AdvisoryLock)
    def test_excludes_others_from_the_same_subject(
        self, lock: AdvisoryLock, other: psycopg.Cursor[tuple[bool]]
    ) -> None:
        with transaction.atomic():
            advisory_locks.take(lock, subject_id=7)

            assert not is_free(other, TWO_NUMBERS, lock.value, 7)
            assert is_free(other, TWO_NUMBERS, lock.value, 8)

    def test_a_shared_lock_excludes_only_who_wants_it_alone(self, other: psycopg.Cursor[tuple[bool]]) -> None:
        with transaction.atomic():
            advisory_locks.take(AdvisoryLock.ERASURES, is_shared=True)

            assert is_free(other, "SELECT pg_try_advisory_xact_lock_shared(%s, 0)", AdvisoryLock.ERASURES)
            assert not is_free(other, TWO_NUMBERS, AdvisoryLock.ERASURES, 0)
