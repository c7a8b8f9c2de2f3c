"""How much faster is Triton than TorchScript behind FastAPI? Same weights, machine and run; the client apart.

.venv/bin/python -m lab serving --model full         (a DistilBERT of full size, random weights)
.venv/bin/python -m lab serving --model shipped
.venv/bin/python -m lab serving --model full --load-test 1000 --texts sms_uci.jsonl

Nothing needs to run. The ratios are against the peer padded to 128, as the published comparison has it, and
against the fairer one that pads to the longest text of its call. A load test asks four texts so often each:
those of the published one, from the SMS collection that --texts names, else four of this project's own.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lab._serving import client, machine, models, servers, texts
from lab._serving.servers import Server

_QUIET_CORES = 0.1  # more than this of others' work and a cell is measured again
_ENOUGH_FOR_P99 = 100


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One kind of load; `repeats` makes it a load test, so often each text."""

    kind: str
    callers: int
    batch: int = 1
    repeats: int = 0

    @property
    def name(self) -> str:
        """Its name in the table."""
        if self.repeats:
            return f"load test of {self.kind} 4 x {self.repeats}, {self.callers} threads"
        return (
            f"{self.kind}, batches of {self.batch}"
            if self.batch > 1
            else f"{self.kind}, {self.callers} callers"
        )


@dataclass(frozen=True, kw_only=True)
class Found:
    """What one server did in one cell; `others` is the cores that everybody else used meanwhile."""

    texts_per_second: float
    p50_ms: float
    p99_ms: float
    client_cores: float
    others: float


def main() -> None:
    """Start the servers, ask them in turn cell by cell, print the tables."""
    options = _options()
    with (
        tempfile.TemporaryDirectory(prefix="spamdesk-serving-") as name,
        servers.running(folder=Path(name)) as start,
    ):
        asked = models.start(options, start=start, folder=Path(name))
        table: dict[Cell, list[Found]] = {}
        for cell in _cells(options):
            table[cell] = [_measure(cell, server=server, options=options) for server in asked]
            _print_row(cell, table[cell], asked)
        _print_ratios(table, asked)
    if options.out:
        options.out.write_text(json.dumps(_report(table, asked), indent=1) + "\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    models.add_arguments(parser)
    parser.add_argument("--kinds", nargs="+", choices=texts.KINDS, default=list(texts.KINDS))
    parser.add_argument("--callers", nargs="+", type=int, default=[1, 8, 32])
    parser.add_argument(
        "--batch", type=int, default=32, help="texts a call of the one caller with batches; 0: none"
    )
    parser.add_argument(
        "--seconds", type=float, default=5.0, help="of each cell, after one second of warm-up"
    )
    parser.add_argument(
        "--load-test", type=int, default=0, metavar="REPEATS", help="a load test instead: each text so often"
    )
    parser.add_argument("--texts", type=Path, help="SMS collection with the published load test's texts")
    parser.add_argument("--threads", type=int, default=32, help="of the load test")
    parser.add_argument("--attempts", type=int, default=3, help="at each cell, until nobody else computes")
    parser.add_argument("--out", type=Path, help="also write every figure here, as JSON")
    return parser.parse_args()


def _cells(options: argparse.Namespace) -> list[Cell]:
    if options.load_test:
        return [
            Cell(
                kind="published texts" if options.texts else "own texts",
                callers=options.threads,
                repeats=options.load_test,
            )
        ]
    cells = []
    for kind in options.kinds:
        cells += [Cell(kind=kind, callers=callers) for callers in options.callers]
        cells += [Cell(kind=kind, callers=1, batch=options.batch)] * bool(options.batch)
    return cells


def _measure(cell: Cell, *, server: Server, options: argparse.Namespace) -> Found:
    """Measure until the machine was quiet, at most --attempts times; the quietest counts."""
    attempts = []
    for _ in range(options.attempts):
        attempts.append(_measure_once(cell, server=server, options=options))
        if attempts[-1].others <= _QUIET_CORES:
            break
    return min(attempts, key=lambda attempt: attempt.others)


def _measure_once(cell: Cell, *, server: Server, options: argparse.Namespace) -> Found:
    job = {
        "server": server.kind,
        "address": server.address,
        "is_thread_pool": bool(cell.repeats),
        "texts": _texts(cell, options=options),
        "repeats": cell.repeats,
        "callers": cell.callers,
        "batch": cell.batch,
        "seconds": options.seconds,
        "warm_seconds": 1.0,
    }
    busy, own = machine.busy_seconds(), machine.own_seconds()
    start = time.monotonic()
    report = client.run_apart(job)
    elapsed = time.monotonic() - start
    others = (machine.busy_seconds() - busy - machine.own_seconds() + own) / elapsed
    latencies = np.array(report["latencies"]) * 1000
    return Found(
        texts_per_second=report["calls_per_second"] * cell.batch,
        p50_ms=float(np.percentile(latencies, 50)),
        p99_ms=float(np.percentile(latencies, 99)) if len(latencies) >= _ENOUGH_FOR_P99 else math.nan,
        client_cores=report["client_cpu_seconds"] / elapsed,
        others=max(0.0, others),
    )


def _texts(cell: Cell, *, options: argparse.Namespace) -> list[str]:
    if cell.repeats:
        return texts.published(options.texts) if options.texts else list(texts.OWN_LOAD_TEST)
    return texts.make(kind=cell.kind, tokenizer=models.tokenizer(options), count=2000)


def _print_row(cell: Cell, row: list[Found], asked: list[Server]) -> None:
    """Print what each server did, as soon as it is known."""
    print(f"\n{cell.name}")
    for server, result in zip(asked, row, strict=True):
        p99 = "-" if math.isnan(result.p99_ms) else f"{result.p99_ms:.1f}"
        print(
            f"  {server.name:<36}{result.texts_per_second:>9.1f} texts/s   p50 {result.p50_ms:>7.1f} ms"
            f"   p99 {p99:>7} ms   client {result.client_cores:.2f} cores, others {result.others:.2f}",
            flush=True,
        )


def _print_ratios(table: dict[Cell, list[Found]], asked: list[Server]) -> None:
    """Print Triton over each peer: texts a second, and median latency."""
    peers = [index for index, server in enumerate(asked) if server.kind == "peer"]
    for number, server in enumerate(asked):
        if server.kind == "peer":
            continue
        print(
            f"\n{server.name}: times the texts/s of a peer, and its median latency as a share of the peer's"
        )
        print(f"{'':<34}" + "".join(f"{asked[peer].name.rpartition(',')[2]:>28}" for peer in peers))
        for cell, row in table.items():
            figures = [_ratio(row[number], row[peer]) for peer in peers]
            print(f"{cell.name:<34}" + "".join(f"{figure:>28}" for figure in figures))


def _ratio(found: Found, peer: Found) -> str:
    return f"{found.texts_per_second / peer.texts_per_second:.1f} x, 1/{peer.p50_ms / found.p50_ms:.1f}"


def _report(table: dict[Cell, list[Found]], asked: list[Server]) -> list[dict[str, Any]]:
    return [
        {"cell": cell.name, "server": server.name, **dataclasses.asdict(result)}
        for cell, row in table.items()
        for server, result in zip(asked, row, strict=True)
    ]
