"""How many posts are taken in: in bulk, and one request each?

make bench ARGS=ingest      (starts a database, a broker and a web server of its own; scoring does not run)
"""

import argparse
import json
import os
import sys
import time
import uuid
from pathlib import Path

import numpy as np

from lab import _hammer, _posts, _stack

_BULK_PROMISE, _SINGLE_PROMISE = 3_000, 400
_BULK_POSTS, _SINGLE_POSTS = 60_000, 8_000
_BULK_CONNECTIONS, _SINGLE_CONNECTIONS = 4, 16
_LINES = 1_000
"""Posts in one bulk request."""


def main(_: argparse.Namespace) -> None:
    """Measure both; exit code 1 where a promise is broken."""
    with _stack.running(name="ingest", has_web=True):
        before = _stack.count_posts()
        spent = [_spent()]
        bulk = _bulk()
        spent.append(_spent())
        stored_bulk = _stack.count_posts() - before
        single = _single()
        spent.append(_spent())
        stored_single = _stack.count_posts() - before - stored_bulk
    print(f"{before} posts were stored before")
    is_kept = _report("bulk", bulk, posts=stored_bulk, per="posts", promise=_BULK_PROMISE)
    is_kept &= _report("single", single, posts=stored_single, per="requests", promise=_SINGLE_PROMISE)
    print(f"CPU ms a post: bulk {1000 * (spent[1] - spent[0]) / stored_bulk:.2f},", end=" ")
    print(f"single {1000 * (spent[2] - spent[1]) / stored_single:.2f}")
    expected = (_BULK_POSTS, _SINGLE_POSTS)
    if (stored_bulk, stored_single) != expected:
        sys.exit(f"sent {expected}, stored {(stored_bulk, stored_single)}")
    sys.exit(0 if is_kept else 1)


def _spent() -> float:
    """Return the processor seconds of all servers so far."""
    return sum(_stack.processor_seconds().values())


def _bulk() -> _hammer.Result:
    lines = _lines(_BULK_POSTS)
    requests = [
        _hammer.request(
            path="/api/v1/posts:bulk",
            key=_stack.demo_key(),
            body=b"\n".join(lines[start : start + _LINES]),
            kind="application/x-ndjson",
        )
        for start in range(0, len(lines), _LINES)
    ]
    return _send(requests, connections=_BULK_CONNECTIONS)


def _single() -> _hammer.Result:
    requests = [
        _hammer.request(
            path="/api/v1/posts",
            key=_stack.demo_key(),
            body=post,
            kind="application/json",
        )
        for post in _lines(_SINGLE_POSTS)
    ]
    return _send(requests, connections=_SINGLE_CONNECTIONS)


def _lines(count: int) -> list[bytes]:
    run = f"ingest-{uuid.uuid4().hex[:8]}"
    posts = _posts.payloads(run=run, seed=7, count=count, seconds_per_post=1.0)
    return [json.dumps(post).encode() for post in posts]


def _send(requests: list[bytes], *, connections: int) -> _hammer.Result:
    file = Path(os.environ["SPAMDESK_STATE_DIR"]) / "requests"
    port = int(os.environ["SPAMDESK_WEB_PORT"])
    time.sleep(2)  # what the server did before is written
    return _hammer.send(requests, file=file, port=port, connections=connections)


def _report(name: str, result: _hammer.Result, *, posts: int, per: str, promise: int) -> bool:
    rate = posts / result.seconds
    p50, p95, p99 = np.percentile(result.answer_ms, (50, 95, 99))
    print(
        f"{name}: {posts} {per} in {result.seconds:.1f} s = {rate:,.0f} {per}/s"
        f" {'ok' if rate >= promise else f'UNDER {promise}'};"
        f" answers {result.statuses}, p50 {p50:.0f} p95 {p95:.0f} p99 {p99:.0f} ms"
    )
    return rate >= promise
