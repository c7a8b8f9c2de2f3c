"""Compiled modules are kept, outside the checkout where the caller wants none beside the sources."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.local import bytecode


def test_is_kept_in_the_environment_where_none_may_lie_beside_the_sources(tmp_path: Path) -> None:
    source, environment = tmp_path / "source", tmp_path / "environment"
    source.mkdir()
    (source / "small.py").write_text("")
    variables = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    variables.pop("PYTHONPYCACHEPREFIX", None)

    bytecode.keep(variables, environment=environment)
    subprocess.run([sys.executable, "-c", "import small"], cwd=source, env=variables, check=True)

    assert [path.name for path in source.iterdir()] == ["small.py"]
    assert [path.name.split(".")[0] for path in environment.rglob("small*.pyc")] == ["small"]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({}, {}),
        ({"PYTHONDONTWRITEBYTECODE": ""}, {}),
        ({"PYTHONPYCACHEPREFIX": "/own"}, {"PYTHONPYCACHEPREFIX": "/own"}),
        ({"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPYCACHEPREFIX": "/own"}, {"PYTHONPYCACHEPREFIX": "/own"}),
        ({"PYTHONDONTWRITEBYTECODE": "1"}, {"PYTHONPYCACHEPREFIX": "/environment/bytecode"}),
    ],
)
def test_goes_where_the_caller_says(given: dict[str, str], kept: dict[str, str]) -> None:
    bytecode.keep(given, environment=Path("/environment"))

    assert given == kept
