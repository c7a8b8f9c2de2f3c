"""What is asked of a service that speaks LibreTranslate's JSON, and what its answers come to."""

import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from pytest_django import Settings

from moderation.operations.translation import translate
from moderation.operations.translation.translate import (
    Busy,
    KeyRefused,
    LibreTranslate,
    Unreachable,
    Unsupported,
)
from tests.moderation import receiver
from tests.moderation.receiver import Receiver


@pytest.fixture
def server(settings: Settings) -> Iterator[Receiver]:
    """A service on this machine, which the operator lists."""
    settings.EGRESS_PRIVATE_HOSTS = ("localhost",)
    with receiver.listening() as listening:
        listening.status = 200
        listening.body = json.dumps({"translatedText": "Hello", "detectedLanguage": {}}).encode()
        yield listening


@pytest.fixture
def service(server: Receiver) -> LibreTranslate:
    return LibreTranslate(address=server.url.removesuffix("/hook") + "/", key="")


class TestTranslate:
    def test_asks_as_documented_and_returns_the_text(self, server: Receiver, service: LibreTranslate) -> None:
        assert service.translate("Bonjour", language="de") == "Hello"

        [(headers, body)] = server.got
        assert server.paths == ["/translate"]
        assert headers["content-type"] == "application/json"
        assert json.loads(body) == {"q": "Bonjour", "source": "auto", "target": "de", "format": "text"}

    def test_sends_the_key_if_there_is_one(self, server: Receiver) -> None:
        keyed = LibreTranslate(address=server.url.removesuffix("/hook"), key="secret")

        keyed.translate("Bonjour", language="de")

        assert json.loads(server.got[0][1])["api_key"] == "secret"
        assert "secret" not in keyed.name

    @pytest.mark.parametrize(
        ("status", "refusal"),
        [(400, Unsupported), (403, KeyRefused), (429, Busy), (500, Unreachable), (302, Unreachable)],
    )
    def test_tells_refusals_apart(
        self, server: Receiver, service: LibreTranslate, status: int, refusal: type[Exception]
    ) -> None:
        server.status = status

        with pytest.raises(refusal):
            service.translate("Bonjour", language="de")
        assert len(server.got) == 1

    @pytest.mark.parametrize(
        "answer",
        [
            "nonsense",
            "[]",
            "{}",
            '{"translatedText": 5}',
            '{"translatedText": "a\\u0000"}',
            '{"translatedText": "\\ud800"}',
            "[" * 100_000,
            json.dumps({"translatedText": "x" * 300_000}),
        ],
        ids=["no JSON", "list", "empty", "number", "NUL", "half", "deep", "large"],
    )
    def test_takes_no_other_answer(self, server: Receiver, service: LibreTranslate, answer: str) -> None:
        server.body = answer.encode()

        with pytest.raises(Unreachable):
            service.translate("Bonjour", language="de")

    def test_does_not_wait_for_ever(
        self, server: Receiver, service: LibreTranslate, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(translate, "TIMEOUT_SECONDS", 0.2)
        server.wait_seconds = 1.0

        with pytest.raises(Unreachable):
            service.translate("Bonjour", language="de")

    def test_pauses_after_failures_and_calls_nobody(self, server: Receiver, service: LibreTranslate) -> None:
        server.status = 500
        for _ in range(4):
            with pytest.raises(Unreachable):
                service.translate("Bonjour", language="de")

        assert len(server.got) == 3

    def test_leaves_threads_to_everybody_else(self, server: Receiver, service: LibreTranslate) -> None:
        begun, go_on = threading.Semaphore(0), threading.Event()

        def hold() -> None:
            begun.release()
            go_on.wait(5)

        server.before_answer = hold
        calls = [
            threading.Thread(target=service.translate, args=("a",), kwargs={"language": "de"}) for _ in "12"
        ]
        for call in calls:
            call.start()
        for _ in calls:
            assert begun.acquire(timeout=5)

        with pytest.raises(Busy):
            service.translate("Bonjour", language="de")

        go_on.set()
        for call in calls:
            call.join()
        assert service.translate("Bonjour", language="de") == "Hello"

    def test_calls_no_private_host_that_is_not_listed(
        self, server: Receiver, service: LibreTranslate, settings: Settings
    ) -> None:
        settings.EGRESS_PRIVATE_HOSTS = ()

        with pytest.raises(Unreachable):
            service.translate("Bonjour", language="de")
        assert not server.got


def test_follows_no_redirect_to_another_place(server: Receiver, service: Any) -> None:
    server.status, server.headers = 307, {"connection": "close"}

    with pytest.raises(Unreachable):
        service.translate("Bonjour", language="de")
    assert server.paths == ["/translate"]
