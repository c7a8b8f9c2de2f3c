"""Problem bodies (RFC 9457). The problem types are in `problem_types`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moderation.api.problem_types import TYPES

CONTENT_TYPE = "application/problem+json"


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldError:
    """An error in one field; `pointer` is a JSON pointer (RFC 6901) into the request body."""

    pointer: str
    code: str
    detail: str


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
    errors: Sequence[FieldError] = (),
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
        "errors": [
            {"pointer": _printable(error.pointer), "code": error.code, "detail": error.detail}
            for error in errors
        ],
        **(more or {}),
    }


def _printable(quoted: str) -> str:
    """Replace lone surrogates, which a JSON escape can smuggle in and UTF-8 cannot carry out."""
    return quoted.encode("utf-8", "replace").decode()
