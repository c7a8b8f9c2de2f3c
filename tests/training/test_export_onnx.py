"""The exported file computes what torch computes at half the size, and replaces nothing unless it does."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.libraries import TORCH, later, needs
from training import export_onnx, onnx_weights

pytestmark = [*TORCH, needs("torch", "transformers", "onnx", "onnxruntime")]
torch = later("torch")
transformers = later("transformers")
onnx = later("onnx")


@pytest.fixture
def wide_base(tiny_base: Path, tmp_path: Path) -> Path:
    """The tiny tokenizer with a model whose matrices are large enough to be stored as FP16."""
    torch.manual_seed(1)
    config = transformers.DistilBertConfig(vocab_size=500, dim=96, hidden_dim=192, n_layers=2, n_heads=4)
    folder = tmp_path / "wide"
    transformers.DistilBertForSequenceClassification(config).save_pretrained(folder)
    (folder / "tokenizer.json").write_bytes((tiny_base / "tokenizer.json").read_bytes())
    return folder


def test_places_model_and_tokenizer_with_their_digest(wide_base: Path, tmp_path: Path) -> None:
    repository = tmp_path / "repository"

    written = export_onnx.export(model_folder=wide_base, repository=repository)

    placed = repository / "distilbert" / "1" / "model.onnx"
    assert written.sha256 == hashlib.sha256(placed.read_bytes()).hexdigest()
    assert written.bytes == placed.stat().st_size
    assert written.fp32_difference < 1e-4
    assert written.small_weights_difference < 1e-2
    tokenizer = repository / "tokenizer" / "1" / "tokenizer.json"
    assert tokenizer.read_bytes() == (wide_base / "tokenizer.json").read_bytes()
    assert {path.parent.name for path in repository.rglob("config.pbtxt")} == {
        "content",
        "tokenizer",
        "distilbert",
    }


def test_weights_are_small_and_arithmetic_is_not(wide_base: Path, tmp_path: Path) -> None:
    model = transformers.AutoModelForSequenceClassification.from_pretrained(
        wide_base, attn_implementation="eager"
    ).eval()
    full, small = tmp_path / "full.onnx", tmp_path / "small.onnx"

    export_onnx.write_onnx(model, path=full)
    onnx_weights.store_compactly(source=full, target=small)

    graph = onnx.load(str(small)).graph
    kinds = {
        one.name.removesuffix("_small"): one.data_type for one in graph.initializer if "_small" in one.name
    }
    assert kinds.pop("distilbert.embeddings.word_embeddings.weight") == onnx.TensorProto.INT8
    assert {*kinds.values()} == {onnx.TensorProto.FLOAT16}
    assert {output.type.tensor_type.elem_type for output in graph.output} == {onnx.TensorProto.FLOAT}
    assert small.stat().st_size < 0.62 * full.stat().st_size
    assert 0 < export_onnx.largest_difference(model, path=small) < 1e-2


@pytest.mark.parametrize(
    ("limit", "value"), [("MAX_FP32_DIFFERENCE", -1.0), ("MAX_SMALL_DIFFERENCE", -1.0), ("MAX_BYTES", 1)]
)
def test_an_unfaithful_or_large_export_replaces_nothing(
    wide_base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: float
) -> None:
    placed = tmp_path / "distilbert" / "1" / "model.onnx"
    placed.parent.mkdir(parents=True)
    placed.write_bytes(b"the old one")
    monkeypatch.setattr(export_onnx, limit, value)

    with pytest.raises(export_onnx.Unfaithful):
        export_onnx.export(model_folder=wide_base, repository=tmp_path)

    assert placed.read_bytes() == b"the old one"
    assert not (tmp_path / "tokenizer").exists()
