"""Does anybody notice 200 clients that send, or read, a byte every two seconds?

make bench ARGS=slow_clients      (starts a database, a broker and a web server of its own)

Also 1,000 clients that connect and say nothing. Each kind for itself and all of them mixed; meanwhile the
probe `/healthz` and a page of the desk are asked for again and again.
"""

from __future__ import annotations

import argparse
import http.client
import itertools
import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial

import httpx
import numpy as np
import psutil

from deploy.local.places import ROOT, State
from lab import _slow, _stack

_PROMISE_MS = 500


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--idle", type=int, default=1_000)
    parser.add_argument("--seconds", type=float, default=30, help="for each kind; the first 5 do not count")


def main(options: argparse.Namespace) -> None:
    """Measure each kind; exit code 1 where the promise is broken."""
    _write_large_file(State(ROOT / ".state" / "bench" / "slow_clients"))
    with _stack.running(name="slow_clients", has_web=True):
        port = int(os.environ["SPAMDESK_WEB_PORT"])
        print(f"{'ms':<40}  {'healthz p50':>12}{'p95':>8}{'max':>8}  {'page p50':>10}{'p95':>8}{'max':>8}")
        is_kept = _measure("nobody", [], port=port, options=options)
        for name, kinds in _crowds(options).items():
            is_kept &= _measure(name, kinds, port=port, options=options)
    sys.exit(0 if is_kept else 1)


def _crowds(options: argparse.Namespace) -> dict[str, list[_slow.Kind]]:
    token = httpx.get(f"{_stack.web_url()}/sign-in/", timeout=30, trust_env=False).cookies["csrftoken"]
    kinds = _slow.kinds(key=_stack.demo_key(), token=token)
    crowds = {kind.name: [kind] * options.clients for kind in kinds}
    crowds["all of these, mixed"] = list(itertools.islice(itertools.cycle(kinds), options.clients))
    crowds["idle"] = [_slow.IDLE] * options.idle
    crowds["half a request"] = [
        _slow.Kind(name="half a request", opening=b"POST /sign-in/ HT", sends=b"")
    ] * options.idle
    return crowds


def _measure(name: str, kinds: Sequence[_slow.Kind], *, port: int, options: argparse.Namespace) -> bool:
    before = web_processes()
    with _slow.Crowd(port, kinds) as crowd, ThreadPoolExecutor(2) as pool:
        time.sleep(5)
        probes = [
            pool.submit(_slow.probe, partial(_status, port, path), seconds=options.seconds - 5)
            for path in ("/healthz", "/sign-in/")
        ]
        healthz, page = (probe.result() for probe in probes)
    print(
        f"{name:<34}{len(kinds):>6}  {_figures(healthz, 12)}  {_figures(page, 10)}   {dict(crowd.ends) or ''}"
    )
    if web_processes() != before:
        print("a web process was replaced")
    return (
        all(np.percentile(waits, 95) < _PROMISE_MS for waits in (healthz, page)) and web_processes() == before
    )


def _figures(waits: Sequence[float], width: int) -> str:
    p50, p95 = np.percentile(waits, (50, 95), method="lower")
    return f"{p50:>{width}.0f}{p95:>8.0f}{max(waits):>8.0f}"


def _status(port: int, path: str) -> int:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
        connection.request("GET", path, headers={"Host": "localhost"})
        answer = connection.getresponse()
        answer.read()
        return answer.status


def _write_large_file(state: State) -> None:
    (state.folder("static") / "large.bin").write_bytes(b"x" * 20_000_000)


def web_processes() -> set[int]:
    """Return the processes that listen on the web server's port."""
    return {
        process.pid
        for process in psutil.Process().children(recursive=True)
        if "config.server" in " ".join(process.cmdline())
    }
