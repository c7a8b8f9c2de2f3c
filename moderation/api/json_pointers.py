"""Nested validation errors as a flat list of JSON pointers (RFC 6901)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from rest_framework.settings import api_settings

from moderation.api.problems import FieldError

MAX_ERRORS = 50
"""Enough to correct a request; ten thousand wrong links must not produce ten thousand errors."""

_LONGEST_NAME = 100


def errors_of(detail: Any) -> list[FieldError]:
    """Flatten the detail of a ValidationError, at most MAX_ERRORS of it."""
    return list(islice(_walk(detail, pointer=""), MAX_ERRORS))


def _walk(detail: Any, *, pointer: str) -> Iterator[FieldError]:
    if isinstance(detail, dict):
        for name, inner in detail.items():
            is_whole = name == api_settings.NON_FIELD_ERRORS_KEY
            yield from _walk(inner, pointer=pointer if is_whole else f"{pointer}/{_escape(str(name))}")
    elif isinstance(detail, list):
        for inner in detail:
            yield from _walk(inner, pointer=pointer)
    else:
        yield FieldError(pointer=pointer, code=getattr(detail, "code", "invalid"), detail=str(detail))


def _escape(name: str) -> str:
    """Escape as RFC 6901 §3 asks; a name longer than any of ours is cut, not echoed by the megabyte."""
    shown = name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"
    return shown.replace("~", "~0").replace("/", "~1")
