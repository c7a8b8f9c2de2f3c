"""Functions that need a transaction refuse to run without one; in one, posts are locked against erasure."""

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from django.db import connection

from moderation.models import Post

Given = ParamSpec("Given")
Result = TypeVar("Result")


class NotInTransaction(RuntimeError):
    """The caller opened no transaction, which writes and locks need."""


def required(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """Let a function run inside a transaction only; without one it raises NotInTransaction."""

    @wraps(function)
    def checked(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        if not is_open():
            raise NotInTransaction(
                f"{function.__module__}.{function.__qualname__} was called outside a transaction"
            )
        return function(*args, **kwargs)

    return checked


def is_open() -> bool:
    """Tell whether the caller is inside a transaction."""
    return connection.in_atomic_block


def lock_posts(**among: Any) -> set[int]:
    """Lock posts for this transaction, and return the ids of those that are not erased.

    So that nothing is written about a post while it is erased: erased words could come back.

    `among` is a filter of posts. Call before any revision, case or decision of theirs is locked: scoring and
    erasure do the same, which avoids a deadlock.
    """
    rows = Post.objects.select_for_update(no_key=True, of=("self",))
    rows = rows.filter(**among, erased_at__isnull=True)
    return set(rows.order_by("id").values_list("pk", flat=True))
