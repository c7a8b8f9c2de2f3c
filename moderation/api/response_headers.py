"""Headers that answers of the API carry, in the OpenAPI document; ETag and Location stand at their views.

Their words are in `response_headers.json`.
"""

import json
from pathlib import Path
from typing import Any

from moderation.api import idempotency, middleware

HEADERS: dict[str, dict[str, Any]] = json.loads(
    Path(__file__).with_suffix(".json").read_text(encoding="utf-8")
)
_ALWAYS = (middleware.HEADER, "RateLimit-Policy", "RateLimit")
_BY_STATUS = {
    "401": ("WWW-Authenticate",),
    "415": ("Accept-Encoding",),
    "429": ("Retry-After",),
    "503": ("Retry-After",),
}


def add_headers(result: dict[str, Any], **_: object) -> dict[str, Any]:
    """Add the headers to the document; a postprocessing hook of drf-spectacular."""
    for methods in result["paths"].values():
        for operation in methods.values():
            is_once = any(one["name"] == idempotency.HEADER for one in operation.get("parameters", ()))
            for status, response in operation["responses"].items():
                headers = response.setdefault("headers", {})
                for name in _names(status, is_once=is_once):
                    headers[name] = {"$ref": f"#/components/headers/{name}"}
    result["components"]["headers"] = HEADERS
    return result


def _names(status: str, *, is_once: bool) -> tuple[str, ...]:
    kept = (idempotency.REPEATED,) if is_once and status.startswith("2") else ()
    waiting = ("Retry-After",) if is_once and status == "409" else ()
    return (*_ALWAYS, *_BY_STATUS.get(status, ()), *kept, *waiting)
