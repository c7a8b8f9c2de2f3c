"""Is every one of 1,000 posts that come at one instant answered, and kept if it says so?

make bench ARGS=burst      (starts a database, a broker and a web server of its own; scoring does not run)

Each comes over a connection of its own. 202 means stored; 503 with Retry-After asks to come again; anything
else, a connection that is cut, or a web process that was replaced breaks the promise.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import time
import uuid
from collections import Counter
from dataclasses import dataclass

import numpy as np

from lab import _hammer, _slow, _stack
from lab.slow_clients import web_processes

_CONNECTIONS, _RUNS = 1_000, 3


@dataclass(frozen=True, kw_only=True)
class _Answer:
    post: str
    said: str
    """Status, or the class of the error."""
    seconds: float


def main(_: argparse.Namespace) -> None:
    """Send them three times; exit code 1 where the promise is broken."""
    _slow.allow_many_files()
    with _stack.running(name="burst", has_web=True):
        processes = web_processes()
        results = [_run() for _ in range(_RUNS)]
        if web_processes() != processes:
            sys.exit("a web process was replaced")
    sys.exit(0 if all(results) else 1)


def _run() -> bool:
    answers = asyncio.run(_send_all())
    counts = Counter(answer.said for answer in answers)
    posts = [answer.post for answer in answers if answer.said == "202"]
    lost = len(posts) - _stack.count_posts("external_id = ANY(%s)", posts)
    p50, p95 = np.percentile([answer.seconds for answer in answers], (50, 95))
    slowest = max(answer.seconds for answer in answers)
    print(
        f"{_CONNECTIONS} connections: {dict(counts)}, {lost} of those with 202 lost;"
        f" p50 {p50:.1f} p95 {p95:.1f} slowest {slowest:.1f} s"
    )
    return lost == 0 and set(counts) <= {"202", "503 Retry-After"}


async def _send_all() -> list[_Answer]:
    go = asyncio.Event()
    run = uuid.uuid4().hex[:8]
    tasks = [asyncio.ensure_future(_send(f"burst-{run}-{number}", go)) for number in range(_CONNECTIONS)]
    await asyncio.sleep(1)
    go.set()
    return await asyncio.gather(*tasks)


async def _send(post: str, go: asyncio.Event) -> _Answer:
    body = {
        "external_id": post,
        "text": f"A post of its own {post}",
        "posted_at": "2026-03-01T09:30:00Z",
        "author": {"external_id": f"author-of-{post}"},
    }
    raw = _hammer.request(
        path="/api/v1/posts", key=_stack.demo_key(), body=json.dumps(body).encode(), kind="application/json"
    )
    await go.wait()
    began = time.monotonic()
    try:
        async with asyncio.timeout(120):
            status = await _ask(raw.replace(b"\r\n", b"\r\nConnection: close\r\n", 1))
    except OSError as failure:
        status = type(failure).__name__
    return _Answer(post=post, said=status, seconds=time.monotonic() - began)


async def _ask(raw: bytes) -> str:
    reader, writer = await asyncio.open_connection("127.0.0.1", int(os.environ["SPAMDESK_WEB_PORT"]))
    writer.write(raw)
    answer = (await reader.read()).lower()
    writer.close()
    status = answer[9:12].decode() or "cut off"
    return f"{status} Retry-After" if b"\r\nretry-after:" in answer else status
