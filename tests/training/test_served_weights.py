"""What is served can be trained further: the weights read from the file compute what the file does."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scoring import hosting, release
from scoring.release import Corrupt
from tests.libraries import TORCH, later, needs
from tests.scoring.starter import STARTER
from training import __main__ as command
from training import export_onnx, onnx_weights, served_content, served_weights

pytestmark = [*TORCH, needs("torch", "transformers", "onnx", "onnxruntime")]
torch = later("torch")
transformers = later("transformers")
onnx = later("onnx")
wide_and_deep = later("training.wide_and_deep")


@pytest.fixture(scope="module")
def repository(both_halves_exported: Path) -> Path:
    return both_halves_exported


def release_of(repository: Path, folder: Path) -> Path:
    """A release that pins a repository's content model; the rest is the shipped one's."""
    shutil.copytree(STARTER, folder)
    manifest = json.loads((folder / release.MANIFEST).read_text())
    manifest["content"]["files"] = dict(served_content.pin(repository, version="1").files)
    (folder / release.MANIFEST).write_text(json.dumps(manifest))
    return folder


def test_weights_are_those_that_were_trained(repository: Path, both_halves: Path) -> None:
    model, _ = served_weights.load(repository, models=repository)

    before, after = wide_and_deep.load(both_halves).state_dict(), model.state_dict()
    assert set(after) == set(before)
    for name, weights in before.items():
        rounded = weights.half().float() if weights.numel() >= onnx_weights.SMALLEST_WEIGHT else weights
        if name.endswith(onnx_weights.WORD_EMBEDDINGS):
            step = weights.abs().max(dim=1, keepdim=True).values / 127
            assert ((after[name] - weights).abs() <= 0.51 * step).all()
        else:
            assert torch.equal(after[name].to(weights.dtype), rounded.to(weights.dtype)), name


def test_weights_that_were_written_are_exported_to_the_same_bytes(repository: Path, tmp_path: Path) -> None:
    written, again = tmp_path / "written", tmp_path / "again"

    command.main(["weights", "--release", str(repository), "--out", str(written)])
    export_onnx.export(model_folder=written, repository=again)

    assert (written / "model.safetensors").is_file()
    assert (again / served_weights.MODEL_FILE).read_bytes() == (
        repository / served_weights.MODEL_FILE
    ).read_bytes()


def test_the_shipped_release_is_read_exactly() -> None:
    model, tokenizer = served_weights.load(STARTER, models=Path("nowhere"))

    served = served_content.SHIPPED / served_weights.MODEL_FILE
    assert export_onnx.largest_difference(model, path=served) < 1e-4
    assert tokenizer("free cash")["input_ids"][0] == tokenizer.cls_token_id
    assert model.config.n_heads == 12


def test_finds_what_a_release_pins_among_the_installed(repository: Path, tmp_path: Path) -> None:
    live = release_of(repository, tmp_path / "release")
    pin = release.Release.load(live).content
    hosting.install(pin, repository=repository, models=tmp_path / "models")

    model, _ = served_weights.load(live, models=tmp_path / "models")

    assert model.config.vocab_size == 500


def test_refuses_a_release_whose_files_are_not_there(repository: Path, tmp_path: Path) -> None:
    live = release_of(repository, tmp_path / "release")

    with pytest.raises(Corrupt, match=r"distilbert/1/model\.onnx: not as the release pins it"):
        served_weights.load(live, models=tmp_path / "models")


def without_a_matrix(model: Any) -> None:
    node = next(node for node in model.graph.node if node.op_type == "MatMul")
    model.graph.node.remove(node)


def without_embeddings(model: Any) -> None:
    for tensor in list(model.graph.initializer):
        if "word_embeddings" in tensor.name:
            model.graph.initializer.remove(tensor)


@pytest.mark.parametrize(
    ("damage", "reason"),
    [(without_embeddings, "no weights of a DistilBERT in floats"), (without_a_matrix, "holds no distilbert")],
)
def test_refuses_a_file_that_lacks_weights(
    repository: Path, tmp_path: Path, damage: Any, reason: str
) -> None:
    model = onnx.load(str(repository / served_weights.MODEL_FILE))
    damage(model)
    onnx.save(model, str(tmp_path / "model.onnx"))

    with pytest.raises(served_weights.Unreadable, match=reason):
        served_weights.read(tmp_path / "model.onnx")


def test_refuses_a_file_that_answers_otherwise(repository: Path, tmp_path: Path) -> None:
    """Such as one whose attention was told another number of heads."""
    model = onnx.load(str(repository / served_weights.MODEL_FILE))
    (bias,) = (tensor for tensor in model.graph.initializer if tensor.name == "wide.bias")
    name, bias.name = bias.name, "shift"
    for node in model.graph.node:
        node.input[:] = ["shift" if given == name else given for given in node.input]
    model.graph.initializer.append(onnx.numpy_helper.from_array(np.ones(1, dtype=np.float32) * 9, name))
    onnx.save(model, str(tmp_path / "model.onnx"))

    with pytest.raises(served_weights.Unreadable, match="a logit of the model read from it differs by"):
        served_weights.read(tmp_path / "model.onnx")


def test_refuses_what_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"no model at all")

    with pytest.raises(served_weights.Unreadable, match="cannot be read"):
        served_weights.read(tmp_path / "model.onnx")
