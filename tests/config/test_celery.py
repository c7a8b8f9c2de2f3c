"""What a worker does before it forks."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("queues", "imports"), [(["scoring"], "False"), (["campaigns", "explanations"], "True")], ids=str
)
def test_only_a_worker_that_explains_words_imports_shap(queues: list[str], imports: str) -> None:
    program = (
        "import sys; from config.celery import app;"
        f"worker = app.WorkController(queues={queues!r}, pool_cls='solo');"
        "print('shap' in sys.modules)"
    )

    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout

    assert printed.split()[-1] == imports
