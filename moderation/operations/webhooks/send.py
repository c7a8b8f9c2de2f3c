"""Send deliveries to the platform's endpoints, signed by the Standard Webhooks specification.

One turn serves one endpoint: it sends the due deliveries over persistent connections until its time is up. A
delivery is retried over days and ends delivered or visibly failed; every attempt is logged. Without a signing
secret it is held: nothing is sent unsigned. Redirects are not followed. Messages about one post go to an
endpoint in order: the next waits until the one before it is settled.
"""

import threading
import time
from collections.abc import Sequence
from datetime import datetime, timedelta

import structlog
from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from moderation import enqueue, tracing
from moderation.models import Delivery, EndpointCircuit, FeedEntry, User, WebhookEndpoint, desk_settings
from moderation.models.deliveries import DeliveryState
from moderation.models.notifications import NotificationKind
from moderation.models.posts import Revision
from moderation.models.webhooks import CircuitState, EndpointState
from moderation.operations.audit import entries
from moderation.operations.infrastructure import vault
from moderation.operations.notifications import notify
from moderation.operations.refusals import Refusal
from moderation.operations.webhooks import attempts, circuit, endpoints, lanes, sign
from moderation.operations.webhooks.attempts import GONE, RETRY_SECONDS, Attempt
from moderation.operations.webhooks.caller import Caller, WebhookCaller
from moderation.queries.health import clocks

log = structlog.get_logger(__name__)

_audit = entries.writer("delivery")
HOLD_SECONDS = 300
TURN_SECONDS = 10.0
"""Duration of a turn; including the last call's time-out it ends well within the lease."""

CONNECTIONS = 4
"""Concurrent calls to one endpoint while it answers well."""

BATCH = 32
"""Deliveries claimed at once: at most this many are sent twice if a process is killed."""

_HELD_AT_ONCE = 5_000
_GIVEN_UP_AFTER = timedelta(seconds=1.25 * sum(RETRY_SECONDS))
"""As long as all retries of a delivery take: one that an open circuit delayed for so long has failed, too."""

_SOON = timedelta(seconds=1)
_LANES = lanes.Lanes()


class NoReplay(Refusal):
    """The delivery cannot be sent again: it was never to be sent, or its endpoint is not active."""


def serve(*, endpoint_id: int, at: datetime) -> int:
    """Send the due deliveries of an endpoint for one turn; return how many attempts were made.

    Safe to run twice and concurrently: one sends, the others find it leased. Call outside a transaction.
    """
    enqueue.deliveries_begun(endpoint_id=endpoint_id)  # later commits enqueue their own message
    rows = WebhookEndpoint.objects.select_related("circuit").filter(platform__off_at=None)
    endpoint = rows.filter(pk=endpoint_id).first()
    if endpoint is None:
        return 0
    is_suspect = circuit.is_suspect(getattr(endpoint, "circuit", None))
    with _LANES.place(platform_id=endpoint.platform_id, is_suspect=is_suspect) as is_free:
        if not is_free:
            # Suspects are found again by the sweep; the others should not wait so long.
            return 0 if is_suspect else _come_back(endpoint_id, at=at + _SOON)
        lease = circuit.take(endpoint_id=endpoint_id, at=at)
        if lease is None:
            return 0
        turn = _Turn(endpoint, lease, at=at)
        try:
            turn.run()
        finally:
            circuit.give_back(lease)
    turn.hand_on()
    return turn.made


def sweep(*, at: datetime) -> int:
    """Enqueue the callable endpoints that have due deliveries; return how many."""
    due = Delivery.objects.filter(state=DeliveryState.WAITING, next_attempt_at__lte=at)
    if not due.exists():  # the query below takes three times as long to write
        return 0
    deliveries = due.filter(endpoint=OuterRef("pk"))
    busy = EndpointCircuit.objects.filter(~circuit.is_free(at=at), endpoint=OuterRef("pk"))
    rows = WebhookEndpoint.objects.filter(Exists(deliveries), ~Exists(busy), platform__off_at=None)
    ids = list(rows.order_by("id").values_list("pk", flat=True))
    with transaction.atomic():
        for endpoint_id in ids:
            enqueue.deliveries(endpoint_id=endpoint_id)
    return len(ids)


