"""Problem bodies (RFC 9457), with refused fields by JSON pointer. Their types are in `problem_types`."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from rest_framework.settings import api_settings

from moderation.api.problem_types import TYPES

CONTENT_TYPE = "application/problem+json"
MAX_ERRORS = 50
"""Enough to correct a request; ten thousand wrong links must not produce ten thousand errors."""

_LONGEST_NAME = 100

PROBLEMS = {kind.code: kind for kind in TYPES}

BY_STATUS = {
    400: "malformed_request",
    401: "not_authenticated",
    403: "missing_scope",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    412: "precondition_failed",
    413: "body_too_large",
    415: "unsupported_media_type",
    429: "rate_limited",
    503: "unavailable",
}
"""Codes for statuses that the framework sets before our code runs."""


def body(
    code: str,
    *,
    detail: str,
    instance: str,
    request_id: str,
    errors: Sequence[Mapping[str, str]] = (),
    more: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the JSON body of a problem. Quotes from the request are made printable.

    `more` are members that only this kind has (RFC 9457 §3.2).
    """
    kind = PROBLEMS[code]
    return {
        "type": kind.uri,
        "title": kind.title,
        "status": kind.status,
        "detail": detail,
        "instance": _printable(instance),
        "request_id": request_id,
        "errors": list(errors),
        **(more or {}),
    }


def errors_of(detail: Any) -> list[dict[str, str]]:
    """Flatten the detail of a ValidationError, at most MAX_ERRORS of it, to JSON pointers (RFC 6901)."""
    return list(islice(_walk(detail, pointer=""), MAX_ERRORS))


def _walk(detail: Any, *, pointer: str) -> Iterator[dict[str, str]]:
    if isinstance(detail, dict):
        for name, inner in detail.items():
            is_whole = name == api_settings.NON_FIELD_ERRORS_KEY
            yield from _walk(inner, pointer=pointer if is_whole else f"{pointer}/{_escape(str(name))}")
    elif isinstance(detail, list):
        for inner in detail:
            yield from _walk(inner, pointer=pointer)
    else:
        code = getattr(detail, "code", "invalid")
        yield {"pointer": _printable(pointer), "code": code, "detail": str(detail)}


def _escape(name: str) -> str:
    """Escape as RFC 6901 §3 asks; a name longer than any of ours is cut, not echoed by the megabyte."""
    shown = name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"
    return shown.replace("~", "~0").replace("/", "~1")


def _printable(quoted: str) -> str:
    """Replace lone surrogates, which a JSON escape can smuggle in and UTF-8 cannot carry out."""
    return quoted.encode("utf-8", "replace").decode()
