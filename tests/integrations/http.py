"""Calls of a stand-in platform by httpx, as connectors make them; the product's own guards them, too."""

from collections.abc import Mapping, Sequence
from typing import Any

import httpx

from integrations.connector import Answer, Unreachable, Unusable


class PlainHttp:
    """Implements `connector.Http`. `held_back` has what a dry run did not send: method, path and content."""

    def __init__(self, base_url: str, *, is_dry_run: bool = False) -> None:
        self.base_url, self.is_dry_run = base_url, is_dry_run
        self.held_back: list[tuple[str, str, Any]] = []

    def get(
        self, path: str, *, headers: Mapping[str, str] | None = None, accepts: Sequence[int] = ()
    ) -> Answer:
        """Read."""
        return self._answer("GET", path, headers=headers, accepts=accepts)

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
        """Change something there, unless this is a dry run."""
        if self.is_dry_run:
            self.held_back.append((method, path, json if form is None else form))
            return Answer(status=200, json={})
        return self._answer(method, path, headers=headers, accepts=accepts, json=json, data=form)

    def asked(
        self, path: str, *, json: Any, headers: Mapping[str, str] | None = None, accepts: Sequence[int] = ()
    ) -> Answer:
        """Post what changes nothing."""
        return self._answer("POST", path, headers=headers, accepts=accepts, json=json)

    def _answer(self, method: str, path: str, *, accepts: Sequence[int], **sent: Any) -> Answer:
        assert path.startswith("/"), path
        try:
            response = httpx.request(method, self.base_url + path, timeout=5, trust_env=False, **sent)
        except httpx.TransportError as failed:
            raise Unreachable(str(failed)) from failed
        status = response.status_code
        if status not in accepts:
            if status in (408, 429) or status >= 500:
                raise Unreachable(f"{method} {path}: {status}")
            if not response.is_success:
                raise Unusable(f"{method} {path}: {status}")
        try:
            return Answer(status=status, json=response.json())
        except ValueError:
            return Answer(status=status)
