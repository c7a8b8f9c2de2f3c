"""Tracks the subjects (posts, authors) of the answer being built, so that erasure finds stored answers."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_subjects: ContextVar[set[str] | None] = ContextVar("subjects", default=None)


def post(post_id: int) -> None:
    """Note that the answer holds text about a post."""
    _add(f"post:{post_id}")


def author(author_id: int) -> None:
    """Note that the answer names an author."""
    _add(f"author:{author_id}")


@contextmanager
def noted() -> Iterator[set[str]]:
    """Collect the subjects noted inside the block."""
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
