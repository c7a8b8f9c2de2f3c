"""The exported file computes what torch computes at half the size; FP16, INT8, and repositories."""

import hashlib
from pathlib import Path

import numpy as np
import pytest
from google.protobuf import text_format
from tritonclient.grpc import model_config_pb2

from scoring import hosting, normalise
from scoring.release import Release
from tests.libraries import TORCH, later, needs
from tests.scoring.starter import STARTER
from training import export_onnx, model_configs, onnx_weights, variants
from training.model_configs import Variant
from training.served_content import SHIPPED

torch = later("torch")
transformers = later("transformers")
onnx = later("onnx")
onnxruntime = later("onnxruntime")
tokenizers = later("tokenizers")
MODELS = ("content", "distilbert", "tokenizer")


def parsed(path: Path) -> model_config_pb2.ModelConfig:
    return text_format.Parse(path.read_text(), model_config_pb2.ModelConfig())


@pytest.fixture
def exported_repository(tmp_path: Path) -> Path:
    """A repository as export leaves it; what the files hold does not matter here."""
    files = ("distilbert/1/model.onnx", "distilbert/1/model.py", "tokenizer/1/model.py")
    for file in (*files, "tokenizer/1/tokenizer.json"):
        path = tmp_path / "exported_repository" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file)
    return tmp_path / "exported_repository"


class TestExport:
    pytestmark = [*TORCH, needs("torch", "transformers", "onnx", "onnxruntime")]

    def test_places_model_and_tokenizer_with_their_digest(self, both_halves: Path, tmp_path: Path) -> None:
        repository = tmp_path / "repository"

        written = export_onnx.export(model_folder=both_halves, repository=repository)

        placed = repository / "distilbert" / "1" / "model.onnx"
        assert written["sha256"] == hashlib.sha256(placed.read_bytes()).hexdigest()
        assert written["bytes"] == placed.stat().st_size
        assert written["fp32_difference"] < 1e-4
        assert written["small_weights_difference"] < 1e-2
        tokenizer = repository / "tokenizer" / "1" / "tokenizer.json"
        assert tokenizer.read_bytes() == (both_halves / "tokenizer.json").read_bytes()
        assert {path.parent.name for path in repository.rglob("config.pbtxt")} == {
            "content",
            "tokenizer",
            "distilbert",
        }

    def test_weights_are_small_and_arithmetic_is_not(self, both_halves: Path, tmp_path: Path) -> None:
        from training import wide_and_deep

        model = wide_and_deep.load(both_halves)
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
        self, both_halves: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: float
    ) -> None:
        placed = tmp_path / "distilbert" / "1" / "model.onnx"
        placed.parent.mkdir(parents=True)
        placed.write_bytes(b"the old one")
        monkeypatch.setattr(export_onnx, limit, value)

        with pytest.raises(export_onnx.Unfaithful):
            export_onnx.export(model_folder=both_halves, repository=tmp_path)

        assert placed.read_bytes() == b"the old one"
        assert not (tmp_path / "tokenizer").exists()


@pytest.mark.train
@needs("onnx", "onnxruntime", "tokenizers")
class TestWeights:
    @pytest.mark.filterwarnings("ignore")  # the converter names numbers that it clamps
    def test_the_graph_for_a_gpu_gives_the_answers_that_the_shipped_release_pins(
        self, tmp_path: Path
    ) -> None:
        half = tmp_path / "half.onnx"
        onnx_weights.write_half(source=SHIPPED / "distilbert" / "1" / "model.onnx", target=half)
        graph = onnx.load(str(half)).graph
        weights = {one.data_type for one in graph.initializer if int(np.prod(one.dims)) >= 4096}
        assert onnx.TensorProto.FLOAT not in weights
        assert {value.type.tensor_type.elem_type for value in graph.input} == {onnx.TensorProto.INT32}
        assert {value.type.tensor_type.elem_type for value in graph.output} == {onnx.TensorProto.FLOAT}
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


class TestVariants:
    @pytest.mark.parametrize("variant", list(Variant))
    def test_every_config_is_what_triton_parses(self, variant: Variant, tmp_path: Path) -> None:
        variants.write_configs(variant=variant, out=tmp_path)

        configs = {name: parsed(tmp_path / name / "config.pbtxt") for name in MODELS}

        assert {name: config.name for name, config in configs.items()} == {name: name for name in MODELS}
        assert {config.max_batch_size for config in configs.values()} == {128}
        steps = configs["content"].ensemble_scheduling.step
        assert [step.model_name for step in steps] == ["tokenizer", "distilbert"]
        logits = configs["distilbert"].output[0]
        assert (logits.name, logits.data_type, list(logits.dims)) == (
            "logits",
            model_config_pb2.TYPE_FP32,
            [2],
        )

    def test_committed_configs_are_the_generated_ones(self) -> None:
        for name, text in model_configs.texts(Variant.CPU).items():
            assert (SHIPPED / name / "config.pbtxt").read_text() == text

    @pytest.mark.parametrize(
        ("variant", "backend", "kind", "tokens", "widths"),
        [
            (Variant.CPU, "python", "KIND_CPU", -1, "longest"),
            (Variant.ONNXRUNTIME_GPU, "onnxruntime", "KIND_GPU", -1, "16 32 64 128"),
            (Variant.TENSORRT, "tensorrt", "KIND_GPU", 128, "128"),
        ],
    )
    def test_variants_differ_in_backend_place_and_padding(
        self, variant: Variant, backend: str, kind: str, tokens: int, widths: str, tmp_path: Path
    ) -> None:
        variants.write_configs(variant=variant, out=tmp_path)

        distilbert = parsed(tmp_path / "distilbert" / "config.pbtxt")
        group = distilbert.instance_group[0]
        assert distilbert.backend == backend
        assert group.Kind.Name(group.kind) == kind
        assert [list(tensor.dims) for tensor in distilbert.input] == [[tokens], [tokens]]
        # Only the python step pads by itself; elsewhere requests of one shape share a batch.
        assert {tensor.allow_ragged_batch for tensor in distilbert.input} == {variant is Variant.CPU}
        tokenizer = parsed(tmp_path / "tokenizer" / "config.pbtxt")
        assert tokenizer.parameters["WIDTHS"].string_value == widths

    def test_a_whole_repository_for_cpu_is_the_exported_one(
        self, exported_repository: Path, tmp_path: Path
    ) -> None:
        variants.write(variant=Variant.CPU, repository=exported_repository, out=tmp_path / "cpu")

        for file in ("distilbert/1/model.onnx", "distilbert/1/model.py", "tokenizer/1/tokenizer.json"):
            assert (tmp_path / "cpu" / file).read_bytes() == (exported_repository / file).read_bytes()
        assert (tmp_path / "cpu" / "content" / "1").is_dir()

    def test_refuses_a_repository_without_a_model(self, exported_repository: Path, tmp_path: Path) -> None:
        (exported_repository / "distilbert" / "1" / "model.onnx").unlink()

        with pytest.raises(model_configs.NoModel, match=r"model\.onnx is missing"):
            variants.write(variant=Variant.CPU, repository=exported_repository, out=tmp_path / "cpu")

        assert not (tmp_path / "cpu").exists()
