"""The DistilBERT step called directly: what it refuses, and what it computes its floats in."""

import importlib.util
import json
import math
import queue
import sys
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
import tritonclient.grpc
from numpy.typing import NDArray
from tritonclient.utils import InferenceServerException

from deploy.local.places import ROOT
from tests.libraries import later, needs

Ints = NDArray[np.int32]


def inputs(ids: Ints, mask: Ints) -> list[Any]:
    tensors = []
    for name, rows in (("input_ids", ids), ("attention_mask", mask)):
        tensor = tritonclient.grpc.InferInput(name, list(rows.shape), "INT32")
        tensor.set_data_from_numpy(rows)
        tensors.append(tensor)
    return tensors


def row(*ids: int) -> Ints:
    return np.array([ids], dtype=np.int32)


GOOD = row(101, 7592, 102)


def keep(answers: queue.Queue[tuple[int, Any]], *, index: int) -> Callable[..., None]:
    def callback(*, result: Any, error: Any) -> None:
        answers.put((index, error or result))

    return callback


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
    ("ids", "mask", "complaint"),
    [
        (row(101, 99_999_999, 102), row(1, 1, 1), "token id is outside"),
        (row(101, -1, 102), row(1, 1, 1), "token id is outside"),
        (row(101, 102), row(0, 0), "all zero"),
        (row(101, 102), row(1, 1, 1), "must both be"),
        (np.ones((1, 200), dtype=np.int32), np.ones((1, 200), dtype=np.int32), "1 to 128"),
    ],
)
def test_refuses_what_it_cannot_answer(triton_client: Any, ids: Ints, mask: Ints, complaint: str) -> None:
    with pytest.raises(InferenceServerException, match=complaint):
        triton_client.infer("distilbert", inputs(ids, mask))


def test_padding_and_what_stands_in_it_change_nothing(triton_client: Any) -> None:
    plain = triton_client.infer("distilbert", inputs(GOOD, np.ones_like(GOOD))).as_numpy("logits")
    padded = np.full((1, 100), 2023, dtype=np.int32)
    padded[:, :3] = GOOD
    mask = np.zeros_like(padded)
    mask[:, :3] = 1

    found = triton_client.infer("distilbert", inputs(padded, mask)).as_numpy("logits")

    assert found.tolist() == plain.tolist()


def test_one_bad_request_does_not_fail_its_batch(triton_client: Any) -> None:
    """Sent at once: while the first, large request keeps the model busy, the others join in one batch."""
    expected = triton_client.infer("distilbert", inputs(GOOD, np.ones_like(GOOD))).as_numpy("logits").tolist()
    busy = np.full((32, 128), 2023, dtype=np.int32)
    answers: queue.Queue[tuple[int, Any]] = queue.Queue()

    triton_client.async_infer("distilbert", inputs(busy, np.ones_like(busy)), lambda **_: None)
    for index in range(12):
        ids = row(101, 99_999_999, 102) if index == 5 else GOOD
        triton_client.async_infer("distilbert", inputs(ids, np.ones_like(ids)), keep(answers, index=index))

    found = dict(answers.get(timeout=30) for _ in range(12))
    assert "token id is outside" in str(found.pop(5))
    assert [answer.as_numpy("logits").tolist() for answer in found.values()] == [expected] * 11


@needs("openvino")
class TestPrecision:
    @pytest.mark.parametrize(
        ("processor", "expected"), [(WITH_AMX, "bf16"), (AMD, "bf16"), (INTEL, "f32"), (OLD_AMD, "f32")]
    )
    def test_auto_is_bf16_where_that_is_faster(self, step: ModuleType, processor: str, expected: str) -> None:
        assert step.precision(wanted="auto", processor=processor) == expected

    @pytest.mark.parametrize("wanted", ["f32", "bf16"])
    def test_what_the_operator_sets_stands(self, step: ModuleType, wanted: str) -> None:
        for processor in (WITH_AMX, INTEL):
            assert step.precision(wanted=wanted, processor=processor) == wanted

    def test_the_server_answers_in_that_precision(self, triton_client: Any, step: ModuleType) -> None:
        """BF16 changes these logits by about a hundred times the tolerance."""
        ids = np.random.default_rng(0).integers(1000, 30_000, size=(8, 16), dtype=np.int32)
        precision = step.precision(wanted="auto", processor=Path("/proc/cpuinfo").read_text())
        compiled = openvino.Core().compile_model(
            str(STEP.with_name("model.onnx")), "CPU", {"INFERENCE_PRECISION_HINT": precision}
        )
        expected = compiled({"input_ids": ids, "attention_mask": np.ones_like(ids)})["logits"]

        found = triton_client.infer("distilbert", inputs(ids, np.ones_like(ids))).as_numpy("logits")

        assert found == pytest.approx(expected, abs=1e-4)


