"""Deliveries against a real local HTTP server standing in for the platform."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.utils import timezone
from pytest_django import Settings
from standardwebhooks.webhooks import Webhook

from moderation.models import Case, Delivery, Platform, User
from moderation.models.cases import Verdict
from moderation.models.deliveries import DeliveryState
from moderation.operations import notify, reverse, review

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
Later = Callable[[float], datetime]


class PlatformServer(ThreadingHTTPServer):
    """Answers every delivery with `status` and keeps what it got."""

    status = 204
    got: list[tuple[dict[str, str], bytes]]


class Receiver(BaseHTTPRequestHandler):
    server: PlatformServer

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.got.append(({key.lower(): value for key, value in self.headers.items()}, body))
        self.send_response(self.server.status)
        self.send_header("location", "http://127.0.0.1:1/elsewhere")
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Stay quiet."""


@pytest.fixture
def server(platform: Platform, settings: Settings) -> Iterator[PlatformServer]:
    settings.EGRESS_PRIVATE_HOSTS = ("localhost",)
    server = PlatformServer(("127.0.0.1", 0), Receiver)
    server.got = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    platform.webhook_url = f"http://localhost:{server.server_port}/hook"
    platform.webhook_secret = SECRET
    platform.save()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def delivery(server: PlatformServer, claimed_case: Case, moderator: User, later: Later) -> Delivery:
    decision = review.decide(
        case_id=claimed_case.pk,
        case_version=claimed_case.version,
        moderator=moderator,
        verdict=Verdict.SPAM,
        at=later(5),
    )
    return Delivery.objects.get(decision=decision)


def send(delivery: Delivery, at: datetime) -> Delivery:
    notify.send(delivery_id=str(delivery.pk), at=at)
    delivery.refresh_from_db()
    return delivery


class TestSend:
    def test_waits_for_the_end_of_the_time_for_undoing(
        self, delivery: Delivery, server: PlatformServer, later: Later
    ) -> None:
        assert send(delivery, later(14)).state == DeliveryState.WAITING
        assert server.got == []

        assert send(delivery, later(15)).state == DeliveryState.DELIVERED

    def test_signs_the_exact_bytes(self, delivery: Delivery, server: PlatformServer) -> None:
        send(delivery, timezone.now().astimezone(UTC))

        [(headers, body)] = server.got
        verified = Webhook(SECRET).verify(body, headers)
        assert verified["data"]["verdict"] == "spam"
        assert headers["webhook-id"] == str(delivery.pk)

    def test_sends_nothing_unsigned(
        self, delivery: Delivery, server: PlatformServer, platform: Platform, later: Later
    ) -> None:
        Platform.objects.update(webhook_secret="")

        held = send(delivery, later(15))

        assert (held.state, server.got) == (DeliveryState.WAITING, [])
        assert "signing secret" in held.last_error

    @pytest.mark.parametrize(
        ("status", "state"),
        [(200, "delivered"), (302, "waiting"), (500, "waiting"), (410, "failed")],
    )
    def test_takes_the_answer_at_its_word(
        self, delivery: Delivery, server: PlatformServer, later: Later, status: int, state: str
    ) -> None:
        server.status = status

        assert send(delivery, later(15)).state == state
        assert len(server.got) == 1

    def test_ends_failed_after_the_last_retry(
        self, delivery: Delivery, server: PlatformServer, later: Later
    ) -> None:
        server.status = 503
        at = later(15)

        for _ in range(len(notify.RETRY_SECONDS) + 1):
            assert send(delivery, at).state in {DeliveryState.WAITING, DeliveryState.FAILED}
            at = delivery.next_attempt_at

        assert delivery.state == DeliveryState.FAILED
        assert len(server.got) == len(notify.RETRY_SECONDS) + 1

    def test_sends_nothing_of_an_undone_decision(
        self, delivery: Delivery, server: PlatformServer, moderator: User, later: Later
    ) -> None:
        reverse.undo(decision_id=delivery.decision_id, moderator=moderator, at=later(9))

        assert send(delivery, later(15)).state == DeliveryState.CANCELLED
        assert server.got == []

    @pytest.mark.parametrize(
        "url",
        [
            "http://127.0.0.1:{port}/",
            "http://[::1]:{port}/",
            "http://2130706433:{port}/",
            "http://0x7f.1:{port}/",
            "http://169.254.169.254/latest/meta-data",
            "http://10.0.0.1/",
            "http://[::ffff:127.0.0.1]:{port}/",
            "http://user@localhost:{port}/",
            "ftp://localhost:{port}/",
            "http://0.0.0.0:{port}/",
        ],
    )
    def test_never_calls_private_addresses(
        self, delivery: Delivery, server: PlatformServer, later: Later, url: str
    ) -> None:
        Platform.objects.update(webhook_url=url.format(port=server.server_port))

        assert send(delivery, later(15)).state == DeliveryState.FAILED
        assert server.got == []
