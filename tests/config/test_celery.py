"""What a worker does before it takes its first task."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from deploy.local import application
from deploy.local.places import ROOT, State


def test_a_worker_starts_without_shap() -> None:
    program = (
        "import sys; from config.celery import app;"
        "worker = app.WorkController(queues=['campaigns', 'explanations'], pool_cls='solo');"
        "print('shap' in sys.modules)"
    )

    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout

    assert printed.split()[-1] == "False"


def test_a_worker_imports_no_page() -> None:
    program = (
        "import sys; from config.celery import app;"
        "worker = app.WorkController(queues=['scoring'], pool_cls='solo');"
        "print('moderation.tasks' in sys.modules, 'config.urls' in sys.modules)"
    )

    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout

    assert printed.split()[-2:] == ["True", "False"]


@pytest.mark.whole
def test_a_worker_starts_where_nothing_can_be_written(broker: None, tmp_path: Path) -> None:
    [kind] = [one for one in application.workers() if one.name == "exports"]
    service = application.worker(kind, state=State(tmp_path))
    ready = Path(service.environment["SPAMDESK_READY_FILE"])

    with Path("/dev/full").open("wb") as log:
        variables = os.environ | dict(service.environment)
        worker = subprocess.Popen(service.command, cwd=ROOT, env=variables, stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + 60
        while not ready.exists():
            assert worker.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.1)
    finally:
        worker.kill()
        worker.wait()