@needs("openvino")
def test_order_and_batch_size_change_nothing(step: ModuleType) -> None:
    """Computed anew each time: an answer that was kept would hide a difference."""
    chance = np.random.default_rng(5)
    ids = chance.integers(5, 60_000, size=(16, 128), dtype=np.int32)
    mask = (np.arange(128) < chance.integers(1, 129, size=(16, 1))).astype(np.int32)
    names = {"INFERENCE_NUM_THREADS": "1", "INFERENCE_PRECISION_HINT": "auto"}
    config = json.dumps({"parameters": {name: {"string_value": value} for name, value in names.items()}})
    model = step.TritonPythonModel()
    model.initialize({"model_config": config, "model_repository": str(STEP.parents[1]), "model_version": "1"})
    model.ends_at = math.inf

    def computed(rows: list[int]) -> Any:
        model.kept.clear()
        return model._grouped(ids[rows], mask[rows])

    expected = computed(list(range(16)))
    shuffled = chance.permutation(16).tolist()
    for size in (1, 5):
        found = [computed(shuffled[start : start + size]) for start in range(0, 16, size)]
        assert np.array_equal(np.concatenate(found), expected[shuffled])


class _Counting:
    """Stands for OpenVINO's queue: answers the sum of a row's tokens, and counts the rows."""

    rows = 0

    def set_callback(self, take: Callable[[Any, list[bytes]], None]) -> None:
        self.take = take

    def start_async(self, given: dict[str, Ints], keys: list[bytes]) -> None:
        sums = (given["input_ids"] * given["attention_mask"]).sum(axis=1, keepdims=True).astype(np.float32)
        self.rows += len(sums)
        sums[sums == 13] = np.nan
        found = {
            "logits": SimpleNamespace(data=np.hstack([-sums, sums])),
            "vector": SimpleNamespace(data=sums),
        }
        self.take(SimpleNamespace(get_tensor=found.__getitem__), keys)

    def wait_all(self) -> None: ...


class TestKeptAnswers:
    @pytest.fixture
    def run(
        self, step: ModuleType, monkeypatch: pytest.MonkeyPatch
    ) -> Callable[..., tuple[list[float], int]]:
        """Ask about rows of one token each; return their answers and how many rows were computed."""
        monkeypatch.setattr(step, "MOST_KEPT", 3)
        monkeypatch.setattr(step, "MAX_ROWS", 2)
        model, engine = step.TritonPythonModel(), _Counting()
        model.runs, model.kept, model.ends_at = engine, OrderedDict(), math.inf

        def ask(*tokens: int) -> tuple[list[float], int]:
            ids = np.full((len(tokens), 128), 7, dtype=np.int32)
            ids[:, 0] = tokens
            mask = np.zeros_like(ids)
            mask[:, 0] = 1
            before = engine.rows
            assert len(model.kept) <= 3
            found = model._grouped(ids, mask)
            return found[:, 1].tolist(), engine.rows - before

        return ask

    def test_a_text_that_is_kept_is_not_computed(self, run: Callable[..., tuple[list[float], int]]) -> None:
        assert run(1, 2) == ([1, 2], 2)
        assert run(2, 3, 1) == ([2, 3, 1], 1)
        assert run(4) == ([4], 1)
        assert run(1, 3) == ([1, 3], 0), "those asked for last stay"
        assert run(2) == ([2], 1)

    def test_what_is_no_number_is_not_kept(self, run: Callable[..., tuple[list[float], int]]) -> None:
        for _ in range(2):
            with pytest.raises(ValueError, match="not finite"):
                run(1, 2, 3, 4, 13)
