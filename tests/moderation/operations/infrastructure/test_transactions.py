"""Transactions that callers open. Promise: whoever documents that one is needed refuses to run without."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from django.db import transaction

from moderation import operations
from moderation.operations.infrastructure import transactions
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


@pytest.mark.parametrize(("module", "name"), needing())
def test_who_demands_one_refuses_to_run_without(module: str, name: str) -> None:
    function = getattr(import_module(module), name)

    with pytest.raises(NotInTransaction, match=rf"{module}\.{name} was called outside a transaction"):
        function()


@pytest.mark.django_db(transaction=True)
def test_one_is_open_from_its_beginning_to_its_end() -> None:
    @transactions.required
    def answer() -> int:
        return 42

    with transaction.atomic():
        assert answer() == 42
    with pytest.raises(NotInTransaction):
        answer()
