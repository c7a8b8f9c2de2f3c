"""A platform and a person, as the web server sees them behind a proxy that terminates TLS."""

from __future__ import annotations

import re
import time
import uuid
from dataclasses import dataclass, field
from typing import Any

import httpx

from lab.containers.engine import Failed

_SECONDS = 30.0
_AS_BEHIND_TLS = {"Host": "localhost", "X-Forwarded-Proto": "https", "Referer": "https://localhost/"}


class Refused(Failed):
    """The server refused; repeating will not help."""

    def __init__(self, said: str, *, status: int) -> None:
        super().__init__(said)
        self.status = status


@dataclass(frozen=True)
class Api:
    """A platform's client: it repeats what was not answered, under the same key, until it is."""

    port: int
    key: str
    patience_seconds: float = 240.0

    def get(self, path: str) -> dict[str, Any]:
        """Read. Raises Failed if no answer came in time."""
        return self._until_answered("GET", path, None)

    def post(self, path: str, body: dict[str, object]) -> dict[str, Any]:
        """Write once, however often it has to be sent. Raises Failed, Refused."""
        return self._until_answered("POST", path, body)

    def _until_answered(self, method: str, path: str, body: dict[str, object] | None) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self.key}"}
        if body is not None:
            headers["Idempotency-Key"] = str(uuid.uuid4())
        until, last = time.monotonic() + self.patience_seconds, "nothing"
        while time.monotonic() < until:
            try:
                answer = _answer(self.port, method, f"/api/v1{path}", headers=headers, json=body)
            except httpx.TransportError as failure:
                last = repr(failure)
            else:
                if answer.is_success:
                    return dict(answer.json())
                last = f"{answer.status_code} {answer.text[:500]}"
                if answer.status_code < 500 and answer.status_code != 429 and "request_in_flight" not in last:
                    raise Refused(f"{method} {path}: {last}", status=answer.status_code)
            time.sleep(0.5)
        raise Failed(f"{method} {path} was not answered in {self.patience_seconds:.0f} s; last: {last}")


@dataclass
class Desk:
    """A person's browser, cookies included."""

    port: int
    cookies: dict[str, str] = field(default_factory=dict)

    def sign_in(self, username: str, password: str) -> None:
        """Sign in, and choose another password, as the first sign-in demands. Raises Failed."""
        self.submit("/sign-in/", {"username": username, "password": password})
        new = f"another-{uuid.uuid4()}"
        passwords = {"old_password": password, "new_password1": new, "new_password2": new}
        self.submit("/account/password/", passwords, form="/account/")
        status, _ = self.open("/queue/")
        if status != 200:
            raise Failed(f"/queue/ answers {status} to {username}, who has signed in")

    def submit(self, path: str, fields: dict[str, str], *, form: str = "") -> None:
        """Send a form, which stands on its own page unless `form` names another. Raises Failed."""
        status, page = self.open(form or path)
        match = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
        if match is None:
            raise Failed(f"{form or path} has no form, but answers {status}: {page[:500]}")
        status, answer = self._exchange("POST", path, fields | {"csrfmiddlewaretoken": match[1]})
        if status != 302:
            raise Failed(f"{path} answers {status}: {answer[-2_000:]}")

    def open(self, path: str) -> tuple[int, str]:
        """Read a page."""
        return self._exchange("GET", path, None)

    def _exchange(self, method: str, path: str, fields: dict[str, str] | None) -> tuple[int, str]:
        # By hand: a cookie jar sends those for TLS alone to no address without it.
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        try:
            answer = _answer(self.port, method, path, headers=headers, data=fields)
        except httpx.TransportError as failure:
            raise Failed(f"{method} {path}: {failure!r}") from failure
        self.cookies.update(answer.cookies)
        return answer.status_code, answer.text


def answers(port: int, path: str) -> bool:
    """Return whether a page answers 200 now."""
    try:
        return _answer(port, "GET", path, headers={}).status_code == 200
    except httpx.TransportError:
        return False


def _answer(port: int, method: str, path: str, *, headers: dict[str, str], **content: Any) -> httpx.Response:
    """Ask over a connection of its own: those kept would hang where a machine was cut off meanwhile."""
    return httpx.request(
        method,
        f"http://127.0.0.1:{port}{path}",
        headers=_AS_BEHIND_TLS | headers,
        timeout=_SECONDS,
        trust_env=False,
        verify=False,  # no TLS here; reading certificates each time takes longer than the request
        **content,
    )
