"""A client that costs little: prepared requests over connections that stay open, one thread for each.

`python -m lab._hammer FILE CONNECTIONS` sends the requests of a file in turn and prints one JSON line. A
process of its own, so that the server's interpreter is not the one that waits for the client.
"""

import json
import queue
import re
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_BREAK = b"\r\n\r\n"


@dataclass(frozen=True, kw_only=True)
class Result:
    """What the server did: answers by status, and milliseconds of each answer."""

    seconds: float
    statuses: dict[str, int]
    answer_ms: list[float]


def request(*, path: str, key: str, body: bytes, kind: str) -> bytes:
    """Return a whole HTTP request."""
    lines = [
        f"POST {path} HTTP/1.1",
        "Host: localhost",
        f"Authorization: Bearer {key}",
        f"Content-Type: {kind}",
        f"Content-Length: {len(body)}",
    ]
    return "\r\n".join(lines).encode() + _BREAK + body


def send(requests: list[bytes], *, file: Path, port: int, connections: int) -> Result:
    """Send the requests from another process; raises CalledProcessError if it fails."""
    file.write_bytes(json.dumps([port, [len(raw) for raw in requests]]).encode() + b"\n" + b"".join(requests))
    command = [sys.executable, "-m", "lab._hammer", str(file), str(connections)]
    process = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    file.unlink()
    return Result(**json.loads(process.stdout))


def main() -> None:
    """Send what the file holds."""
    header, _, raw = Path(sys.argv[1]).read_bytes().partition(b"\n")
    port, lengths = json.loads(header)
    jobs: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    start = 0
    for length in lengths:
        jobs.put(raw[start : start + length])
        start += length
    answers: list[tuple[str, float]] = []
    threads = [threading.Thread(target=_work, args=(port, jobs, answers)) for _ in range(int(sys.argv[2]))]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - began
    answer = {
        "seconds": seconds,
        "statuses": Counter(status for status, _ in answers),
        "answer_ms": [round(1000 * took, 2) for _, took in answers],
    }
    print(json.dumps(answer))


def _work(port: int, waiting: queue.SimpleQueue[bytes], seen: list[tuple[str, float]]) -> None:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        # With Nagle's algorithm a large request would wait 40 ms for a delayed acknowledgement.
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while True:
            try:
                message = waiting.get_nowait()
            except queue.Empty:
                return
            began = time.perf_counter()
            connection.sendall(message)
            status = _status(connection)
            seen.append((status, time.perf_counter() - began))


def _status(connection: socket.socket) -> str:
    """Read a whole answer."""
    raw = b""
    while _BREAK not in raw:
        raw += _some(connection)
    head, _, body = raw.partition(_BREAK)
    match = _LENGTH.search(head)
    rest = (int(match[1]) if match else 0) - len(body)
    while rest > 0:
        rest -= len(_some(connection))
    return head[9:12].decode()


def _some(connection: socket.socket) -> bytes:
    if data := connection.recv(1 << 18):
        return data
    raise ConnectionError("the server hung up")


if __name__ == "__main__":
    main()
