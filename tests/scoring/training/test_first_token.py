"""The trimmed classifier answers what the whole one answers, and does less for it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scoring.training import export_onnx, first_token
from tests.libraries import later, needs

pytestmark = [
    pytest.mark.train,
    needs("torch", "transformers"),
    pytest.mark.xdist_group("torch"),
    pytest.mark.timeout(300),
]
torch = later("torch")
transformers = later("transformers")


def test_answers_as_the_whole_model(tiny_base: Path) -> None:
    model = transformers.AutoModelForSequenceClassification.from_pretrained(
        tiny_base, attn_implementation="eager"
    ).eval()
    ids = torch.randint(0, 18, (3, 11), dtype=torch.int32)
    mask = torch.ones_like(ids)
    mask[1, 4:] = 0

    with torch.no_grad():
        found = first_token.trimmed(model)(ids, mask)
        expected = model(ids, mask).logits

    assert np.allclose(found, expected, atol=1e-6)


def test_last_layer_feeds_one_token_forward(tiny_base: Path, tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx", reason="onnx is in the train group")
    onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is in the train group")
    model = transformers.AutoModelForSequenceClassification.from_pretrained(tiny_base).eval()
    export_onnx.write_onnx(model, path=tmp_path / "model.onnx")
    graph = onnx.load(str(tmp_path / "model.onnx"))
    biases = [f"distilbert.transformer.layer.{layer}.ffn.lin1.bias" for layer in (0, 1)]
    products = [
        node.output[0]
        for name in biases
        for node in graph.graph.node
        if node.op_type == "Add" and name in node.input
    ]
    graph.graph.output.extend(onnx.ValueInfoProto(name=name) for name in products)
    session = onnxruntime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])

    ids = np.ones((2, 9), dtype=np.int32)
    found = session.run(products, {"input_ids": ids, "attention_mask": ids})

    assert [product.shape[1] for product in found] == [9, 1]


def test_refuses_another_architecture() -> None:
    config = transformers.BertConfig(
        vocab_size=10, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8
    )

    with pytest.raises(TypeError, match="BertForSequenceClassification"):
        first_token.trimmed(transformers.BertForSequenceClassification(config))
