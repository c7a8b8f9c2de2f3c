"""What every view of the door shares: keys, scopes, strict JSON, and sizes refused before reading."""

from __future__ import annotations

from typing import Any, ClassVar

from drf_spectacular.utils import OpenApiResponse
from rest_framework.permissions import AllowAny
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from moderation.api.authentication import HasScope, KeyAuthentication
from moderation.api.errors import Refused
from moderation.api.parsers import StrictJsonParser
from moderation.api.problems import CONTENT_TYPE, PROBLEMS
from moderation.api.serializers.problems import ProblemSerializer

MEBIBYTE = 1024 * 1024

BODY_PROBLEMS = (
    "malformed_body",
    "length_required",
    "body_too_large",
    "unsupported_media_type",
    "invalid_fields",
)
"""What can be wrong with any body."""


class DoorView(APIView):
    """A view that a platform calls with its key. `scopes` names the scope that each method needs."""

    authentication_classes = [KeyAuthentication]
    permission_classes = [HasScope]
    parser_classes: Any = [StrictJsonParser]
    renderer_classes = [JSONRenderer]
    # The OpenAPI document describes the views; OPTIONS would be a second, poorer description.
    http_method_names = ["get", "head", "post"]
    scopes: ClassVar[dict[str, str]] = {}
    # Above the 10 MB that a careless sender may put into one text, so that the answer can name the field.
    max_body_bytes = 12 * MEBIBYTE

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Check key and scope, then the size. Raises Refused before a byte of the body is read."""
        super().initial(request, *args, **kwargs)
        length = request.META.get("CONTENT_LENGTH") or "0"
        # Without a length Django would take the body for empty and we would complain of missing fields.
        if request.headers.get("Transfer-Encoding") and not request.META.get("CONTENT_LENGTH"):
            raise Refused("length_required", "Send the header Content-Length.")
        if not length.isdigit() or int(length) > self.max_body_bytes:
            raise Refused("body_too_large", f"A body may have {self.max_body_bytes // MEBIBYTE} MiB here.")

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        """Forbid caches to keep answers: they hold what people wrote."""
        answer = super().finalize_response(request, response, *args, **kwargs)
        answer.headers["Cache-Control"] = "no-store"
        return answer


class NothingHere(DoorView):
    """Answers for every address below /api/ that has no view."""

    authentication_classes = []
    permission_classes = [AllowAny]
    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:  # noqa: ARG002 - DRF's signature
        """Refuse whatever the method is."""
        raise Refused("not_found", "There is nothing at this address.")


def problem_responses(*codes: str) -> dict[Any, OpenApiResponse]:
    """Return the OpenAPI responses for these problems, besides those that every view can give."""
    every = ("not_authenticated", "missing_scope", "not_acceptable")
    by_status: dict[int, list[str]] = {}
    for code in (*every, *codes):
        by_status.setdefault(PROBLEMS[code].status, []).append(PROBLEMS[code].title)
    return {
        (status, CONTENT_TYPE): OpenApiResponse(ProblemSerializer, description=", or ".join(titles))
        for status, titles in sorted(by_status.items())
    }
