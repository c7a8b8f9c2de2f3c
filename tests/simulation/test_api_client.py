"""The simulated platform's client against a real server that misbehaves."""

import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from simulation.api_client import ApiClient, KeyRefused, Unreachable

PAYLOAD = {"external_id": "post-1", "text": "Hello"}


class Server(ThreadingHTTPServer):
    """Answers each request with the next of its answers, and remembers what came."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers: list[tuple[int, dict[str, Any]] | None] = []
        self.came: list[tuple[str, bytes]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.came.append((self.path, body))
        answer = self.server.answers.pop(0)
        if answer is None:
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        status, document = answer
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(document).encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that http.server uses
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def api(server: Server) -> Iterator[ApiClient]:
    with ApiClient(url=server.url, key="key", patience_seconds=20) as api:
        yield api


@pytest.mark.parametrize("failure", [None, (503, {}), (429, {})], ids=["connection lost", "503", "429"])
def test_repeats_the_same_post_until_it_is_answered(
    server: Server, api: ApiClient, failure: tuple[int, dict[str, Any]] | None
) -> None:
    server.answers = [failure, failure, (202, {})]

    refused = api.send_posts([PAYLOAD])

    assert refused == []
    assert server.came == [server.came[0]] * 3


def test_reports_a_refusal_and_does_not_repeat_it(server: Server, api: ApiClient) -> None:
    server.answers = [(400, {"title": "Bad"})]

    (refused,) = api.send_posts([PAYLOAD])

    assert refused.startswith("post-1: ")
    assert len(server.came) == 1


def test_names_the_refused_lines_of_a_bulk_request(server: Server, api: ApiClient) -> None:
    good, bad = {"line": 1, "status": 202}, {"line": 2, "status": 400, "problem": {"title": "Bad"}}
    server.answers = [(207, {"results": [good, bad]})]

    (refused,) = api.send_posts([PAYLOAD, {"external_id": "post-2"}])

    assert refused.startswith("post-2: ")
    path, body = server.came[0]
    assert path == "/api/v1/posts:bulk"
    assert len(body.splitlines()) == 2


def test_gives_up_at_once_when_the_key_is_refused(server: Server, api: ApiClient) -> None:
    server.answers = [(401, {})]

    with pytest.raises(KeyRefused):
        api.send_posts([PAYLOAD])


def test_gives_up_when_nobody_answers_for_too_long() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"

        with ApiClient(url=url, key="key", patience_seconds=0.3) as api, pytest.raises(Unreachable):
            api.send_complaint(PAYLOAD)
