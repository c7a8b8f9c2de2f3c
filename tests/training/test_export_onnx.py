"""The exported file computes what torch computes at half the size; so do FP16 and INT8."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from scoring import hosting, normalise
from scoring.release import Release
from tests.libraries import TORCH, later, needs
from tests.scoring.starter import STARTER
from training import export_onnx, onnx_weights
from training.served_content import SHIPPED

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


onnxruntime = later("onnxruntime")
tokenizers = later("tokenizers")


class TestExport:
    pytestmark = [*TORCH, needs("torch", "transformers", "onnx", "onnxruntime")]

    def test_places_model_and_tokenizer_with_their_digest(self, wide_base: Path, tmp_path: Path) -> None:
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

    def test_weights_are_small_and_arithmetic_is_not(self, wide_base: Path, tmp_path: Path) -> None:
        model = transformers.AutoModelForSequenceClassification.from_pretrained(
            wide_base, attn_implementation="eager"
        ).eval()
        full, small = tmp_path / "full.onnx", tmp_path / "small.onnx"

        export_onnx.write_onnx(model, path=full)
        onnx_weights.store_compactly(source=full, target=small)

        graph = onnx.load(str(small)).graph
        kinds = {
            one.name.removesuffix("_small"): one.data_type
            for one in graph.initializer
            if "_small" in one.name
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
        self, wide_base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: float
    ) -> None:
        placed = tmp_path / "distilbert" / "1" / "model.onnx"
        placed.parent.mkdir(parents=True)
        placed.write_bytes(b"the old one")
        monkeypatch.setattr(export_onnx, limit, value)

        with pytest.raises(export_onnx.Unfaithful):
            export_onnx.export(model_folder=wide_base, repository=tmp_path)

        assert placed.read_bytes() == b"the old one"
        assert not (tmp_path / "tokenizer").exists()


@pytest.mark.train
@needs("onnx", "onnxruntime", "tokenizers")
@pytest.mark.filterwarnings("ignore")
class TestWeights:
    def test_the_graph_for_a_gpu_gives_the_answers_that_the_shipped_release_pins(
        self, tmp_path: Path
    ) -> None:
        half = tmp_path / "half.onnx"
        onnx_weights.write_half(source=SHIPPED / "distilbert" / "1" / "model.onnx", target=half)
        session = onnxruntime.InferenceSession(str(half), providers=["CPUExecutionProvider"])
        tokenizer = tokenizers.Tokenizer.from_file(str(SHIPPED / "tokenizer" / "1" / "tokenizer.json"))
        content = Release.load(STARTER).content

        as_asked = normalise.of_version(normalise.VERSION)
        assert len(content.probes) >= 4
        for probe in content.probes:
            ids = np.array([tokenizer.encode(as_asked(probe.text)).ids], dtype=np.int32)
            ((ham, spam),) = session.run(["logits"], {"input_ids": ids, "attention_mask": np.ones_like(ids)})[
                0
            ]
            assert 1 / (1 + np.exp(ham - spam)) == pytest.approx(
                probe.probability, abs=hosting.PROBE_TOLERANCE / 10
            )

    def test_int8_weights_compute_nearly_the_same(self, tmp_path: Path) -> None:
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
        session = onnxruntime.InferenceSession(
            str(tmp_path / "small.onnx"), providers=["CPUExecutionProvider"]
        )
        found = session.run(["y"], {"x": x})[0]
        assert np.abs(found - weights).max() <= np.abs(weights).max() / 254 + 1e-6
        assert (tmp_path / "small.onnx").stat().st_size < (tmp_path / "full.onnx").stat().st_size / 3
