"""Served, one server after the other: the published load test, and one caller with texts of known length."""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from google.protobuf import text_format

from lab._serving import client, servers, texts
from lab._serving.servers import Server

_SERVED = Path(__file__).with_name("served")
_SECONDS_TO_START = 6.0  # of client processes, before they begin together


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One kind of load. `repeats` makes it the load test: each text so often; else one caller for a while."""

    name: str
    asked: list[str]
    repeats: int = 0
    clients: int = 1
    threads: int = 1
    seconds: float = 0.0


def cells(*, repeats: int, collection: Path | None, tokenizer: Path, seconds: float) -> list[Cell]:
    """Return the loads: the published one by one client and by four; one caller, 16 and 128 tokens."""
    lines = texts.published(collection) if collection else list(texts.OWN_LOAD_TEST)
    loads = [
        Cell(name=f"{len(lines)} texts x {repeats}, 32 threads", asked=lines, repeats=repeats, threads=32),
        Cell(
            name=f"{len(lines)} texts x {repeats}, 4 clients of 8 threads",
            asked=lines,
            repeats=repeats // 4,
            clients=4,
            threads=8,
        ),
    ]
    for tokens in (16, 128):
        sample = texts.exactly(tokens, tokenizer=tokenizer, count=500)
        loads.append(Cell(name=f"one caller, {tokens} tokens", asked=sample, seconds=seconds))
    return loads


def under_python(repository: Path) -> None:
    """Let Triton's Python backend run the plan of a repository; the wheel's server has none for plans."""
    from tritonclient.grpc import model_config_pb2

    path = repository / "distilbert" / "config.pbtxt"
    config: Any = text_format.Parse(path.read_text(), model_config_pb2.ModelConfig())
    config.backend = "python"
    config.ClearField("default_model_filename")
    config.ClearField("optimization")
    config.instance_group[0].kind = config.instance_group[0].KIND_CPU  # the plan finds its GPU by itself
    path.write_text(text_format.MessageToString(config))
    for file in ("model.py", "plan.py"):
        shutil.copyfile(_SERVED / file, repository / "distilbert" / "1" / file)
    shutil.rmtree(repository / "topics", ignore_errors=True)


def measure(
    loads: list[Cell], *, scripts: dict[str, Path], repository: Path, tokenizer: Path, device: str, turns: int
) -> list[dict[str, Any]]:
    """Ask every server in turns; return a row for each cell, server and turn."""
    rows = []
    with (
        tempfile.TemporaryDirectory(prefix="spamdesk-gpu-") as name,
        servers.running(folder=Path(name)) as start,
    ):
        targets = [
            start.peer(pad=pad, script=script, tokenizer=tokenizer, device=device, says=label)
            for label, script in scripts.items()
            for pad in ("128", "batch")
        ]
        targets.append(start.triton_on(repository, name="tensorrt"))
        for turn in range(turns):
            for cell in loads:
                for server in targets:
                    figures = once(cell, server=server)
                    rows.append({"cell": cell.name, "server": server.name, "turn": turn, **figures})
                    print(json.dumps(rows[-1]), flush=True)
    return rows


def once(cell: Cell, *, server: Server) -> dict[str, float]:
    """Ask one server once."""
    job = {
        "server": server.kind,
        "address": server.address,
        "is_thread_pool": bool(cell.repeats),
        "texts": cell.asked,
        "repeats": cell.repeats,
        "callers": cell.threads,
        "batch": 1,
        "seconds": cell.seconds,
        "warm_seconds": 2.0,
    }
    if cell.clients > 1:
        job["start_at"] = time.time() + _SECONDS_TO_START
    with ThreadPoolExecutor(cell.clients) as pool:
        reports = list(pool.map(client.run_apart, [job] * cell.clients))
    return summed_up(reports)


def summed_up(reports: list[dict[str, Any]]) -> dict[str, float]:
    """Return the figures of all clients."""
    times = np.concatenate([report["latencies"] for report in reports]) * 1_000
    p50, p95, p99 = np.percentile(times, [50, 95, 99])
    rate = reports[0]["calls_per_second"]
    if "started" in reports[0]:
        began = min(report["started"] for report in reports)
        rate = len(times) / (max(report["ended"] for report in reports) - began)
    return {
        "texts_per_second": float(rate),
        "p50_ms": float(p50),
        "p95_ms": float(p95),
        "p99_ms": float(p99),
        "client_cpu_seconds": float(sum(report["client_cpu_seconds"] for report in reports)),
    }


def table(rows: list[dict[str, Any]]) -> str:
    """Return the medians over the turns, and how many times the first server's texts a second."""
    lines = [
        "| load | server | texts/s | of the turns | p50 ms | p95 ms | times the first |",
        "|---|---|--:|---|--:|--:|--:|",
    ]
    by_cell: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for row in rows:
        by_cell.setdefault(row["cell"], {}).setdefault(row["server"], []).append(row)
    for cell, by_server in by_cell.items():
        first = _median(next(iter(by_server.values())), "texts_per_second")
        for server, turns in by_server.items():
            rate = _median(turns, "texts_per_second")
            rates = [turn["texts_per_second"] for turn in turns]
            lines.append(
                f"| {cell} | {server} | {rate:.1f} | {min(rates):.1f} to {max(rates):.1f} "
                f"| {_median(turns, 'p50_ms'):.2f} | {_median(turns, 'p95_ms'):.2f} | {rate / first:.1f} |"
            )
    return "\n".join(lines)


def _median(turns: list[dict[str, Any]], name: str) -> float:
    return float(np.median([turn[name] for turn in turns]))
