"""Guarded calls of one platform, written down: what a connector calls through."""

import json as jsons
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from integrations.fields import part
from moderation.operations.infrastructure import egress

TIMEOUT_SECONDS = 10.0
_MOST_BYTES = 8_000_000
_SIGN_IN = 401
_TRY_LATER = frozenset({408, 425, 429})


class Unusable(Exception):
    """The platform refuses, and a retry would not help; the text tells a person what to do."""


class Unreachable(Exception):
    """No answer, or one that says to come back later; the text tells why. Retried with growing pauses."""

    wait_seconds = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer of the platform: its status and its JSON, None where the body was none."""

    status: int
    json: Any = None


class Calls:
    """Calls of one platform: below its address, with time limits, sizes and redirects guarded.

    Every method raises Unreachable for no answer, 408, 429 and 5xx; `get` and `sent` raise Unusable for other
    answers than 2xx, unless the status is among `accepts`. Each changing call is told to `log`, without what
    it said: `what`, and `status`, `error` or `is_dry_run`.
    """

    patience_seconds = 0.0
    """How long reading may wait in all, where the platform asks to come back later."""

    def __init__(
        self, base_url: str, *, log: Callable[..., None] = lambda **_: None, is_dry_run: bool = False
    ) -> None:
        self.base_url, self._log, self._is_dry_run = base_url.rstrip("/"), log, is_dry_run

    def get(
        self, path: str, *, headers: Mapping[str, str] | None = None, accepts: Sequence[int] = ()
    ) -> Answer:
        """Read; `path` begins with a slash and has its query."""
        while True:
            try:
                return self._made("GET", path, None, headers, accepts)
            except Unreachable as busy:
                self.patience_seconds -= busy.wait_seconds
                if not busy.wait_seconds or self.patience_seconds < 0:
                    raise
                time.sleep(busy.wait_seconds)

    def asked(
        self, path: str, *, json: Any, headers: Mapping[str, str] | None = None, accepts: Sequence[int] = ()
    ) -> Answer:
        """Post what changes nothing, as a sign-in does; sent in a dry run, too."""
        return self._made("POST", path, None if json is None else _json(json), headers, accepts)

    def sent(
        self,
        method: str,
        path: str,
        *,
        json: Any = None,
        form: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        accepts: Sequence[int] = (),
    ) -> Answer:
        """Change something there. In a dry run it is written down, not sent: Answer(status=200, json={})."""
        said = " ".join(f"{name}={value}" for name, value in _shown(form or json))
        what = f"{method} {path.partition('?')[0]} {said}"[:300]
        if self._is_dry_run:
            self._log(what=what, is_dry_run=True)
            return Answer(status=200, json={})
        body = _form(form) if form is not None else None if json is None else _json(json)
        try:
            answer = self._made(method, path, body, headers, accepts)
        except (Unusable, Unreachable) as failure:
            self._log(what=what, error=str(failure)[:500])
            raise
        self._log(what=what, status=answer.status)
        return answer

    def _made(
        self,
        method: str,
        path: str,
        body: tuple[str, bytes] | None,
        headers: Mapping[str, str] | None,
        accepts: Sequence[int],
    ) -> Answer:
        sent = {"accept": "application/json", "user-agent": "Spamdesk", **(headers or {})}
        if body is not None:
            sent["content-type"] = body[0]
        try:
            answer = egress.request(
                method,
                url=self.base_url + path,
                headers=sent,
                body=body[1] if body else None,
                timeout_seconds=TIMEOUT_SECONDS,
                most_bytes=_MOST_BYTES,
            )
        except egress.Refused as refusal:
            raise Unusable(str(refusal)) from refusal
        except egress.Failed as failure:
            raise Unreachable(_("No answer: %(error)s") % {"error": failure}) from failure
        if answer.status >= 500 or answer.status in _TRY_LATER:
            if answer.status not in accepts:
                later = Unreachable(_("It answered %(status)s: busy, or broken.") % {"status": answer.status})
                later.wait_seconds = answer.retry_after_seconds or (60.0 if answer.status == 429 else 0.0)
                raise later
        elif not (200 <= answer.status < 300 or answer.status in accepts):
            # A token that ended is mended by signing in: until then decisions wait, and none is given up.
            raise (Unreachable if answer.status == _SIGN_IN else Unusable)(_refusal(answer))
        return Answer(status=answer.status, json=_read(answer.body))


def _refusal(answer: egress.Answered) -> str:
    said = part(_read(answer.body))
    reason = next((str(said[name]) for name in ("error", "message", "errors") if said.get(name)), "")
    cures = {
        401: _("Sign in again."),
        403: _("The account may not do this there; give it the right to."),
        404: _("There is no such thing at this address."),
    }
    words = (
        _("It answered %(status)s.") % {"status": answer.status},
        reason[:200],
        cures.get(answer.status, ""),
    )
    return " ".join(filter(None, words))


def _shown(said: Any) -> list[tuple[str, Any]]:
    """Return the short plain values of what a call says, for its line in the log; no text of people."""
    if not isinstance(said, Mapping):
        return []
    plain = [(name, value) for name, value in said.items() if isinstance(value, str | int | bool)]
    return [(name, value) for name, value in plain if len(str(value)) <= 40]


def _json(json: Any) -> tuple[str, bytes]:
    return "application/json", jsons.dumps(json).encode()


def _form(form: Mapping[str, str]) -> tuple[str, bytes]:
    return "application/x-www-form-urlencoded", urlencode(form).encode()


def _read(body: bytes) -> Any:
    try:
        return jsons.loads(body)
    except (ValueError, RecursionError):
        return None
