"""Refusals by the web server itself, before Django sees the request."""

from __future__ import annotations

import json
from typing import Any

from config.server.answers import Answer
from moderation.api import problems
from moderation.api.errors import RETRY_AFTER_SECONDS
from moderation.api.middleware import HEADER, identifier_of


class Refusal(Exception):
    """A request that Django never sees; `code` is one of the API's problem types."""

    code = ""
    reason = ""
    """Name in the log's counters."""
    detail = ""
    """Detail of the problem; empty for the text of its type."""


class NoLength(Refusal):
    """The body comes in chunks: nobody knows how large it will be, and proxies and servers disagree on it."""

    code, reason = "length_required", "no_content_length"


class TooLarge(Refusal):
    """The body is larger than any that the product reads."""

    code, reason = "body_too_large", "body_too_large"
    detail = "A request holds 12 MiB at most. Nothing was read or stored."


class TooSlow(Refusal):
    """The body did not come in time."""

    code, reason = "body_too_slow", "body_too_slow"


class Crowded(Refusal):
    """Too many requests wait already."""

    code, reason = "unavailable", "queue_full"
    detail = "Too many requests wait. Nothing was read or stored; repeat the request."


class WaitedTooLong(Crowded):
    """No thread was free in time."""

    reason = "waited_too_long"


class NoRoom(Crowded):
    """The bodies that are held in memory leave no room for this one."""

    reason = "no_room_for_body"


class Failed(Refusal):
    """Django itself raised, which is a bug."""

    code, reason = "internal_error", "failed"


class Gone(Exception):
    """The client disconnected: no answer is needed."""


def answer(refusal: Refusal, *, environ: dict[str, Any]) -> Answer:
    """Return a problem for the platform API, otherwise one plain line."""
    kind = problems.PROBLEMS[refusal.code]
    identifier = identifier_of(environ.get("HTTP_X_REQUEST_ID", ""))
    path = environ["PATH_INFO"].encode("latin-1").decode("utf-8", "replace")
    if path.startswith("/api/"):
        said = problems.body(
            refusal.code, detail=refusal.detail or kind.cure, instance=path, request_id=identifier
        )
        body, content_type = json.dumps(said).encode(), problems.CONTENT_TYPE
    else:
        body, content_type = f"{kind.title}. {kind.cure}\n".encode(), "text/plain; charset=utf-8"
    headers = [
        ("Content-Type", content_type),
        ("Content-Length", str(len(body))),
        ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
        (HEADER, identifier),
    ]
    if kind.status == 503:
        headers.append(("Retry-After", str(RETRY_AFTER_SECONDS)))
    else:
        headers.append(("Connection", "close"))  # do not read the rest of its body
    return Answer(status=kind.status, headers=headers, body=body)
