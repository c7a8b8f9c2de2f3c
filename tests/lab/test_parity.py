"""What a precision changes is told against torch."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from lab import parity
from tests.libraries import later, needs
from training import export_onnx, onnx_weights

pytestmark = [
    pytest.mark.train,
    needs("torch", "transformers", "onnx", "openvino"),
    pytest.mark.xdist_group("torch"),
    pytest.mark.timeout(300),
    pytest.mark.filterwarnings("ignore"),
]
torch = later("torch")
transformers = later("transformers")
onnx = later("onnx")
openvino = later("openvino")

TEXTS = ["free cash now", "hello friend", "meet the friend today", "win", "click now win a call", "lunch"]


@pytest.fixture(scope="module")
def trained(tiny_base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny tokenizer with a model whose logits spread more than those of random weights."""
    torch.manual_seed(1)
    config = transformers.DistilBertConfig(
        vocab_size=18, dim=96, hidden_dim=192, n_layers=2, n_heads=4, max_position_embeddings=128
    )
    model = transformers.DistilBertForSequenceClassification(config)
    with torch.no_grad():
        model.classifier.weight.mul_(20)
    folder = tmp_path_factory.mktemp("trained")
    model.save_pretrained(folder)
    (folder / "tokenizer.json").write_bytes((tiny_base / "tokenizer.json").read_bytes())
    return folder


@pytest.fixture(scope="module")
def exported(trained: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    model = transformers.AutoModelForSequenceClassification.from_pretrained(
        trained, attn_implementation="eager"
    ).eval()
    path = tmp_path_factory.mktemp("exported") / "fp32.onnx"
    export_onnx.write_onnx(model, path=path)
    return path


def test_half_precision_computes_in_fp16_between_int32_and_fp32(exported: Path, tmp_path: Path) -> None:
    small, half = tmp_path / "small.onnx", tmp_path / "half.onnx"
    onnx_weights.store_compactly(source=exported, target=small)

    onnx_weights.write_half(source=small, target=half)

    graph = onnx.load(str(half)).graph
    weights = {t.data_type for t in graph.initializer if int(np.prod(t.dims)) >= 4096}
    assert weights == {onnx.TensorProto.FLOAT16}
    assert {value.type.tensor_type.elem_type for value in graph.input} == {onnx.TensorProto.INT32}
    assert {value.type.tensor_type.elem_type for value in graph.output} == {onnx.TensorProto.FLOAT}


def test_parity_tells_each_form_from_torch(trained: Path, tmp_path: Path) -> None:
    data = tmp_path / "texts.jsonl"
    rows = [
        {"id": str(n), "source": "made", "text": f"{TEXTS[n % 6]} {n}", "label": n % 2, "group": str(n)}
        for n in range(120)
    ]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))

    found = {one.form: one for one in parity.measure(model_folder=trained, data=[data])}

    assert {"fp32", "fp32 with fp16 weights", "fp16"} <= set(found)
    assert found["fp32"].largest_difference < parity.MAX_FP32_DIFFERENCE
    assert found["fp32"].agreement == 1.0
    assert found["fp32"].largest_difference < found["fp16"].largest_difference
    assert found["fp16"].largest_difference < 1.0
    assert set(found["fp16"].auc_change) == {"made", "all"}
