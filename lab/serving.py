"""How much faster is Triton than TorchScript behind FastAPI? Same weights, machine and run, asked in turns.

.venv/bin/python -m lab serving
.venv/bin/python -m lab serving --load-test 1000 --texts ../shared/data/sms_uci.jsonl --callers 32

Nothing needs to run. The ratios are against the peer padded to 128, as the published comparison has it, and
against the fairer one that pads to the longest text of its call. Asked are curated posts that no model
learned; a load test asks each of the published one's four texts so often, from the SMS collection that
--texts names.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import numpy as np
import tritonclient.grpc

from deploy.local import ports
from deploy.local.places import ROOT, State
from deploy.local.service import NotYet, Service
from deploy.local.supervisor import Supervisor
from deploy.local.triton import Triton
from lab import _stack
from training import dataset
from training.dataset import Split
from training.train_content import OWN_TEXTS

PEERS = ("128", "batch")
# The published load test asks with four messages of the SMS Spam Collection (CC BY 4.0), by their id there.
PUBLISHED_IDS = ("40af7c84d3e93eae", "c15a0102e0ab45f6", "cc37fee8920317a1", "5fa99fa3bc1eb077")
_WARM_SECONDS = 1.0

Ask = Callable[[list[str]], None]


@dataclass(frozen=True, kw_only=True)
class Server:
    """A server under a name, and what makes the function with which a caller asks it."""

    name: str
    connect: Callable[[], Ask]


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One kind of load: callers that each send calls of `batch` texts."""

    callers: int
    batch: int = 1

    @property
    def name(self) -> str:
        """Its name in the table."""
        batches = f", batches of {self.batch}" if self.batch > 1 else ""
        return f"{self.callers} callers{batches}"


@dataclass(frozen=True, kw_only=True)
class Speed:
    """What one server did in one cell."""

    texts_per_second: float
    p50_ms: float
    p99_ms: float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--repository", type=Path, default=_stack.SHIPPED, help="the one that Triton serves")
    parser.add_argument("--callers", nargs="+", type=int, default=[1, 8, 32])
    parser.add_argument("--batch", type=int, default=32, help="texts a call of the one caller with batches")
    parser.add_argument("--seconds", type=float, default=5.0, help="of each cell, after a second of warm-up")
    parser.add_argument(
        "--load-test", type=int, default=0, metavar="REPEATS", help="a load test instead: each text so often"
    )
    parser.add_argument(
        "--texts",
        type=Path,
        default=Path("../shared/data/sms_uci.jsonl"),
        help="SMS collection with the load test's texts",
    )


def main(options: argparse.Namespace) -> None:
    """Start the servers, ask them in turn cell by cell, print each with its ratios."""
    repeats = options.load_test
    cells = [Cell(callers=count) for count in options.callers]
    if repeats:
        texts = published(options.texts)
    else:
        texts = [example.text for example in dataset.part(dataset.load(OWN_TEXTS), split=Split.TEST)]
        cells.append(Cell(callers=1, batch=options.batch))
    with _running(options.repository) as servers:
        for cell in cells:
            speeds = [
                measure(server, cell=cell, texts=texts, seconds=options.seconds, repeats=repeats)
                for server in servers
            ]
            _print(cell, servers=servers, speeds=speeds)


def published(collection: Path) -> list[str]:
    """Return the published load test's four texts from the SMS collection in JSON lines, in its order.

    Raises KeyError naming an id that the file lacks.
    """
    rows = map(json.loads, collection.read_text(encoding="utf-8").splitlines())
    texts = {row["id"]: row["text"] for row in rows if row["id"] in PUBLISHED_IDS}
    return [texts[id_] for id_ in PUBLISHED_IDS]


