"""Every answer that a test of the API meets must be one that the OpenAPI document names at its operation."""

import functools
import re
from typing import Any

from django.test import Client
from rest_framework.request import Request
from rest_framework.response import Response

_EVERYWHERE = {"method_not_allowed", "internal_error"}
"""Answers to what is no operation, and to what must not happen."""
_OF_A_BODY = {"length_required", "body_too_large", "unsupported_encoding", "unsupported_media_type"}
"""Not described where no body belongs; a client that sends one there is refused all the same."""


def check(request: Request, response: Response) -> None:
    """Fail if the document does not know the status, or the code of the problem, at this operation."""
    operation = _operation(request)
    code = _code(response)
    if operation is None or code in _EVERYWHERE or (code in _OF_A_BODY and "requestBody" not in operation):
        return
    described = operation["responses"].get(str(response.status_code))
    assert described is not None, f"{operation['operationId']}: {response.status_code} is not described"
    assert code is None or f"`{code}`" in described["description"], (
        f"{operation['operationId']}: {code} is not described"
    )
    wanted = [name for name, header in described["headers"].items() if header.get("required")]
    missing = [name for name in wanted if name not in response.headers]
    assert not missing, f"{operation['operationId']}: the answer has no {missing}"


def _operation(request: Request) -> Any:
    found = request.resolver_match
    path = "/" + re.sub(r"<\w+:(\w+)>", r"{\1}", found.route if found else "")
    return _document()["paths"].get(path, {}).get(str(request.method).lower())


def _code(response: Response) -> str | None:
    return None if response.status_code < 400 else str(response.data["type"]).rpartition("/")[2]


@functools.cache
def _document() -> Any:
    return Client().get("/api/v1/openapi.json").json()
