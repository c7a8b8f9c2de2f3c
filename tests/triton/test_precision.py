"""What the DistilBERT step computes its floats in: the faster of the two that it knows, by the processor."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from deploy.local.places import ROOT
from tests.libraries import later, needs
from tests.triton.test_distilbert_step import inputs

pytestmark = needs("openvino")
openvino = later("openvino")

STEP = ROOT / "triton_repo" / "distilbert" / "1" / "model.py"
WITH_AMX = "vendor_id : GenuineIntel\nflags : fpu avx512f avx512_bf16 amx_bf16 amx_tile"
INTEL = "vendor_id : GenuineIntel\nflags : fpu avx512f avx512_bf16 avx512_vnni"
AMD = "vendor_id : AuthenticAMD\nflags : fpu avx512f avx512_bf16"
OLD_AMD = "vendor_id : AuthenticAMD\nflags : fpu avx2"


@pytest.fixture
def step(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Triton's own module exists inside its stub only; an empty one stands for it."""
    name = "triton_python_backend_utils"
    monkeypatch.setitem(sys.modules, name, ModuleType(name))
    spec = importlib.util.spec_from_file_location("distilbert_step", STEP)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("processor", "expected"), [(WITH_AMX, "bf16"), (AMD, "bf16"), (INTEL, "f32"), (OLD_AMD, "f32")]
)
def test_auto_is_bf16_where_that_is_faster(step: ModuleType, processor: str, expected: str) -> None:
    assert step.precision(wanted="auto", processor=processor) == expected


@pytest.mark.parametrize("wanted", ["f32", "bf16"])
def test_what_the_operator_sets_stands(step: ModuleType, wanted: str) -> None:
    for processor in (WITH_AMX, INTEL):
        assert step.precision(wanted=wanted, processor=processor) == wanted


def test_the_server_answers_in_that_precision(triton_client: Any, step: ModuleType) -> None:
    """BF16 changes these logits by about a hundred times the tolerance."""
    ids = np.random.default_rng(0).integers(1000, 30_000, size=(8, 16), dtype=np.int32)
    precision = step.precision(wanted="auto", processor=Path("/proc/cpuinfo").read_text())
    compiled = openvino.Core().compile_model(
        str(STEP.with_name("model.onnx")), "CPU", {"INFERENCE_PRECISION_HINT": precision}
    )
    expected = compiled({"input_ids": ids, "attention_mask": np.ones_like(ids)})["logits"]

    found = triton_client.infer("distilbert", inputs(ids, np.ones_like(ids))).as_numpy("logits")

    assert found == pytest.approx(expected, abs=1e-4)
