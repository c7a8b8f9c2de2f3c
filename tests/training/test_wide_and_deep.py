"""Both halves in one graph compute what each computes alone, in torch and in the exported file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.libraries import TORCH, later, needs
from training import export_onnx, onnx_weights, wide

pytestmark = [*TORCH, needs("torch", "transformers")]
torch = later("torch")
transformers = later("transformers")
wide_and_deep = later("training.wide_and_deep")

VOCABULARY = 18
MIX = wide.Mix(deep=0.7, wide=1.3, intercept=-0.4)


@pytest.fixture(scope="module")
def texts() -> list[list[int]]:
    random = np.random.default_rng(3)
    return [random.integers(1, VOCABULARY, size=length).tolist() for length in (2, 5, 11, 40, 40, 90)]


@pytest.fixture(scope="module")
def fitted(texts: list[list[int]]) -> wide.Wide:
    return wide.fit(
        texts * 2, labels=[0, 1, 0, 1, 1, 0] * 2, weights=[1.0] * 12, vocabulary=VOCABULARY, seed=1
    )


@pytest.fixture(scope="module")
def deep(tiny_base: Path) -> Any:
    return wide_and_deep.load(tiny_base)


@pytest.fixture(scope="module")
def joined(deep: Any, fitted: wide.Wide) -> Any:
    return wide_and_deep.joined(deep, fitted=fitted, mix=MIX)


def margin(logits: Any) -> float:
    return float(logits[0, 1] - logits[0, 0])


def expected(deep: Any, fitted: wide.Wide, text: list[int]) -> float:
    ids = torch.tensor([text])
    with torch.no_grad():
        of_deep = margin(deep(ids, torch.ones_like(ids)).logits)
    return MIX.deep * of_deep + MIX.wide * float(fitted.margins([text])[0]) + MIX.intercept


def padded(texts: list[list[int]], *, width: int, filler: int) -> tuple[Any, Any]:
    ids = torch.full((len(texts), width), filler, dtype=torch.int32)
    mask = torch.zeros_like(ids)
    for row, text in enumerate(texts):
        ids[row, : len(text)] = torch.tensor(text, dtype=torch.int32)
        mask[row, : len(text)] = 1
    return ids, mask


@pytest.mark.parametrize("filler", [0, 7])
def test_answers_the_mix_whatever_the_padding(
    joined: Any, deep: Any, fitted: wide.Wide, texts: list[list[int]], filler: int
) -> None:
    ids, mask = padded(texts, width=100, filler=filler)

    with torch.no_grad():
        logits = joined(ids, mask).logits

    for row, text in enumerate(texts):
        assert margin(logits[row : row + 1]) == pytest.approx(expected(deep, fitted, text), abs=1e-5)


def test_leaves_the_deep_half_as_it_was(joined: Any, deep: Any, tmp_path: Path) -> None:
    """A run that continues from an outcome trains what was trained."""
    joined.save_pretrained(tmp_path)

    again = transformers.AutoModelForSequenceClassification.from_pretrained(tmp_path).state_dict()

    assert all(torch.equal(again[name], weights) for name, weights in deep.state_dict().items())


def test_is_loaded_with_both_halves(joined: Any, texts: list[list[int]], tmp_path: Path) -> None:
    joined.save_pretrained(tmp_path)

    loaded = wide_and_deep.load(tmp_path)

    ids, mask = padded(texts, width=90, filler=0)
    with torch.no_grad():
        assert torch.equal(loaded(ids, mask).logits, joined(ids, mask).logits)


def test_exports_both_halves(
    joined: Any, deep: Any, fitted: wide.Wide, texts: list[list[int]], tmp_path: Path
) -> None:
    onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is in the train group")
    full, small = tmp_path / "full.onnx", tmp_path / "small.onnx"

    export_onnx.write_onnx(joined, path=full)
    onnx_weights.store_compactly(source=full, target=small)

    assert export_onnx.largest_difference(joined, path=full) < 1e-5
    session = onnxruntime.InferenceSession(str(small), providers=["CPUExecutionProvider"])
    for text in texts:
        ids = np.array([text], dtype=np.int32)
        (logits,) = session.run(["logits"], {"input_ids": ids, "attention_mask": np.ones_like(ids)})
        assert margin(logits) == pytest.approx(expected(deep, fitted, text), abs=5e-3)


@pytest.mark.parametrize("precision", ["f32", pytest.param("bf16", marks=pytest.mark.long)])
def test_openvino_finds_the_same_rows(
    joined: Any, deep: Any, fitted: wide.Wide, texts: list[list[int]], tmp_path: Path, precision: str
) -> None:
    """Places in a table of 131,000 rows are no numbers to round."""
    openvino = pytest.importorskip("openvino", reason="openvino is in the train group")
    export_onnx.write_onnx(joined, path=tmp_path / "model.onnx")
    request = (
        openvino.Core()
        .compile_model(str(tmp_path / "model.onnx"), "CPU", {"INFERENCE_PRECISION_HINT": precision})
        .create_infer_request()
    )

    for text in texts:
        ids = np.array([text], dtype=np.int32)
        logits = request.infer({"input_ids": ids, "attention_mask": np.ones_like(ids)})["logits"]
        assert margin(logits) == pytest.approx(expected(deep, fitted, text), abs=0.03)
