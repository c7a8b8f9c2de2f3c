"""Adapter from ASGI to WSGI: the scope as an environment, the application's result as an answer."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from typing import IO, Any
from urllib.parse import unquote_to_bytes

from django.db import close_old_connections

from config.server.answers import Answer

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
_BARE = {b"content-type": "CONTENT_TYPE", b"content-length": "CONTENT_LENGTH"}
_LARGE_BYTES = 256 * 1024


def environ_of(scope: dict[str, Any]) -> dict[str, Any]:
    """Return the WSGI environment (PEP 3333) of a request, its body excepted."""
    address, server = scope.get("client") or ("", 0), scope.get("server") or ("", 0)
    return {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        # The raw path: a decoded one has lost the bytes that are not UTF-8.
        "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": server[0],
        "SERVER_PORT": str(server[1]),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": address[0],
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
        "wsgi.file_wrapper": _File,
        **_headers(scope["headers"]),
    }


def _headers(raw: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for name, value in raw:
        if b"_" in name:
            continue  # WSGI cannot tell it from a header with a hyphen
        key = _BARE.get(name) or "HTTP_" + name.decode("latin-1").upper().replace("-", "_")
        said = value.decode("latin-1")
        if key in headers:
            said = headers[key] + ("; " if key == "HTTP_COOKIE" else ",") + said
        headers[key] = said
    return headers


class _File:
    """What Django gives a file to, so that the server reads it itself (`wsgi.file_wrapper`, PEP 3333)."""

    def __init__(self, file: IO[bytes], block_size: int = 65_536) -> None:
        self.file = file
        self._block_size = block_size

    def __iter__(self) -> Iterator[bytes]:
        return iter(lambda: self.file.read(self._block_size), b"")

    def close(self) -> None:
        self.file.close()


def call(application: Application, environ: dict[str, Any]) -> Answer:
    """Run the application and return its answer, finished but for a large file, which the caller reads.

    The thread is free afterwards, and its database connection returned.
    """
    said: list[Any] = []

    def start_response(status: str, headers: list[tuple[str, str]], _failure: Any = None) -> None:
        said[:] = [int(status[:3]), headers]

    parts = application(environ, start_response)
    status, headers = said
    length = next((int(value) for name, value in headers if name.lower() == "content-length"), None)
    is_head = environ["REQUEST_METHOD"] == "HEAD"
    if isinstance(parts, _File) and length is not None and length > _LARGE_BYTES and not is_head:
        close_old_connections()  # Django would do it later, in another thread
        return Answer(status=status, headers=headers, body=parts.file)
    try:
        body = b"" if is_head else _gathered(parts)
    finally:
        if hasattr(parts, "close"):
            parts.close()  # triggers Django's request_finished
    if length is None and not is_head:
        headers = [*headers, ("Content-Length", str(_length(body)))]
    return Answer(status=status, headers=headers, body=body)


def _gathered(parts: Iterable[bytes]) -> bytes | IO[bytes]:
    """Return the whole body, in a temporary file if it was made for streaming."""
    if not (getattr(parts, "streaming", False) or isinstance(parts, _File)):
        return b"".join(parts)
    spool: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=_LARGE_BYTES)  # noqa: SIM115 - closed once it is sent
    for part in parts:
        spool.write(part)
    if spool.tell() <= _LARGE_BYTES:
        with spool:
            spool.seek(0)
            return spool.read()
    spool.seek(0)
    return spool


def _length(body: bytes | IO[bytes]) -> int:
    if isinstance(body, bytes):
        return len(body)
    length = body.seek(0, 2)
    body.seek(0)
    return length
