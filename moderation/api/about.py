"""Whose words the answer being made holds, so that a stored one can be wiped with them: see `once`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_subjects: ContextVar[set[str] | None] = ContextVar("subjects", default=None)


def post(post_id: int) -> None:
    """Note that what people wrote about a post is in the answer."""
    _add(f"post:{post_id}")


def author(author_id: int) -> None:
    """Note that an author is named in the answer."""
    _add(f"author:{author_id}")


@contextmanager
def noted() -> Iterator[set[str]]:
    """Collect what is noted within."""
    found: set[str] = set()
    token = _subjects.set(found)
    try:
        yield found
    finally:
        _subjects.reset(token)


def _add(subject: str) -> None:
    found = _subjects.get()
    if found is not None:
        found.add(subject)