def replay(*, delivery_id: str, at: datetime, actor: User | None = None) -> None:
    """Send a delivered or failed delivery again, with the same id and body. Raises NoReplay."""
    with transaction.atomic():
        delivery = (
            Delivery.objects.select_for_update(of=("self",)).select_related("endpoint").get(pk=delivery_id)
        )
        is_over = delivery.state == DeliveryState.CANCELLED
        if is_over or delivery.endpoint.state != EndpointState.ACTIVE:
            raise NoReplay(
                _("This delivery cannot be sent again: it was cancelled, or its endpoint is inactive.")
            )
        delivery.state = DeliveryState.WAITING
        delivery.attempts = 0
        delivery.next_attempt_at = at
        delivery.save(update_fields=("state", "attempts", "next_attempt_at"))
        _audit("delivery.replayed", delivery, actor=actor, at=at)
        circuit.try_now(endpoint_id=delivery.endpoint.pk, at=at)
        enqueue.deliveries(endpoint_id=delivery.endpoint.pk)


class _Turn:
    """One turn at one endpoint, by the worker that holds its lease."""

    def __init__(self, endpoint: WebhookEndpoint, lease: EndpointCircuit, *, at: datetime) -> None:
        self.made = 0
        self._endpoint, self._circuit = endpoint, lease
        self._at, self._began = at, time.monotonic()
        self._is_over = threading.Event()

    def run(self) -> None:
        """Send due deliveries, batch after batch: a single one first, more while all succeed."""
        if self._endpoint.state != EndpointState.ACTIVE:
            endpoints.fail_waiting(self._endpoint)
            return
        caller = self._caller()
        if caller is None:
            return
        limit = 1
        with caller as call:
            while self._may_go_on():
                batch = attempts.claim(endpoint_id=self._endpoint.pk, limit=limit, at=self._now())
                if not batch:
                    break
                self._send(batch, call)
                limit = 1 if circuit.is_suspect(self._circuit) else min(2 * limit, BATCH)
        if self._circuit.state == CircuitState.OPEN:
            self._give_up()

    def hand_on(self) -> None:
        """Enqueue another turn if there is more to send."""
        if self._circuit.state == CircuitState.OPEN:
            if self._circuit.retry_at is not None:
                _come_back(self._endpoint.pk, at=self._circuit.retry_at)
        elif attempts.due(at=self._now()).filter(endpoint=self._endpoint).exists():
            _come_back(self._endpoint.pk, at=self._now() + _SOON if self._circuit.failures else None)

    def _caller(self) -> Caller | None:
        if self._endpoint.is_integration:
            caller: Caller = import_string(settings.INTEGRATION_CALLER)(self._endpoint)
            return caller
        signer = self._signer()
        if signer is None:
            return None
        return WebhookCaller(self._endpoint, signer=signer, connections=CONNECTIONS)

    def _signer(self) -> sign.Signer | None:
        in_force = Q(expires_at__isnull=True) | Q(expires_at__gt=self._at)
        keys = list(self._endpoint.secrets.filter(in_force).order_by("-id"))
        if not keys:
            self._hold("The endpoint has no signing secret; the delivery waits.")
            return None
        try:
            return sign.Signer(keys)
        except vault.MissingKey as missing:
            self._hold(str(missing))
            return None

    def _hold(self, reason: str) -> None:
        rows = attempts.due(at=self._at).filter(endpoint=self._endpoint).values("pk")[:_HELD_AT_ONCE]
        Delivery.objects.filter(pk__in=rows).update(
            next_attempt_at=self._at + timedelta(seconds=HOLD_SECONDS), last_error=reason[:500]
        )

    def _send(self, batch: Sequence[Delivery], call: Caller) -> None:
        """Call for each delivery of the batch, concurrently, until one fails; record the results."""
        if not connection.in_atomic_block:
            connection.close()  # release the database connection while waiting for the network
        results = call.each(batch, lambda delivery: self._one(delivery, call))
        calls = [attempt for attempt in results if attempt is not None]
        tried_ids = {attempt.delivery.pk for attempt in calls}
        attempts.record(calls, unsent=[row for row in batch if row.pk not in tried_ids])
        self.made += len(calls)
        for attempt in calls:
            self._learn(attempt)

    def _one(self, delivery: Delivery, call: Caller) -> Attempt | None:
        if not self._may_go_on():
            return None
        attempt = call.attempt(delivery, at=self._now())
        if attempt.is_outage or attempt.status == GONE:
            self._is_over.set()
        return attempt

    def _learn(self, attempt: Attempt) -> None:
        if post := attempt.delivery.body.get("data", {}).get("post"):
            of = Revision(post_id=post["id"], number=post["revision"])
            ended_at, status = attempt.at + timedelta(seconds=attempt.seconds), attempt.status or 0
            tracing.span("deliver", of=of, began_at=attempt.at, ended_at=ended_at, status=status)
        if attempt.error:
            log.info(
                "delivery_failed",
                delivery=str(attempt.delivery.pk),
                attempts=attempt.delivery.attempts + 1,
                request_id=attempt.delivery.request_id,
            )
        if attempt.status == GONE:
            endpoints.disable(endpoint_id=self._endpoint.pk, reason="answered 410 Gone", at=attempt.at)
        elif attempt.is_outage:
            circuit.failed(
                self._circuit, error=attempt.error, wait_seconds=attempt.wait_seconds, at=self._now()
            )
            if self._circuit.openings == circuit.DEAD_AFTER:
                self._tell_people()
        elif not attempt.is_refused:
            circuit.answered(self._circuit, seconds=attempt.seconds)

    def _tell_people(self) -> None:
        with transaction.atomic():
            notify.write(
                kind=NotificationKind.ENDPOINT,
                subject=self._endpoint.pk,
                platform_id=self._endpoint.platform_id,
                since=self._circuit.since,
                at=self._now(),
            )

    def _give_up(self) -> None:
        """Fail deliveries that an open circuit has delayed for as long as their retries would have taken."""
        deliveries = Delivery.objects.filter(
            endpoint=self._endpoint,
            state=DeliveryState.WAITING,
            next_attempt_at__lt=self._at - _GIVEN_UP_AFTER,
        )
        too_old = deliveries.order_by("next_attempt_at", "id").values("pk")[:_HELD_AT_ONCE]
        Delivery.objects.filter(pk__in=too_old).update(
            state=DeliveryState.FAILED,
            lease_until=None,
            last_error=f"The endpoint has not answered for days: {self._circuit.last_error}"[:500],
        )

    def _may_go_on(self) -> bool:
        return not self._is_over.is_set() and time.monotonic() - self._began < TURN_SECONDS

    def _now(self) -> datetime:
        return self._at + timedelta(seconds=time.monotonic() - self._began)


def _come_back(endpoint_id: int, *, at: datetime | None) -> int:
    """Enqueue another turn, at once or at a time; return 0."""
    with transaction.atomic():
        enqueue.deliveries(endpoint_id=endpoint_id, due_at=at)
    return 0


def mend_clock_steps(*, at: datetime) -> int:
    """Make messages due now that wait longer than the time for undoing; return how many.

    Retries are left alone: their row does not say how long the endpoint asked to wait.
    """
    undo = timedelta(seconds=desk_settings.MOST_UNDO_SECONDS)
    entries = FeedEntry.objects.filter(clocks.is_too_far("due_at", at=at, longest=undo), number__isnull=True)
    first_attempts = Delivery.objects.filter(
        clocks.is_too_far("next_attempt_at", at=at, longest=max(undo, timedelta(seconds=HOLD_SECONDS))),
        state=DeliveryState.WAITING,
        attempts=0,
    )
    return entries.update(due_at=at) + first_attempts.update(next_attempt_at=at)
