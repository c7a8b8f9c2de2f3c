"""Call one webhook endpoint for one delivery after another, signed, over connections that stay open."""

import json
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import datetime
from typing import Self

from django.conf import settings
from django.utils.module_loading import import_string

from moderation.models import Delivery, Platform, WebhookEndpoint
from moderation.operations.infrastructure import egress
from moderation.operations.webhooks import sign
from moderation.operations.webhooks.attempts import Attempt


def final_actions(platform: Platform) -> frozenset[str]:
    """Return the actions that nothing takes back where integrations of the platform carry them out."""
    found: frozenset[str] = import_string(settings.INTEGRATION_CALLER).final(platform)
    return found


class Caller:
    """Makes the calls of one endpoint; use it as a context. What `post` does is the subclass's."""

    def __init__(self, endpoint: WebhookEndpoint, *, connections: int) -> None:
        self._url, self._connections = endpoint.url, connections
        self._threads: ThreadPoolExecutor | None = None
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def each(
        self, batch: Sequence[Delivery], make: Callable[[Delivery], Attempt | None]
    ) -> Iterable[Attempt | None]:
        """Make an attempt for each delivery of the batch, one per connection at a time."""
        if len(batch) == 1:
            return [make(batch[0])]
        if self._threads is None:
            self._threads = self._open.enter_context(ThreadPoolExecutor(self._connections, "webhook"))
        return list(self._threads.map(make, batch))

    def attempt(self, delivery: Delivery, *, at: datetime) -> Attempt:
        """Call once and return the result; network errors are part of it, not raised."""
        began = time.perf_counter()

        def made(**outcome: object) -> Attempt:
            return Attempt(delivery=delivery, at=at, seconds=time.perf_counter() - began, **outcome)  # type: ignore[arg-type]  # the outcomes below

        try:
            answer = self.post(delivery, at=at)
        except egress.Refused as refused:
            return made(error=str(refused), is_refused=True)
        except egress.Failed as failed:
            return made(error=str(failed))
        if 200 <= answer.status < 300:
            return made(status=answer.status)
        return made(
            error=f"HTTP status {answer.status}",
            status=answer.status,
            wait_seconds=answer.retry_after_seconds,
        )

    def post(self, delivery: Delivery, *, at: datetime) -> egress.Answered:
        """Call for one delivery. Raises egress.Refused or egress.Failed."""
        raise NotImplementedError


class WebhookCaller(Caller):
    """HTTP client of a webhook, signed. It uses no database, so it may run in threads."""

    def __init__(self, endpoint: WebhookEndpoint, *, signer: sign.Signer, connections: int) -> None:
        super().__init__(endpoint, connections=connections)
        self._signer = signer
        self._client: egress.Client | None = None

    def post(self, delivery: Delivery, *, at: datetime) -> egress.Answered:
        """Post the signed message."""
        # No lock around it: the first batch of a turn is a single delivery, so threads find the client made.
        if self._client is None:
            self._client = self._open.enter_context(egress.Client(self._url))
        # Serialised once: the signature covers these very bytes, not equal JSON.
        body = json.dumps(delivery.body, separators=(",", ":"), ensure_ascii=False)
        identifier = str(delivery.pk)
        return self._client.post(
            body=body.encode(),
            headers={
                "content-type": "application/json",
                "user-agent": "Spamdesk-Webhooks/1",
                "webhook-id": identifier,
                "webhook-timestamp": str(int(at.timestamp())),
                "webhook-signature": self._signer.signatures(message_id=identifier, at=at, body=body),
            },
        )
