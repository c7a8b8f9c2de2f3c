"""A plan of another TensorRT is refused by name before Triton starts. Really run: docs/benchmarks.md."""

import ctypes
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from deploy import serve_plans
from deploy.local.places import ROOT


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    note = tmp_path / "distilbert" / "1" / "built_with.json"
    note.parent.mkdir(parents=True)
    note.write_text(json.dumps({"tensorrt": "10.13.3"}))
    return tmp_path


@pytest.mark.parametrize(
    ("here", "found"),
    [(101303, None), (101301, "this image has TensorRT 10.13.1"), (8601, "this image has TensorRT 8.6.1")],
)
def test_compares_with_the_library_of_the_image(
    repository: Path, monkeypatch: pytest.MonkeyPatch, here: int, found: str | None
) -> None:
    asked: list[str] = []

    def load(name: str) -> SimpleNamespace:
        asked.append(name)
        return SimpleNamespace(getInferLibVersion=lambda: here)

    monkeypatch.setattr(ctypes, "CDLL", load)

    said = list(serve_plans.refusals([repository]))

    assert asked == ["libnvinfer.so.10"]
    assert [found in line for line in said if found] == ([True] if found else [])
    assert bool(said) is (found is not None)


@pytest.mark.parametrize("has_plan", [True, False])
def test_starts_the_server_only_without_refusal(repository: Path, *, has_plan: bool) -> None:
    """As in the image: `serve_plans` passes on what has no recipe."""
    if not has_plan:
        (repository / "distilbert" / "1" / "built_with.json").unlink()
    program = [sys.executable, "-m", "deploy.serve_plans", "--plans=/nowhere"]
    served = [sys.executable, "-c", "print('served')", f"--model-repository={repository}"]

    done = subprocess.run([*program, *served], capture_output=True, text=True, check=False, cwd=ROOT)

    assert (done.returncode, done.stdout) == ((1, "") if has_plan else (0, "served\n"))
    assert ("built with TensorRT 10.13.3, this image has no TensorRT 10:" in done.stderr) is has_plan
