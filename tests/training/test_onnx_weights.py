"""FP16, as a TensorRT plan computes, gives what the release pins and asks for at going live; and INT8."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scoring import hosting, normalise
from scoring.release import Release
from tests.libraries import later, needs
from tests.scoring.starter import STARTER
from training import onnx_weights
from training.served_content import SHIPPED

pytestmark = [
    pytest.mark.train,
    needs("onnx", "onnxruntime", "tokenizers"),
    pytest.mark.filterwarnings("ignore"),  # the converter names numbers that it clamps
]
onnxruntime = later("onnxruntime")
tokenizers = later("tokenizers")


def test_the_graph_for_a_gpu_gives_the_answers_that_the_shipped_release_pins(tmp_path: Path) -> None:
    half = tmp_path / "half.onnx"
    onnx_weights.write_half(source=SHIPPED / "distilbert" / "1" / "model.onnx", target=half)
    session = onnxruntime.InferenceSession(str(half), providers=["CPUExecutionProvider"])
    tokenizer = tokenizers.Tokenizer.from_file(str(SHIPPED / "tokenizer" / "1" / "tokenizer.json"))
    content = Release.load(STARTER).content

    as_asked = normalise.of_version(normalise.VERSION)
    assert len(content.probes) >= 4
    for probe in content.probes:
        ids = np.array([tokenizer.encode(as_asked(probe.text)).ids], dtype=np.int32)
        ((ham, spam),) = session.run(["logits"], {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0]
        assert 1 / (1 + np.exp(ham - spam)) == pytest.approx(
            probe.probability, abs=hosting.PROBE_TOLERANCE / 10
        )


def test_int8_weights_compute_nearly_the_same(tmp_path: Path) -> None:
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    weights = np.random.default_rng(7).normal(size=(64, 128)).astype(np.float32)
    weights[:, 3] = 0.0  # a column without a scale
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])],
        "one",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 64])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 128])],
        [numpy_helper.from_array(weights, "w")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, str(tmp_path / "full.onnx"))

    onnx_weights.write_int8(source=tmp_path / "full.onnx", target=tmp_path / "small.onnx")

    x = np.eye(64, dtype=np.float32)
    session = onnxruntime.InferenceSession(str(tmp_path / "small.onnx"), providers=["CPUExecutionProvider"])
    found = session.run(["y"], {"x": x})[0]
    assert np.abs(found - weights).max() <= np.abs(weights).max() / 254 + 1e-6
    assert (tmp_path / "small.onnx").stat().st_size < (tmp_path / "full.onnx").stat().st_size / 3
