"""Trial 19. Promise: hostile content never makes our server call an address of its choice."""

import gzip
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest
from pytest_django import Settings

from moderation.operations.infrastructure import egress
from tests.moderation import receiver
from tests.security.test_special_addresses import GIVEN


def call(url: str) -> egress.Answered:
    return egress.request("POST", url=url, body=b"{}", headers={})


@pytest.fixture(autouse=True)
def nothing_listed(settings: Settings) -> None:
    """An empty list means: nothing private, ever."""
    settings.EGRESS_PRIVATE_HOSTS = ()


@pytest.mark.parametrize("url", GIVEN)
def test_refuses(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(*_: object, **__: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket, "create_connection", connect)

    with pytest.raises(egress.Refused):
        call(url)


class TestRebinding:
    def test_a_name_with_one_private_address_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        both = [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 80))
            for address in ("93.184.215.14", "127.0.0.1")
        ]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: both)

        with pytest.raises(egress.Refused):
            call("http://rebinding.example/")

    def test_the_connection_goes_to_the_address_that_was_checked(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Public at the first question, private at every later one: the second answer is never asked for."""
        answers = iter(["93.184.215.14"])
        dialled: list[str] = []

        def resolve(host: str, port: int, **_: object) -> list[object]:
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(answers, "127.0.0.1"), port))]

        def connect(address: tuple[str, int], *_: object, **__: object) -> None:
            dialled.append(address[0])
            raise OSError("nobody there")

        monkeypatch.setattr(socket, "getaddrinfo", resolve)
        monkeypatch.setattr(socket, "create_connection", connect)

        with pytest.raises(egress.Failed):
            call("http://rebinding.example/")
        assert dialled == ["93.184.215.14"]


def test_a_redirect_is_told_and_not_followed(localhost_listed: None) -> None:
    with receiver.listening() as server:
        server.status = 302

        assert call(server.url).status == 302
        assert len(server.got) == 1


@contextmanager
def answering(speak: Callable[[socket.socket], None]) -> Iterator[int]:
    """A server that says what the test wants; gives its port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            line, _ = listener.accept()
            with line:
                line.recv(65_536)
                with suppress(OSError):  # the caller had enough
                    speak(line)

        threading.Thread(target=serve, daemon=True).start()
        yield listener.getsockname()[1]


@pytest.fixture
def localhost_listed(nothing_listed: None, settings: Settings) -> None:
    settings.EGRESS_PRIVATE_HOSTS = ("localhost",)


def trickling(head: bytes) -> Callable[[socket.socket], None]:
    """Say this at once and the rest letter by letter, for twenty seconds."""

    def trickle(line: socket.socket) -> None:
        line.sendall(head)
        for _ in range(100):
            line.sendall(b"a")
            time.sleep(0.2)

    return trickle


@pytest.mark.usefixtures("localhost_listed")
class TestBounds:
    def get(self, port: int) -> egress.Answered:
        url = f"http://localhost:{port}/"
        return egress.request("GET", url=url, headers={}, timeout_seconds=1.0, most_bytes=10_000)

    def test_a_trickle_ends_at_the_deadline(self) -> None:
        with answering(trickling(b"HTTP/1.1 200 OK\r\nX-Long: ")) as port:
            began = time.monotonic()
            with pytest.raises(egress.Failed):
                self.get(port)
            assert time.monotonic() - began < 10

    def test_a_huge_body_is_cut_off(self) -> None:
        def pour(line: socket.socket) -> None:
            line.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
            for _ in range(1_000):
                line.sendall(b"x" * 65_536)

        with answering(pour) as port, pytest.raises(egress.Failed, match="10000 bytes"):
            self.get(port)

    def test_a_bomb_is_not_unpacked(self) -> None:
        packed = gzip.compress(b"\0" * 5_000_000)

        def bomb(line: socket.socket) -> None:
            head = f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(packed)}\r\n\r\n"
            line.sendall(head.encode() + packed)

        with answering(bomb) as port:
            assert self.get(port).body == packed


@pytest.mark.usefixtures("localhost_listed")
class TestKeptConnections:
    """A client keeps its connection between calls; each call has a deadline and a check of its own."""

    def test_one_connection_carries_many_calls(self) -> None:
        with receiver.listening() as server, egress.Client(server.url) as client:
            for _ in range(5):
                assert client.post(body=b"{}", headers={}).status == 204

            assert (len(server.got), server.connections) == (5, 1)

    def test_a_long_body_is_left_and_the_next_call_connects_anew(self) -> None:
        with receiver.listening() as server, egress.Client(server.url) as client:
            server.status, server.body = 200, b"x" * 1_000_000
            for _ in range(2):
                assert client.post(body=b"{}", headers={}).status == 200

            assert server.connections == 2

    def test_a_body_that_trickles_does_not_hold_the_caller(self) -> None:
        with answering(trickling(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")) as port:
            began = time.monotonic()
            assert (
                egress.request("POST", url=f"http://localhost:{port}/", body=b"{}", headers={}).status == 200
            )
            assert time.monotonic() - began < 10

    def test_a_later_call_has_the_whole_time(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(egress, "TIMEOUT_SECONDS", 1.0)
        with receiver.listening() as server, egress.Client(server.url) as client:
            for _ in range(4):
                server.wait_seconds = 0.4
                assert client.post(body=b"{}", headers={}).status == 204

    def test_every_connection_is_checked(self, settings: Settings) -> None:
        with receiver.listening() as server, egress.Client(server.url) as client:
            server.headers = {"connection": "close"}
            assert client.post(body=b"{}", headers={}).status == 204
            settings.EGRESS_PRIVATE_HOSTS = ()

            with pytest.raises(egress.Refused):
                client.post(body=b"{}", headers={})

    def test_only_https_needs_certificates_and_only_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        made: list[object] = []
        create = ssl.create_default_context

        def count() -> ssl.SSLContext:
            made.append(None)
            return create()

        egress._tls.cache_clear()
        monkeypatch.setattr(ssl, "create_default_context", count)
        with receiver.listening() as server:
            egress.request("POST", url=server.url, body=b"{}", headers={})
            assert made == []

            for _ in range(3):
                with pytest.raises(egress.Failed):
                    egress.request("POST", url=server.url.replace("http", "https"), body=b"{}", headers={})
            assert len(made) == 1
