"""Promise: what proxies and servers might read differently is refused, or answered as one request."""

import socket
from contextlib import closing

import pytest

from tests.config.server.conftest import WebServer

pytestmark = [pytest.mark.xdist_group("web server"), pytest.mark.timeout(300)]

HOST = "Host: localhost"


def ask(port: int, raw: bytes) -> bytes:
    """Send bytes as they are, close the sending side, and return all that comes back."""
    with closing(socket.create_connection(("127.0.0.1", port), timeout=30)) as connection:
        connection.sendall(raw)
        said = b""
        try:
            while part := connection.recv(65_536):
                said += part
        except ConnectionResetError:
            pass
        return said


def request(*lines: str, body: str = "") -> bytes:
    """Return a request as these lines say it; nothing is added but the end."""
    return "\r\n".join([*lines, "Connection: close", "", body]).encode("latin-1")


def statuses(said: bytes) -> list[int]:
    """Return the status of each answer."""
    return [int(part[:3]) for part in said.split(b"HTTP/1.1 ")[1:]]


SECOND = "GET /second HTTP/1.1\r\nHost: localhost\r\n\r\n"
POST = "POST /sign-in/ HTTP/1.1"
REFUSED = {
    "length and chunks": request(
        POST, HOST, "Content-Length: 4", "Transfer-Encoding: chunked", body=f"0\r\n\r\n{SECOND}"
    ),
    "chunks": request(POST, HOST, "Transfer-Encoding: chunked", body=f"0\r\n\r\n{SECOND}"),
    "chunks, disguised": request(POST, HOST, "Transfer-Encoding: xchunked", body=f"0\r\n\r\n{SECOND}"),
    "two kinds of chunks": request(
        POST, HOST, "Transfer-Encoding: chunked", "Transfer-Encoding: identity", body="0\r\n\r\n"
    ),
    "two lengths": request(POST, HOST, "Content-Length: 4", "Content-Length: 5", body="abcde"),
    "two lengths in one": request(POST, HOST, "Content-Length: 4, 5", body="abcde"),
    "negative length": request(POST, HOST, "Content-Length: -1", body="abc"),
    "signed length": request(POST, HOST, "Content-Length: +5", body="abcde"),
    "length beyond numbers": request(POST, HOST, f"Content-Length: {'9' * 40}"),
    "space before the colon": request(POST, HOST, "Content-Length : 5", body="abcde"),
    "NUL in a header": request("GET / HTTP/1.1", HOST, "X-A: b\0c"),
    "NUL in the path": request("GET /\0 HTTP/1.1", HOST),
    "two hosts": request("GET /sign-in/ HTTP/1.1", HOST, "Host: evil.example"),
    "foreign host": request("GET /sign-in/ HTTP/1.1", "Host: evil.example"),
    "a header of 1 MB": request("GET / HTTP/1.1", HOST, f"X-A: {'a' * 1_000_000}"),
    "13 MB": request(POST, HOST, f"Content-Length: {13 * 1024 * 1024}"),
    "line feeds alone": b"GET /healthz HTTP/1.1\nHost: localhost\nConnection: close\n\n",
    "HTTP/2 without TLS": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
}


@pytest.mark.parametrize("name", REFUSED)
def test_refuses(web: WebServer, name: str) -> None:
    answers = statuses(ask(web.port, REFUSED[name]))

    assert len(answers) <= 1
    assert all(400 <= status < 500 for status in answers), answers


ONE = {
    "a folded header": (request("GET /healthz HTTP/1.1", HOST, "X-A: b", " c"), 200),
    "500 headers": (
        request("GET /healthz HTTP/1.1", HOST, *(f"X-{number}: a" for number in range(500))),
        200,
    ),
    "an upgrade to HTTP/2": (
        request("GET /healthz HTTP/1.1", HOST, "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA"),
        200,
    ),
    "an upgrade to a web socket": (
        request(
            "GET /healthz HTTP/1.1", HOST, "Upgrade: websocket", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="
        ),
        200,
    ),
    # The host that counts is the header's, which Django checks; the one in the address is never read.
    "an absolute address": (request("GET http://evil.example/healthz HTTP/1.1", HOST), 200),
    "a body that nobody asked for": (
        request("GET /healthz HTTP/1.1", HOST, "Content-Length: 5", body="abcde"),
        200,
    ),
    "a path out of the root": (request("GET /static/%2e%2e/%2e%2e/etc/passwd HTTP/1.1", HOST), 404),
    "a path that is not UTF-8": (request("GET /%ff%fe HTTP/1.1", HOST), 404),
}


@pytest.mark.parametrize("name", ONE)
def test_answers_once(web: WebServer, name: str) -> None:
    raw, status = ONE[name]

    assert statuses(ask(web.port, raw)) == [status]


def test_answers_requests_on_one_connection_in_order(web: WebServer) -> None:
    first = f"GET /healthz HTTP/1.1\r\n{HOST}\r\n\r\n".encode()

    said = ask(web.port, first + request("GET /no-such-page HTTP/1.1", HOST))

    assert statuses(said) == [200, 404]


def test_a_header_with_an_underscore_passes_for_no_other(web: WebServer) -> None:
    said = ask(web.port, request("GET /sign-in/ HTTP/1.1", HOST, "X_Request_ID: forged"))

    assert statuses(said) == [200]
    assert b"forged" not in said


def test_asks_for_the_body_only_where_it_reads_it(web: WebServer) -> None:
    asked = ask(web.port, request(POST, HOST, "Expect: 100-continue", "Content-Length: 0"))
    too_large = ask(web.port, request(POST, HOST, "Expect: 100-continue", "Content-Length: 99999999"))

    assert statuses(asked) == [403]  # no CSRF cookie
    assert statuses(too_large) == [413]


def test_a_problem_on_the_api_and_a_line_on_the_desk(web: WebServer) -> None:
    on_the_api = ask(web.port, request("POST /api/v1/posts HTTP/1.1", HOST, "Content-Length: 99999999"))
    on_the_desk = ask(web.port, request(POST, HOST, "Content-Length: 99999999"))

    assert b"application/problem+json" in on_the_api
    assert b'"type": "/problems/body_too_large"' in on_the_api
    assert b"text/plain" in on_the_desk
    assert b"x-request-id: " in on_the_desk.lower()
