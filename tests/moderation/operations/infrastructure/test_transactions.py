"""Transactions that callers open, and locks that end with them.

Promise: whoever documents that one is needed refuses to run without.
"""

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import psycopg
import pytest
from django.db import connection, transaction

from moderation import operations
from moderation.operations.infrastructure import advisory_locks, transactions
from moderation.operations.infrastructure.advisory_locks import AdvisoryLock
from moderation.operations.infrastructure.transactions import NotInTransaction

FOLDER = Path(operations.__file__).parent
NEEDED = re.compile(r"inside (a|the) transaction")


def needing() -> Iterator[tuple[str, str]]:
    """Yield module and name of the functions whose docstrings demand a transaction."""
    for path in sorted(FOLDER.rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef):
                words = " ".join((ast.get_docstring(node) or "").split())
                if path.name != "transactions.py" and NEEDED.search(words):
                    module = ".".join(path.relative_to(FOLDER).with_suffix("").parts)
                    yield f"{operations.__name__}.{module}", node.name


class TestTransactions:
    @pytest.mark.parametrize(("module", "name"), needing())
    def test_who_demands_one_refuses_to_run_without(self, module: str, name: str) -> None:
        function = getattr(import_module(module), name)

        with pytest.raises(NotInTransaction, match=rf"{module}\.{name} was called outside a transaction"):
            function()

    @pytest.mark.django_db(transaction=True)
    def test_one_is_open_from_its_beginning_to_its_end(self) -> None:
        @transactions.required
        def answer() -> int:
            return 42

        with transaction.atomic():
            assert answer() == 42
        with pytest.raises(NotInTransaction):
            answer()


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


@pytest.mark.django_db
class TestLocks:
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
