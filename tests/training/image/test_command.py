"""`python -m training image`: a repository, its card, and refusals in one line."""

import argparse
import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf import text_format
from tritonclient.grpc import model_config_pb2

from scoring.release import Release
from tests.libraries import later, needs
from tests.scoring.starter import STARTER
from tests.training.image.pictures import folder_of
from training import __main__ as command_line
from training import build_tensorrt, served_content
from training.image import backbone, head, labelled_pictures, release_with, repository, resnet50
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
torch = later("torch")


@pytest.fixture(scope="module")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository whose network tells stripes from noise."""
    folder = tmp_path_factory.mktemp("fitted")
    data = folder_of(60, folder / "pictures", more=({"file": "nothing.png", "label": 1},))
    out = folder / "repository"
    command_line.main(["image", "--weights", "random", "--data", str(data), "--out", str(out)])
    return out


def parsed(folder: Path, model: str) -> Any:
    text = (folder / model / "config.pbtxt").read_text(encoding="utf-8")
    return text_format.Parse(text, model_config_pb2.ModelConfig())


@pytest.mark.long
class TestFitted:
    def test_the_file_tells_spam_from_other_pictures(self, fitted: Path, tmp_path: Path) -> None:
        session = onnxruntime.InferenceSession(str(fitted / NETWORK / "1" / "model.onnx"))
        labelled = labelled_pictures.load(
            folder_of(20, tmp_path), preprocessing=repository.served_of(fitted).preprocessing
        )
        steps = repository.served_of(fitted).preprocessing

        pixels = labelled_pictures.normalised(labelled.pixels, preprocessing=steps)
        [probabilities] = session.run(["probabilities"], {"pixels": pixels})

        labels = np.array([example.label for example in labelled.examples])
        assert probabilities.shape == (20, 2)
        assert ((probabilities[:, 1] > 0.5) == labels).mean() > 0.9

    def test_card_and_configuration_say_that_the_weights_are_random(self, fitted: Path) -> None:
        card = (fitted / "image-card.md").read_text(encoding="utf-8")
        about = json.loads((fitted / "image.json").read_text(encoding="utf-8"))

        assert "**RANDOM WEIGHTS.**" in card
        assert "| left out | 1 files that are no picture |" in card
        assert about["served"]["is_random"] is True
        assert about["data"]["unread"].keys() == {"nothing.png"}
        for model in (MODEL, NETWORK):
            assert "# RANDOM WEIGHTS" in (fitted / model / "config.pbtxt").read_text(encoding="utf-8")

    def test_labels_and_steps_are_those_of_the_ensemble(self, fitted: Path) -> None:
        config = parsed(fitted, MODEL)

        assert [step.model_name for step in config.ensemble_scheduling.step] == [DECODER, NETWORK]
        assert list(config.output[0].dims) == [2]
        assert (fitted / MODEL / config.output[0].label_filename).read_text() == "not spam\nspam\n"

    @pytest.mark.parametrize(
        ("variant", "backend", "file"),
        [
            (Variant.ONNXRUNTIME_GPU, "onnxruntime", "model.onnx"),
            (Variant.TENSORRT, "tensorrt", "model.plan"),
        ],
    )
    def test_variants_for_a_gpu(
        self, fitted: Path, tmp_path: Path, variant: Variant, backend: str, file: str
    ) -> None:
        command_line.main(
            [
                *("variants", "--model", "image", "--variant", variant),
                *("--repository", str(fitted), "--out", str(tmp_path)),
            ]
        )

        network = parsed(tmp_path / variant, NETWORK)
        assert (network.backend, network.default_model_filename) == (backend, file)
        assert (tmp_path / variant / DECODER / "1" / "decode.py").is_file()
        assert not (tmp_path / variant / NETWORK / "1" / "model.py").exists()
        if variant is Variant.ONNXRUNTIME_GPU:
            half = onnxruntime.InferenceSession(str(tmp_path / variant / NETWORK / "1" / file))
            full = onnxruntime.InferenceSession(str(fitted / NETWORK / "1" / file))
            pixels = {"pixels": np.random.default_rng(0).normal(size=(1, 3, 224, 224)).astype(np.float32)}
            np.testing.assert_allclose(half.run(None, pixels)[0], full.run(None, pixels)[0], atol=0.02)

    def test_tensorrt_is_built_of_pictures(
        self, fitted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def shapes_of(network: Network, *, graph: Path, plan: Path, profile: Profile) -> str:
            assert graph.stat().st_size
            plan.write_text(f"{network.shapes(profile.opt)} {network.shapes(profile.max)}")
            return "10.13.3"

        monkeypatch.setattr(build_tensorrt, "write_plan", shapes_of)
        monkeypatch.setattr(build_tensorrt, "require_gpu", lambda: None)

        plan = build_tensorrt.build_image(repository=fitted, out=tmp_path / "out")

        assert plan.read_text() == "pixels:8x3x224x224 pixels:32x3x224x224"
        assert json.loads(plan.with_name("built_with.json").read_text()) == {"tensorrt": "10.13.3"}


class TestRelease:
    def test_pins_files_and_answers_beside_content(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        base, last = Release.load(STARTER), torch.nn.Linear(3, 2)
        with torch.no_grad():
            last.weight.zero_()
            last.bias.copy_(torch.tensor([0.0, 0.5]))
        small = torch.nn.Sequential(torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), last).eval()
        network = backbone.Backbone(
            model=small,
            labels=head.LABELS,
            preprocessing=backbone.Preprocessing(resize=40, crop=32),
            origin="written by hand",
        )
        arguments = argparse.Namespace(release=STARTER, release_out=tmp_path / "next", out=tmp_path / "out")
        monkeypatch.setattr(served_content, "MODELS", tmp_path / "models")
        repository.write(network, out=arguments.out, about={})

        release_with.write(network, arguments=arguments)

        made = Release.load(tmp_path / "next")
        assert made.image is not None
        assert (made.content, made.files) == (base.content, base.files)
        assert set(made.image.files) == {"image/1/labels.txt", "resnet50/1/model.onnx"}
        assert [one.probability for one in made.image.probes] == pytest.approx([0.6225] * 2, abs=1e-3)
        name = f"image_{made.image.digest[:12]}"
        assert (tmp_path / "models" / name / "1" / "labels.txt").read_text() == "not spam\nspam\n"

    @pytest.mark.parametrize(
        ("options", "why"),
        [
            (["--release", "live"], "--release and --release-out belong together"),
            (["--release", "live", "--release-out", "next"], "give --data"),
        ],
    )
    def test_options_that_do_not_agree_are_refused(
        self, options: list[str], why: str, tmp_path: Path
    ) -> None:
        with pytest.raises(SystemExit, match=why):
            command_line.main(["image", "--weights", "random", "--out", str(tmp_path / "out"), *options])


class TestRefusals:
    def test_too_few_pictures(self, tmp_path: Path) -> None:
        data = folder_of(6, tmp_path / "pictures")

        with pytest.raises(SystemExit, match=r"image: the train part has \d spam .*it takes 8 of each"):
            command_line.main(
                ["image", "--weights", "random", "--data", str(data), "--out", str(tmp_path / "out")]
            )
        assert not (tmp_path / "out").exists()

    def test_weights_that_are_no_file_and_no_name(self, tmp_path: Path) -> None:
        with pytest.raises(SystemExit, match=r"nowhere\.pth is not a file, nor one of IMAGENET1K_V1"):
            command_line.main(["image", "--weights", "nowhere.pth", "--out", str(tmp_path / "out")])

    def test_a_file_that_holds_another_network(self, tmp_path: Path) -> None:
        torch.save({"fc.weight": torch.zeros(3, 2048)}, tmp_path / "other.pth")

        with pytest.raises(SystemExit, match=r"holds no state of torchvision's resnet50: RuntimeError"):
            command_line.main(
                ["image", "--weights", str(tmp_path / "other.pth"), "--out", str(tmp_path / "o")]
            )

    def test_without_a_hub_one_line_says_what_to_give(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("TORCH_HOME", str(tmp_path))
        monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")

        with pytest.raises(SystemExit, match=r"cannot be had .*: give a file with --weights FILE"):
            command_line.main(["image", "--out", str(tmp_path / "out")])


@pytest.mark.parametrize(
    "content", [None, b"\xff\xfe", b"cat\ndog\n"], ids=["missing", "no text", "two names"]
)
def test_names_of_classes_that_cannot_be_had_are_refused(content: bytes | None, tmp_path: Path) -> None:
    labels = tmp_path / "labels.txt"
    if content is not None:
        labels.write_bytes(content)

    with pytest.raises(backbone.NoWeights, match="--labels"):
        backbone.load(backbone.RANDOM, labels=labels)


def test_weights_from_a_file_are_what_was_saved(tmp_path: Path) -> None:
    random = backbone.load(backbone.RANDOM, seed=1)
    torch.save(random.model.state_dict(), tmp_path / "weights.pth")

    loaded = backbone.load(str(tmp_path / "weights.pth"))

    assert not loaded.is_random
    assert loaded.origin.startswith("weights.pth, SHA-256 ")
    assert len(loaded.labels) == 1000
    pixels = torch.randn(1, 3, 224, 224)
    with torch.inference_mode():
        assert torch.equal(loaded.model(pixels), random.model(pixels))


@pytest.mark.skipif(find_spec("torchvision") is None, reason="torchvision is not installed")
def test_the_network_and_its_preprocessing_are_torchvisions() -> None:
    models = pytest.importorskip("torchvision.models")
    ours, theirs = backbone.load(backbone.RANDOM), models.resnet50().eval()
    theirs.load_state_dict(ours.model.state_dict())
    pixels = torch.randn(1, 3, 224, 224)

    with torch.inference_mode():
        assert torch.equal(ours.model(pixels), theirs(pixels))
    for name, (file, resize) in backbone.HUB.items():
        entry = models.ResNet50_Weights[name]
        assert (entry.url.rpartition("/")[2], entry.transforms().resize_size) == (file, [resize])
        assert list(entry.meta["categories"]) == list(ours.labels)


def test_the_head_is_what_was_fitted() -> None:
    """Folded into one layer, scaling, regression and calibration answer as one after the other."""
    weights, bias = np.random.default_rng(0).normal(size=resnet50.FEATURES) / 50, 0.3
    random = backbone.load(backbone.RANDOM)
    model = head._with_head(random.model, weights, bias)
    pixels = torch.randn(2, 3, 64, 64)

    with torch.inference_mode():
        found = torch.softmax(model(pixels), dim=1)[:, 1].numpy()

    margins = backbone.features(random, pixels).numpy() @ weights + bias
    np.testing.assert_allclose(found, 1 / (1 + np.exp(-margins)), atol=1e-5)
