"""Functions that must be called inside a transaction say so, and refuse to run without one."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from django.db import connection

Given = ParamSpec("Given")
Result = TypeVar("Result")


class NotInTransaction(RuntimeError):
    """The caller opened no transaction: what is written, or locked, would not hold together."""


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
