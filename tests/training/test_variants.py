"""Three repositories from one description: Triton's message types read each; the committed one is it."""

from __future__ import annotations

from pathlib import Path

import pytest
from google.protobuf import text_format
from tritonclient.grpc import model_config_pb2

from training import model_configs, variants
from training.model_configs import Variant
from training.served_content import SHIPPED

MODELS = ("content", "distilbert", "tokenizer")


def parsed(path: Path) -> model_config_pb2.ModelConfig:
    return text_format.Parse(path.read_text(), model_config_pb2.ModelConfig())


@pytest.mark.parametrize("variant", list(Variant))
def test_every_config_is_what_triton_parses(variant: Variant, tmp_path: Path) -> None:
    variants.write_configs(variant=variant, out=tmp_path)

    configs = {name: parsed(tmp_path / name / "config.pbtxt") for name in MODELS}

    assert {name: config.name for name, config in configs.items()} == {name: name for name in MODELS}
    assert {config.max_batch_size for config in configs.values()} == {128}
    steps = configs["content"].ensemble_scheduling.step
    assert [step.model_name for step in steps] == ["tokenizer", "distilbert"]
    logits = configs["distilbert"].output[0]
    assert (logits.name, logits.data_type, list(logits.dims)) == ("logits", model_config_pb2.TYPE_FP32, [2])


def test_committed_configs_are_the_generated_ones() -> None:
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
    variant: Variant, backend: str, kind: str, tokens: int, widths: str, tmp_path: Path
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


def test_a_whole_repository_for_cpu_is_the_exported_one(exported: Path, tmp_path: Path) -> None:
    variants.write(variant=Variant.CPU, repository=exported, out=tmp_path / "cpu")

    for file in ("distilbert/1/model.onnx", "distilbert/1/model.py", "tokenizer/1/tokenizer.json"):
        assert (tmp_path / "cpu" / file).read_bytes() == (exported / file).read_bytes()
    assert (tmp_path / "cpu" / "content" / "1").is_dir()


def test_refuses_a_repository_without_a_model(exported: Path, tmp_path: Path) -> None:
    (exported / "distilbert" / "1" / "model.onnx").unlink()

    with pytest.raises(model_configs.NoModel, match=r"model\.onnx is missing"):
        variants.write(variant=Variant.CPU, repository=exported, out=tmp_path / "cpu")

    assert not (tmp_path / "cpu").exists()


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    """A repository as export leaves it; what the files hold does not matter here."""
    files = ("distilbert/1/model.onnx", "distilbert/1/model.py", "tokenizer/1/model.py")
    for file in (*files, "tokenizer/1/tokenizer.json"):
        path = tmp_path / "exported" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file)
    return tmp_path / "exported"
