"""Forms and servers of a content model beside each other: what a precision changes, and the load test."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from deploy.local.places import ROOT
from lab import parity, serving
from tests.libraries import later, needs
from training import export_onnx, onnx_weights

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


_COLLECTION = ROOT.parent / "shared" / "data" / "sms_uci.jsonl"


@pytest.mark.train
@needs("torch", "transformers", "onnx", "openvino")
@pytest.mark.xdist_group("torch")
@pytest.mark.timeout(300)
@pytest.mark.filterwarnings("ignore")
def test_half_precision_computes_in_fp16_between_int32_and_fp32(exported: Path, tmp_path: Path) -> None:
    small, half = tmp_path / "small.onnx", tmp_path / "half.onnx"
    onnx_weights.store_compactly(source=exported, target=small)

    onnx_weights.write_half(source=small, target=half)

    graph = onnx.load(str(half)).graph
    weights = {t.data_type for t in graph.initializer if int(np.prod(t.dims)) >= 4096}
    assert weights == {onnx.TensorProto.FLOAT16}
    assert {value.type.tensor_type.elem_type for value in graph.input} == {onnx.TensorProto.INT32}
    assert {value.type.tensor_type.elem_type for value in graph.output} == {onnx.TensorProto.FLOAT}


@pytest.mark.train
@needs("torch", "transformers", "onnx", "openvino")
@pytest.mark.xdist_group("torch")
@pytest.mark.timeout(300)
@pytest.mark.filterwarnings("ignore")
def test_parity_tells_each_form_from_torch(trained: Path, tmp_path: Path) -> None:
    data = tmp_path / "texts.jsonl"
    rows = [
        {"id": str(n), "source": "made", "text": f"{TEXTS[n % 6]} {n}", "label": n % 2, "group": str(n)}
        for n in range(120)
    ]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))

    found = {one.form: one for one in parity.measure(model_folder=trained, data=[data])}

    assert {"fp32", "fp32 with fp16 weights", "fp16"} <= set(found)
    assert found["fp32"].largest_difference < export_onnx.MAX_FP32_DIFFERENCE
    assert found["fp32"].agreement == 1.0
    assert found["fp32"].largest_difference < found["fp16"].largest_difference
    assert found["fp16"].largest_difference < 1.0


def test_a_load_test_asks_each_text_so_often() -> None:
    lock, warm, asked = threading.Lock(), time.perf_counter() + 1.0, Counter[str]()

    def ask(texts: list[str]) -> None:
        time.sleep(0.01)
        with lock:
            asked.update(texts if time.perf_counter() > warm + 0.05 else [])

    server = serving.Server(name="fake", connect=lambda: ask)

    speed = serving.measure(server, cell=serving.Cell(callers=4), texts=["a", "b"], seconds=0, repeats=200)

    assert asked["a"] == pytest.approx(asked["b"], abs=20)
    assert sum(asked.values()) == pytest.approx(400, abs=40)
    assert speed.p50_ms >= 10


class TestPublished:
    def test_takes_rows_by_id_in_the_published_order(self, tmp_path: Path) -> None:
        collection = tmp_path / "sms.jsonl"
        ids = ["another", *reversed(serving.PUBLISHED_IDS)]
        collection.write_text("\n".join(json.dumps({"id": one, "text": f"text of {one}"}) for one in ids))

        found = serving.published(collection)

        assert found == [f"text of {one}" for one in serving.PUBLISHED_IDS]

    def test_names_a_text_that_the_file_lacks(self, tmp_path: Path) -> None:
        collection = tmp_path / "sms.jsonl"
        collection.write_text(json.dumps({"id": serving.PUBLISHED_IDS[0], "text": "one"}))

        with pytest.raises(KeyError, match=serving.PUBLISHED_IDS[1]):
            serving.published(collection)

    @pytest.mark.skipif(not _COLLECTION.exists(), reason=f"the SMS collection is not at {_COLLECTION}")
    def test_they_are_the_ones_that_the_comparison_prints(self) -> None:
        starts = [
            "Oh k...i'm watching here",
            "As a valued customer",
            "I HAVE A DATE ON SUNDAY",
            "England v Maced",
        ]

        found = serving.published(_COLLECTION)

        assert [text.startswith(start) for text, start in zip(found, starts, strict=True)] == [True] * 4
