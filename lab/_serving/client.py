"""The client, a process of its own: sends texts from so many callers for so long, reports what it saw.

Reads one job as JSON from standard input, writes one report as JSON: seconds from send to answer by call.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from deploy.local.places import ROOT

_FEWEST_CALLS = 3  # of each caller, however slow the server

Ask = Callable[[list[str]], Awaitable[None]]


def run_apart(job: dict[str, Any]) -> dict[str, Any]:
    """Do a job in a process of its own and return the report. Raises CalledProcessError."""
    result = subprocess.run(
        [sys.executable, "-m", "lab._serving.client"],
        input=json.dumps(job),
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        check=True,
    )
    report: dict[str, Any] = json.loads(result.stdout)
    return report


def main() -> None:
    """Do the job of standard input."""
    job = json.load(sys.stdin)
    start = time.process_time()
    report = _thread_pool(job) if job["is_thread_pool"] else asyncio.run(_callers(job))
    json.dump(report | {"client_cpu_seconds": time.process_time() - start}, sys.stdout)


async def _callers(job: dict[str, Any]) -> dict[str, Any]:
    """Closed loop: every caller sends its next texts when the answer to its last is there.

    So throughput is callers over mean latency (Little's law), for few and slow calls, too.
    """
    batches = _batches(job["texts"], size=job["batch"])
    async with _Asynchronous(job) as ask:
        warm_until = time.perf_counter() + job["warm_seconds"]
        end = warm_until + job["seconds"]
        calls = [_caller(ask, batches, warm_until=warm_until, end=end) for _ in range(job["callers"])]
        latencies = list(itertools.chain.from_iterable(await asyncio.gather(*calls)))
    return {"latencies": latencies, "calls_per_second": job["callers"] / float(np.mean(latencies))}


async def _caller(ask: Ask, batches: Iterator[list[str]], *, warm_until: float, end: float) -> list[float]:
    latencies: list[float] = []
    while (start := time.perf_counter()) < end or len(latencies) < _FEWEST_CALLS:
        await ask(next(batches))
        if start >= warm_until:
            latencies.append(time.perf_counter() - start)
    return latencies


def _batches(texts: list[str], *, size: int) -> Iterator[list[str]]:
    stream = itertools.cycle(texts)
    while True:
        yield list(itertools.islice(stream, size))


class _Asynchronous:
    """A connection as callers share one; `async with` gives the function that asks."""

    def __init__(self, job: dict[str, Any]) -> None:
        self._job = job

    async def __aenter__(self) -> Ask:
        if self._job["server"] == "triton":
            import tritonclient.grpc.aio

            self._client: Any = tritonclient.grpc.aio.InferenceServerClient(self._job["address"])
            return self._ask_triton
        import aiohttp

        self._client = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))
        return self._ask_peer

    async def __aexit__(self, *_: object) -> None:
        await self._client.close()

    async def _ask_triton(self, texts: list[str]) -> None:
        import tritonclient.grpc

        answer = await self._client.infer("content", [_tensor(tritonclient.grpc, texts)])
        assert answer.as_numpy("logits").shape == (len(texts), 2)

    async def _ask_peer(self, texts: list[str]) -> None:
        async with self._client.post(self._job["address"], json={"texts": texts}) as answer:
            answer.raise_for_status()
            assert len((await answer.json())["logits"]) == len(texts)


def _thread_pool(job: dict[str, Any]) -> dict[str, Any]:
    """The published load test's way: each text so many times, from a thread pool of blocking clients."""
    local = threading.local()

    def ask(text: str) -> float:
        if not hasattr(local, "ask"):
            local.ask = _blocking(job)
        start = time.perf_counter()
        local.ask([text])
        return time.perf_counter() - start

    texts = [text for _ in range(job["repeats"]) for text in job["texts"]]
    with ThreadPoolExecutor(job["callers"]) as pool:
        list(pool.map(ask, texts[: 4 * job["callers"]]))
        while time.time() < job.get("start_at", 0):  # several clients begin together
            list(pool.map(ask, texts[: job["callers"]]))
        begin = time.time()
        latencies = list(pool.map(ask, texts))
    end = time.time()
    return {
        "latencies": latencies,
        "calls_per_second": len(texts) / (end - begin),
        "started": begin,
        "ended": end,
    }


def _blocking(job: dict[str, Any]) -> Callable[[list[str]], None]:
    if job["server"] == "triton":
        import tritonclient.grpc

        client = tritonclient.grpc.InferenceServerClient(job["address"])
        return lambda texts: client.infer("content", [_tensor(tritonclient.grpc, texts)]).as_numpy("logits")
    import httpx

    session = httpx.Client(timeout=600)
    return lambda texts: session.post(job["address"], json={"texts": texts}).raise_for_status().json()


def _tensor(protocol: Any, texts: list[str]) -> Any:
    tensor = protocol.InferInput("TEXT", [len(texts), 1], "BYTES")
    tensor.set_data_from_numpy(np.array([text.encode() for text in texts], dtype=np.object_).reshape(-1, 1))
    return tensor


if __name__ == "__main__":
    main()
