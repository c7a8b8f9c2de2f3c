"""`python -m training image`: a repository, its card, and refusals in one line."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf import text_format
from tritonclient.grpc import model_config_pb2

from tests import tiny_resnet
from tests.libraries import later, needs
from training import __main__ as command_line
from training import build_tensorrt
from training.image import backbone, repository
from training.image.configs import DECODER, MODEL, NETWORK
from training.model_configs import Variant
from training.plan_recipe import Network, Profile

pytestmark = [
    needs("torch"),
    pytest.mark.train,
    pytest.mark.xdist_group("image model"),
    pytest.mark.timeout(600),
]
onnxruntime = later("onnxruntime")

LABELS = ("cat", "dog")


@pytest.fixture
def weights(tmp_path: Path) -> str:
    return tiny_resnet.saved(tmp_path / "weights", labels=LABELS)


@pytest.fixture
def network(weights: str) -> backbone.Backbone:
    return backbone.load(weights)


@pytest.fixture
def written(network: backbone.Backbone, tmp_path: Path) -> Path:
    out = tmp_path / "repository"
    repository.write(network, out=out)
    return out


def parsed(folder: Path, model: str) -> Any:
    text = (folder / model / "config.pbtxt").read_text(encoding="utf-8")
    return text_format.Parse(text, model_config_pb2.ModelConfig())


class TestRepository:
    def test_labels_and_steps_are_those_of_the_ensemble(self, written: Path) -> None:
        config = parsed(written, MODEL)

        assert [step.model_name for step in config.ensemble_scheduling.step] == [DECODER, NETWORK]
        assert list(config.output[0].dims) == [2]
        assert (written / MODEL / config.output[0].label_filename).read_text() == "cat\ndog\n"

    @pytest.mark.parametrize(
        ("variant", "backend", "file"),
        [
            (Variant.ONNXRUNTIME_GPU, "onnxruntime", "model.onnx"),
            (Variant.TENSORRT, "tensorrt", "model.plan"),
        ],
    )
    def test_variants_for_a_gpu(
        self, written: Path, tmp_path: Path, variant: Variant, backend: str, file: str
    ) -> None:
        command_line.main(
            [
                *("variants", "--model", "image", "--variant", variant),
                *("--repository", str(written), "--out", str(tmp_path)),
            ]
        )

        network = parsed(tmp_path / variant, NETWORK)
        assert (network.backend, network.default_model_filename) == (backend, file)
        assert (tmp_path / variant / DECODER / "1" / "decode.py").is_file()
        assert not (tmp_path / variant / NETWORK / "1" / "model.py").exists()
        if variant is Variant.ONNXRUNTIME_GPU:
            half = onnxruntime.InferenceSession(str(tmp_path / variant / NETWORK / "1" / file))
            full = onnxruntime.InferenceSession(str(written / NETWORK / "1" / file))
            pixels = {"pixels": np.random.default_rng(0).normal(size=(1, 3, 32, 32)).astype(np.float32)}
            np.testing.assert_allclose(half.run(None, pixels)[0], full.run(None, pixels)[0], atol=0.02)

    def test_tensorrt_is_built_of_pictures(
        self, written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def shapes_of(network: Network, *, graph: Path, plan: Path, profile: Profile) -> str:
            assert graph.stat().st_size
            plan.write_text(f"{network.shapes(profile.opt)} {network.shapes(profile.max)}")
            return "10.13.3"

        monkeypatch.setattr(build_tensorrt, "write_plan", shapes_of)
        monkeypatch.setattr(build_tensorrt, "require_gpu", lambda: None)

        plan = build_tensorrt.build(repository=written, out=tmp_path / "out", model="image")

        assert plan.read_text() == "pixels:8x3x32x32 pixels:32x3x32x32"
        assert json.loads(plan.with_name("built_with.json").read_text()) == {"tensorrt": "10.13.3"}


class TestWeights:
    def test_give_labels_and_preprocessing_with_them(self, network: backbone.Backbone) -> None:
        assert tuple(network.labels) == LABELS
        assert network.preprocessing == backbone.Preprocessing(
            resize=tiny_resnet.RESIZE, crop=tiny_resnet.CROP
        )
        assert network.origin == "weights"

    @pytest.mark.parametrize("file", ["config.json", "model.safetensors", "preprocessor_config.json"])
    def test_a_folder_without_a_file_is_refused_in_one_line(self, weights: str, file: str) -> None:
        Path(weights, file).unlink()

        with pytest.raises(
            SystemExit, match=rf"^image: {weights} is no ResNet .*preprocessor_config\.json\): "
        ):
            command_line.main(["image", "--weights", weights, "--out", f"{weights}/out"])

    def test_those_of_another_network_are_refused(self, weights: str) -> None:
        numpy_files = later("safetensors.numpy")
        numpy_files.save_file(
            {"fc.weight": np.zeros((2, 32), np.float32)}, Path(weights, "model.safetensors")
        )

        with pytest.raises(backbone.NoWeights, match=r"weights lacks \d+ weights of a ResNet"):
            backbone.load(weights)


def test_one_command_writes_a_repository_of_a_folder(weights: str, tmp_path: Path) -> None:
    out = tmp_path / "out"

    command_line.main(["image", "--weights", weights, "--out", str(out)])

    about = json.loads((out / "image.json").read_text(encoding="utf-8"))
    assert about["weights"] == "weights"
    assert list(parsed(out, NETWORK).input[0].dims) == [3, tiny_resnet.CROP, tiny_resnet.CROP]
