"""Calls gRPC frame by frame, with headers that no client library would send."""

from __future__ import annotations

import socket
import struct
from collections.abc import Sequence

_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_DATA, _HEADERS, _SETTINGS, _END_STREAM, _END_HEADERS = 0, 1, 4, 1, 4


def call(port: int, method: str, *, headers: Sequence[tuple[bytes, bytes]]) -> bytes:
    """Return what the server says to a call with an empty message, frames and all."""
    own = [
        (b":method", b"POST"),
        (b":scheme", b"http"),
        (b":path", f"/inference.GRPCInferenceService/{method}".encode()),
        (b":authority", b"localhost"),
        (b"te", b"trailers"),
        (b"content-type", b"application/grpc"),
    ]
    block = b"".join(_literal(name, value) for name, value in [*own, *headers])
    with socket.create_connection(("127.0.0.1", port), timeout=20) as line:
        line.sendall(_PREFACE + _frame(_SETTINGS, 0, 0, b""))
        line.sendall(_frame(_HEADERS, _END_HEADERS, 1, block))
        line.sendall(_frame(_DATA, _END_STREAM, 1, b"\0" * 5))
        return _until_the_end(line)


def _until_the_end(line: socket.socket) -> bytes:
    said = b""
    while b"grpc-status" not in said:
        try:
            piece = line.recv(65_536)
        except TimeoutError:
            break
        if not piece:
            break
        said += piece
    return said


def _frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def _literal(name: bytes, value: bytes) -> bytes:
    """A header field without indexing and without Huffman coding (RFC 7541 §6.2.2); both below 127 bytes."""
    return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value
