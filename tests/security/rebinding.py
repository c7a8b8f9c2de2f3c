"""Calls names whose name server changes its mind; run by test_special_addresses.py in a network of its own.

That network has nothing but a loopback interface, which also carries the public address below: nothing here
can leave the machine. Prints what came of the calls as JSON.
"""

from __future__ import annotations

import json
import socket
import struct
import sys
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, HTTPServer

import django

PUBLIC, PRIVATE = "93.184.215.14", "127.0.0.1"
_A = 1
_TURNS = "turns.example"
_SILENT = "silent.example"

asked: Counter[str] = Counter()
hits: Counter[str] = Counter()


def main() -> None:
    """Answer questions and calls, make the calls, tell what came of them."""
    threading.Thread(target=_name_server, daemon=True).start()
    for address in (PUBLIC, PRIVATE):
        server = HTTPServer((address, 80), _Receiver)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    django.setup()
    from moderation.operations.infrastructure import egress  # noqa: PLC0415 - Django is not set up before

    def call(host: str) -> str:
        try:
            return str(egress.request("POST", url=f"http://{host}/", body=b"{}", headers={}).status)
        except (egress.Refused, egress.Failed) as refused:
            return type(refused).__name__

    found: dict[str, object] = {"turns": [call(_TURNS), call(_TURNS)]}
    found |= {name: call(f"{name}.example") for name in ("both", "inside")}
    began = time.monotonic()
    found |= {"silent": call(_SILENT), "silent_seconds": time.monotonic() - began}
    json.dump(found | {"asked": asked, "hits": hits}, sys.stdout)


class _Receiver(BaseHTTPRequestHandler):
    """Counts who was reached."""

    def do_POST(self) -> None:
        hits[self.connection.getsockname()[0]] += 1
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _name_server() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 53))
        while True:
            question, sender = listener.recvfrom(512)
            if (answer := _answer(question)) is not None:
                listener.sendto(answer, sender)


def _answer(question: bytes) -> bytes | None:
    """Answer a question for addresses (RFC 1035 §4); IPv6 has none, and some are never answered."""
    name, end = _name(question)
    kind = struct.unpack("!H", question[end : end + 2])[0]
    addresses = _addresses(name) if kind == _A else []
    if name == _SILENT:
        return None
    head = question[:2] + b"\x81\x80" + struct.pack("!HHHH", 1, len(addresses), 0, 0)
    rows = (b"\xc0\x0c" + struct.pack("!HHIH", _A, 1, 0, 4) + socket.inet_aton(one) for one in addresses)
    return head + question[12 : end + 4] + b"".join(rows)


def _name(question: bytes) -> tuple[str, int]:
    parts, at = [], 12
    while length := question[at]:
        parts.append(question[at + 1 : at + 1 + length].decode())
        at += length + 1
    return ".".join(parts), at + 1


def _addresses(name: str) -> list[str]:
    asked[name] += 1
    if name == _TURNS:
        return [PUBLIC if asked[name] == 1 else PRIVATE]
    return {"both.example": [PUBLIC, PRIVATE], "inside.example": [PRIVATE]}.get(name, [])


if __name__ == "__main__":
    main()
