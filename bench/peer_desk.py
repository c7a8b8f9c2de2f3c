"""How fast is Label Studio for the next task and for an export of 100,000 tasks?

make bench ARGS="peer_desk --install"      (a gigabyte, into .state)
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from deploy.local import ports
from deploy.local.places import ROOT

VERSION = "1.23.2"
_TOKEN = "0123456789abcdef0123456789abcdef01234567"  # of a server that only this measurement talks to
_CONFIG = (
    '<View><Text name="text" value="$text"/><Choices name="verdict" toName="text">'
    '<Choice value="spam"/><Choice value="not spam"/></Choices></View>'
)
_VERDICT = [{"from_name": "verdict", "to_name": "text", "type": "choices", "value": {"choices": ["spam"]}}]
_PER_IMPORT = 5_000


def main() -> None:
    """Install if asked, fill two projects, measure, print."""
    options = _options()
    home = ROOT / ".state" / "bench" / "label-studio"
    if options.install:
        _install(home / "venv")
    if not (home / "venv" / "bin" / "label-studio").exists():
        sys.exit("Label Studio is not installed: --install.")
    with _server(home) as api:
        print(f"Label Studio {VERSION}, `label-studio start` with its own SQLite; {options.tasks:,} tasks")
        _next(api, options)
        _export(api, options)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--install", action="store_true")
    parser.add_argument("--tasks", type=int, default=100_000)
    parser.add_argument("--claims", type=int, default=60, help="tasks taken and annotated, one after another")
    return parser.parse_args()


def _install(place: Path) -> None:
    uv = str(Path(sys.executable).with_name("uv"))
    subprocess.run([uv, "venv", "--quiet", "--clear", str(place)], check=True)
    subprocess.run(
        [uv, "pip", "install", "--quiet", "--python", str(place), f"label-studio=={VERSION}"], check=True
    )


@contextmanager
def _server(home: Path) -> Iterator[httpx.Client]:
    """Start it, wait until it answers, and stop it at the end."""
    port, environment = ports.free(), _environment(home)
    shutil.rmtree(home / "data", ignore_errors=True)
    command = [str(home / "venv" / "bin" / "label-studio"), "start", "--no-browser", f"--port={port}"]
    command += ["--username=bench@example.org", "--password=bench-bench", f"--user-token={_TOKEN}"]
    command += ["--enable-legacy-api-token", "--internal-host=127.0.0.1"]
    with (home / "server.log").open("wb") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    headers = {"Authorization": f"Token {_TOKEN}"}
    try:
        with httpx.Client(
            base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=600, trust_env=False
        ) as api:
            _wait(api)
            yield api
    finally:
        process.terminate()
        process.wait(30)


def _environment(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("DATABASE", "DJANGO"))}
    return {
        **kept,
        "DJANGO_DB": "sqlite",
        "LABEL_STUDIO_BASE_DATA_DIR": str(home / "data"),
        "COLLECT_ANALYTICS": "false",
        "LATEST_VERSION_CHECK": "false",
        "SENTRY_DSN": "",
        "FRONTEND_SENTRY_DSN": "",
    }


def _wait(api: httpx.Client) -> None:
    for _ in range(180):
        try:
            if api.get("/api/projects/").status_code == httpx.codes.OK:
                return
        except httpx.TransportError:
            pass
        time.sleep(1)
    sys.exit("Label Studio does not answer; see its server.log")


def _project(api: httpx.Client, title: str, *, tasks: int, is_annotated: bool) -> int:
    answer = api.post("/api/projects/", json={"title": title, "label_config": _CONFIG})
    project = int(answer.raise_for_status().json()["id"])
    began = time.perf_counter()
    for start in range(0, tasks, _PER_IMPORT):
        rows: list[dict[str, Any]] = [
            {"data": {"text": f"number {number} grey cat near the river"}}
            | ({"annotations": [{"result": _VERDICT}]} if is_annotated else {})
            for number in range(start, min(tasks, start + _PER_IMPORT))
        ]
        api.post(f"/api/projects/{project}/import", json=rows).raise_for_status()
    seconds = time.perf_counter() - began
    print(f"import of {tasks:,} tasks: {tasks / seconds:,.0f}/s", flush=True)
    return project


def _next(api: httpx.Client, options: argparse.Namespace) -> None:
    project = _project(api, "open", tasks=options.tasks, is_annotated=False)
    took = []
    for _ in range(options.claims):
        began = time.perf_counter()
        task = api.get(f"/api/projects/{project}/next/").raise_for_status().json()
        took.append(1000 * (time.perf_counter() - began))
        api.post(f"/api/tasks/{task['id']}/annotations/", json={"result": _VERDICT}).raise_for_status()
    p50, p95 = np.percentile(took, (50, 95))
    print(f"next task, one reviewer: p50 {p50:.0f} ms, p95 {p95:.0f} ms", flush=True)


def _export(api: httpx.Client, options: argparse.Namespace) -> None:
    project = _project(api, "done", tasks=options.tasks, is_annotated=True)
    began = time.perf_counter()
    size = 0
    with api.stream("GET", f"/api/projects/{project}/export", params={"exportType": "JSON"}) as answer:
        answer.raise_for_status()
        for chunk in answer.iter_bytes():
            size += len(chunk)
    seconds = time.perf_counter() - began
    print(
        f"export: {options.tasks:,} tasks, {size / 1e6:.0f} MB in {seconds:.1f} s"
        f" = {options.tasks / seconds:,.0f}/s"
    )


if __name__ == "__main__":
    main()
