"""Answers of a server that is killed meanwhile."""

import time
import uuid
from typing import Any

import httpx

_TRY_AGAIN = frozenset({429, 500, 502, 503, 504})


def final(api: httpx.Client, path: str, body: dict[str, Any], *, pause_seconds: float) -> httpx.Response:
    """Post under one key until there is an answer: a lost one may be of a decision."""
    headers = {"Idempotency-Key": str(uuid.uuid4())}
    while True:
        try:
            answer = api.post(path, json=body, headers=headers)
            if not _is_passing(answer):
                return answer
        except httpx.TransportError:
            pass
        time.sleep(pause_seconds)


def _is_passing(answer: httpx.Response) -> bool:
    """Return whether the same request may be answered otherwise in a moment."""
    if answer.status_code == httpx.codes.CONFLICT:
        return str(answer.json().get("type", "")).endswith("request_in_flight")
    return answer.status_code in _TRY_AGAIN