def measure(server: Server, *, cell: Cell, texts: Sequence[str], seconds: float, repeats: int = 0) -> Speed:
    """Ask in a closed loop: each caller sends its next call when the last is answered.

    After a warm-up for `seconds`, or with `repeats` until each text was asked so often.
    """
    stream = itertools.cycle(texts)
    calls = itertools.count()
    lock = threading.Lock()
    start = time.perf_counter() + _WARM_SECONDS

    def next_call() -> list[str] | None:
        with lock:
            measured_seconds = time.perf_counter() - start
            if repeats:
                is_over = measured_seconds >= 0 and next(calls) >= repeats * len(texts)
            else:
                is_over = measured_seconds >= seconds
            return None if is_over else list(itertools.islice(stream, cell.batch))

    def caller(_number: int) -> list[float]:
        ask, latencies = server.connect(), []
        while (call := next_call()) is not None:
            began = time.perf_counter()
            ask(call)
            if began >= start:
                latencies.append(time.perf_counter() - began)
        return latencies

    with ThreadPoolExecutor(cell.callers) as pool:
        latencies = np.array(list(itertools.chain.from_iterable(pool.map(caller, range(cell.callers)))))
    # Little's law: callers over their mean latency, for few and slow calls, too.
    return Speed(
        texts_per_second=cell.callers * cell.batch / float(latencies.mean()),
        p50_ms=float(np.percentile(latencies, 50)) * 1000,
        p99_ms=float(np.percentile(latencies, 99)) * 1000,
    )


@contextmanager
def _running(repository: Path) -> Iterator[list[Server]]:
    """Start the peers and Triton, last, with the weights of a repository; stop them in the end."""
    with tempfile.TemporaryDirectory(prefix="spamdesk-serving-") as folder:
        state = State(Path(folder) / "state")
        with Supervisor(
            logs=state.folder("logs"), mark=str(state.path), environment=os.environ, say=lambda _line: None
        ) as supervisor:
            peers = {pad: ports.free() for pad in PEERS}
            triton = Triton(
                state=state, grpc_port=ports.free(), metrics_port=ports.free(), repository=repository
            )
            services = [_peer(pad, port=port, repository=repository) for pad, port in peers.items()]
            supervisor.bring_up(*services, triton.service())
            yield [
                *(_torchscript(pad, port=port) for pad, port in peers.items()),
                _triton(triton.url.removeprefix("grpc://")),
            ]


def _peer(pad: str, *, port: int, repository: Path) -> Service:
    command = [sys.executable, "-m", "lab._torchscript", f"--repository={repository}", f"--pad={pad}"]

    def check() -> None:
        if not httpx.get(f"http://{ports.LOOPBACK}:{port}/ready", timeout=2).is_success:
            raise NotYet("not ready")

    return Service(name=f"peer-{pad}", command=(*command, f"--port={port}"), folder=ROOT, check=check)


def _torchscript(pad: str, *, port: int) -> Server:
    def connect() -> Ask:
        client = httpx.Client(timeout=600)

        def ask(texts: list[str]) -> None:
            answer = client.post(f"http://{ports.LOOPBACK}:{port}/predict", json={"texts": texts})
            assert len(answer.raise_for_status().json()["logits"]) == len(texts)

        return ask

    return Server(name=f"TorchScript, padded to {'128' if pad == '128' else 'the batch'}", connect=connect)


def _triton(address: str) -> Server:
    def connect() -> Ask:
        client = tritonclient.grpc.InferenceServerClient(address)

        def ask(texts: list[str]) -> None:
            tensor = tritonclient.grpc.InferInput("TEXT", [len(texts), 1], "BYTES")
            rows = np.array([text.encode() for text in texts], dtype=np.object_).reshape(-1, 1)
            tensor.set_data_from_numpy(rows)
            assert client.infer("content", [tensor]).as_numpy("logits").shape == (len(texts), 2)

        return ask

    return Server(name="Triton", connect=connect)


def _print(cell: Cell, *, servers: Sequence[Server], speeds: Sequence[Speed]) -> None:
    """Print what each server did, and Triton's texts a second and median latency over each peer's."""
    print(f"\n{cell.name}")
    ours = speeds[-1]
    for server, speed in zip(servers, speeds, strict=True):
        ratios = f"{ours.texts_per_second / speed.texts_per_second:.1f} x, 1/{speed.p50_ms / ours.p50_ms:.1f}"
        print(
            f"  {server.name:<32}{speed.texts_per_second:>9.1f} texts/s   p50 {speed.p50_ms:>7.1f} ms"
            f"   p99 {speed.p99_ms:>7.1f} ms   Triton: {ratios}",
            flush=True,
        )
