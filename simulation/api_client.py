"""The simulated platform's client of the public API: calls have a time-out and are retried until answered.

Repeating is safe: the API takes a post and a complaint once, however often they come.
"""

import json
import random
import time
from collections.abc import Sequence
from typing import Any, Self

import httpx

_TIMEOUT = httpx.Timeout(30.0, connect=5.0)
_FIRST_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 0.25, 10.0
_TRY_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})


class Unreachable(Exception):
    """The server did not answer within the configured patience."""


class KeyRefused(Exception):
    """The API does not accept the key: trying again will not help."""


class ApiClient:
    """One connection to the API with one key."""

    def __init__(self, *, url: str, key: str, patience_seconds: float) -> None:
        self._patience_seconds = patience_seconds
        self._client = httpx.Client(
            base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=_TIMEOUT, trust_env=False
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def send_posts(self, payloads: Sequence[dict[str, Any]]) -> list[str]:
        """Send posts, one by one or as one bulk request; return one line per refused post.

        Raises Unreachable or KeyRefused.
        """
        if len(payloads) == 1:
            return self._send("/api/v1/posts", payloads[0])
        lines = "\n".join(json.dumps(payload, ensure_ascii=False) for payload in payloads)
        answer = self._call(
            "/api/v1/posts:bulk", content=lines.encode(), headers={"Content-Type": "application/x-ndjson"}
        )
        if answer.status_code != httpx.codes.MULTI_STATUS:
            return [_refusal(payload["external_id"], answer.text) for payload in payloads]
        return [
            _refusal(payload["external_id"], json.dumps(result["problem"]))
            for payload, result in zip(payloads, answer.json()["results"], strict=True)
            if "problem" in result
        ]

    def send_complaint(self, payload: dict[str, Any]) -> list[str]:
        """Send one complaint; return a line if it was refused. Raises Unreachable or KeyRefused."""
        return self._send("/api/v1/complaints", payload)

    def _send(self, path: str, payload: dict[str, Any]) -> list[str]:
        answer = self._call(path, content=json.dumps(payload).encode())
        if answer.status_code == httpx.codes.ACCEPTED:
            return []
        return [_refusal(payload["external_id"], answer.text)]

    def _call(self, path: str, *, content: bytes, headers: dict[str, str] | None = None) -> httpx.Response:
        """Post, with retries, until there is a final answer."""
        give_up_at = time.monotonic() + self._patience_seconds
        pause = _FIRST_PAUSE_SECONDS
        while True:
            answer = self._try(path, content=content, headers=headers or {"Content-Type": "application/json"})
            if isinstance(answer, httpx.Response) and answer.status_code not in _TRY_AGAIN:
                break
            if time.monotonic() > give_up_at:
                last = answer.status_code if isinstance(answer, httpx.Response) else type(answer).__name__
                raise Unreachable(f"{self._client.base_url} has not answered for too long (last: {last})")
            time.sleep(_asked_pause(answer) or pause * random.uniform(0.5, 1.0))
            pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)
        if answer.status_code in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
            raise KeyRefused(f"{self._client.base_url} refused the key: {answer.text[:200]}")
        return answer

    def _try(
        self, path: str, *, content: bytes, headers: dict[str, str]
    ) -> httpx.Response | httpx.TransportError:
        try:
            return self._client.post(path, content=content, headers=headers)
        except httpx.TransportError as error:
            return error


def _asked_pause(answer: httpx.Response | httpx.TransportError) -> float:
    """Return how many seconds the server asks us to wait, 0 if it does not say."""
    header = answer.headers.get("Retry-After", "") if isinstance(answer, httpx.Response) else ""
    return min(float(header), _LONGEST_PAUSE_SECONDS) if header.isdigit() else 0.0


def _refusal(external_id: str, problem: str) -> str:
    return f"{external_id}: {problem[:300]}"
