"""Idempotency-Key: every POST with this header is done once, however often it is sent."""

import functools
import hashlib
import json
import re
from collections.abc import Callable
from typing import Any

from django.utils import timezone
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from moderation.api import about
from moderation.api.authentication import platform_of
from moderation.api.errors import Refused
from moderation.operations.infrastructure import idempotency
from moderation.operations.infrastructure.idempotency import Answer

HEADER = "Idempotency-Key"
REPEATED = "Idempotent-Replayed"
_SHAPE = re.compile(r"[\x21-\x7e]{1,255}", re.ASCII)
_KEPT_HEADERS = ("Location", "ETag")

_Handler = Callable[..., Response]


def idempotent(handler: _Handler) -> _Handler:
    """Decorate a view's `post`: with the header, a repeated request gets the stored answer of the first."""

    @functools.wraps(handler)
    def answer(view: Any, request: Request, *args: Any, **kwargs: Any) -> Response:
        key = request.headers.get(HEADER)
        if key is None:
            return handler(view, request, *args, **kwargs)
        if not _SHAPE.fullmatch(key):
            raise Refused("malformed_request", f"{HEADER} must be 1 to 255 visible ASCII characters.")
        found = _once(view)(
            platform=platform_of(request),
            key=key,
            request_digest=_digest(request),
            work=lambda: _answer(lambda: handler(view, request, *args, **kwargs)),
            at=timezone.now(),
        )
        headers = {**found.headers, **({REPEATED: "true"} if found.is_repeated else {})}
        return Response(json.loads(found.body), status=found.status, headers=headers)

    return answer


def _once(view: Any) -> Callable[..., Answer]:
    """Return the form for a view: one that waits for Triton works outside a transaction."""
    if getattr(view, "waits_for_triton", False):
        return idempotency.once_apart
    return functools.partial(idempotency.once, is_secret=getattr(view, "shows_secret", False))


def _answer(work: Callable[[], Response]) -> Answer:
    with about.noted() as subjects:
        response = work()
    kept = {name: str(response.headers[name]) for name in _KEPT_HEADERS if name in response.headers}
    body: bytes = JSONRenderer().render(response.data)
    return Answer(status=response.status_code, body=body.decode(), headers=kept, subjects=sorted(subjects))


def _digest(request: Request) -> str:
    # Django keeps a body only if it is asked for before DRF parses it: afterwards the stream is spent.
    raw: bytes = request._request.body  # noqa: SLF001 - DRF's name for Django's request
    return hashlib.sha256(f"{request.method} {request.get_full_path()}\n".encode() + raw).hexdigest()
