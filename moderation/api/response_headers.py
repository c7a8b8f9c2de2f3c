"""Headers that answers of the API carry, in the OpenAPI document; ETag and Location stand at their views."""

from typing import Any

from moderation.api import idempotency, middleware

_WHOLE_SECONDS = {"type": "integer", "minimum": 0}

HEADERS: dict[str, dict[str, Any]] = {
    middleware.HEADER: {
        "description": "The id of the request, yours if you sent one; name it when you ask us.",
        "schema": {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"},
        "required": True,
    },
    "RateLimit-Policy": {
        "description": "The limit that the request counts towards: its burst q in w seconds.",
        "schema": {"type": "string", "pattern": r'^"[a-z]+";q=\d+;w=\d+$'},
    },
    "RateLimit": {
        "description": "What is left of the limit, r, and in how many seconds it is whole again, t.",
        "schema": {"type": "string", "pattern": r'^"[a-z]+";r=\d+;t=\d+$'},
    },
    "Retry-After": {"description": "Seconds to wait before the same request.", "schema": _WHOLE_SECONDS},
    "WWW-Authenticate": {
        "description": "How to send a key.",
        "schema": {"type": "string"},
        "required": True,
    },
    "Accept-Encoding": {
        "description": "The content codings that a body may have: identity, which is none.",
        "schema": {"type": "string"},
    },
    idempotency.REPEATED: {
        "description": "There if this is the kept answer of the first request with the Idempotency-Key.",
        "schema": {"type": "string", "const": "true"},
    },
}

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
