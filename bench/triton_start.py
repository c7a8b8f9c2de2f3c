"""What the topics model adds to a start of Triton: seconds, processor and memory, both ways in turn."""

from __future__ import annotations

import argparse
import dataclasses
import math
import os
import statistics
import tempfile
import time
from pathlib import Path

import psutil

from deploy.local import ports
from deploy.local.places import State
from deploy.local.supervisor import Supervisor
from deploy.local.triton import Triton
from scoring.topics import TopicModel

_TOPICS = "--load-model=topics"
_WAYS = ("content alone", "content and topics")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Start:
    """One start: until the content model answers, with what all of Triton's processes used until then, and
    how long the first request about a topic takes, NaN without that model.
    """

    seconds: float
    processor_seconds: float
    megabytes: float
    first_request_seconds: float


def main() -> None:
    """Start each way once for every round, the ways alternating, and print the medians."""
    parser = argparse.ArgumentParser(prog="python -m bench triton_start", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    found: dict[str, list[Start]] = {way: [] for way in _WAYS}
    for _ in range(arguments.rounds):
        for way in _WAYS:
            found[way].append(_start(has_topics=way != _WAYS[0]))
    print(f"{arguments.rounds} starts each, medians; load average {os.getloadavg()[0]:.1f}")
    print("| loaded | s until it answers | processor s | PSS MB | s of the first request about a topic |")
    print("|---|--:|--:|--:|--:|")
    for way, starts in found.items():
        cells = [
            statistics.median(getattr(one, field.name) for one in starts)
            for field in dataclasses.fields(Start)
        ]
        print(f"| {way} | {cells[0]:.1f} | {cells[1]:.2f} | {cells[2]:.0f} | {cells[3]:.1f} |")


def _start(*, has_topics: bool) -> Start:
    with tempfile.TemporaryDirectory(prefix="triton-") as folder:
        triton = Triton(state=State(Path(folder)), grpc_port=ports.free(), metrics_port=ports.free())
        service = triton.service()
        if not has_topics:
            kept = tuple(word for word in service.command if word != _TOPICS)
            service = dataclasses.replace(service, command=kept)
        with Supervisor(
            logs=triton.state.folder("logs"), mark=folder, environment=os.environ, say=lambda _line: None
        ) as supervisor:
            began = time.monotonic()
            supervisor.launch(service)
            supervisor.wait_until_up([service.name])
            seconds = time.monotonic() - began
            served = _processes(folder)
            times = [one.cpu_times() for one in served]
            return Start(
                seconds=seconds,
                processor_seconds=sum(one.user + one.system for one in times),
                megabytes=sum(one.memory_full_info().pss for one in served) / 1e6,
                first_request_seconds=_first_request(triton.url) if has_topics else math.nan,
            )


def _first_request(url: str) -> float:
    began = time.monotonic()
    if not TopicModel(url=url, timeout_seconds=60).is_ready():
        raise SystemExit("the topics model does not answer")
    return time.monotonic() - began


def _processes(folder: str) -> list[psutil.Process]:
    """Return the server that holds its state in this folder, and its Python parts."""
    return [
        process
        for process in psutil.process_iter(["cmdline"])
        if any(folder in word for word in process.info["cmdline"] or ())
    ]
