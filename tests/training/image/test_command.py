"""`python -m training image`: a repository, its card, and refusals in one line."""

import argparse
import base64
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf import text_format
from PIL import Image
from tritonclient.grpc import model_config_pb2

from scoring.release import Release
from tests import tiny_resnet
from tests.libraries import later, needs
from tests.scoring.starter import STARTER
from training import __main__ as command_line
from training import build_tensorrt, served_content
from training.image import backbone, command, head, repository
from training.image.configs import DECODER, MODEL, NETWORK
from training.labelled_lines import Malformed
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


@pytest.fixture
def weights(tmp_path: Path) -> str:
    return tiny_resnet.saved(tmp_path / "weights", labels=backbone.FOR_SPAM)


@pytest.fixture
def network(weights: str) -> backbone.Backbone:
    return backbone.load(weights)


@pytest.fixture
def written(network: backbone.Backbone, tmp_path: Path) -> Path:
    out = tmp_path / "repository"
    repository.write(network, out=out, about={})
    return out


def parsed(folder: Path, model: str) -> Any:
    text = (folder / model / "config.pbtxt").read_text(encoding="utf-8")
    return text_format.Parse(text, model_config_pb2.ModelConfig())


def red_and_blue(folder: Path, *more: str, count: int = 30) -> Path:
    """Write pictures, every second one red and spam, and the manifest with `more` lines at its end."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for number in range(count):
        colour = (150 + number, 0, 10) if number % 2 else (10, number, 200)
        Image.new("RGB", (60, 40), colour).save(folder / f"{number}.png")
        lines.append(json.dumps({"file": f"{number}.png", "label": number % 2, "group": f"g{number}"}))
    (folder / "manifest.jsonl").write_text("".join(f"{line}\n" for line in (*lines, *more)), encoding="utf-8")
    return folder


class TestLastLayer:
    def test_tells_spam_from_other_pictures_it_has_not_seen(
        self, network: backbone.Backbone, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        others = [f'{{"file": "{name}", "label": 1}}' for name in ("text.png", "gone.png")]
        folder = red_and_blue(tmp_path, *others)
        (folder / "text.png").write_text("a page", encoding="utf-8")

        fitted, measured = head.fit(network, folder)

        assert (measured["pictures"], measured["roc_auc"], measured["accuracy"]) == (30, 1.0, 1.0)
        assert 2 <= measured["held_out"] <= 15
        assert [message.split(":")[1] for message in caplog.messages] == [" text.png", " gone.png"]
        files = [(folder / name).read_bytes() for name in ("0.png", "1.png")]
        both = np.stack([backbone.pixels(file, preprocessing=fitted.preprocessing) for file in files])
        with torch.inference_mode():
            logits = fitted.model(torch.from_numpy(both)).logits
        [blue, red] = torch.softmax(logits, dim=1)[:, 1].tolist()
        assert blue < 0.3
        assert red > 0.7
        assert tuple(fitted.labels) == backbone.FOR_SPAM

    def test_too_few_pictures_are_refused(self, network: backbone.Backbone, tmp_path: Path) -> None:
        with pytest.raises(head.TooFew, match=r"held out, \d are spam: it takes both"):
            head.fit(network, red_and_blue(tmp_path, count=3))

    @pytest.mark.parametrize(
        "line", ['{"file": "0.png"}', '{"file": "0.png", "label": 2}', '{"file": 7, "label": 1}']
    )
    def test_a_line_that_cannot_be_meant_is_refused_by_its_number(
        self, network: backbone.Backbone, tmp_path: Path, line: str
    ) -> None:
        with pytest.raises(Malformed, match=r"line 3: `file` must be a name, `label` 0 or 1"):
            head.fit(network, red_and_blue(tmp_path, line, count=2))


def test_pixels_are_normalised_as_on_the_server() -> None:
    written = io.BytesIO()
    Image.new("RGB", (4, 4), (255, 0, 0)).save(written, format="PNG")
    steps = backbone.Preprocessing(resize=2, crop=2, mean=(0.5, 0.5, 0.5), deviation=(0.25, 0.25, 0.25))

    found = backbone.pixels(written.getvalue(), preprocessing=steps)

    assert found.dtype == np.float32
    assert found.tolist() == [[[2.0] * 2] * 2, [[-2.0] * 2] * 2, [[-2.0] * 2] * 2]


class TestRepository:
    def test_labels_and_steps_are_those_of_the_ensemble(self, written: Path) -> None:
        config = parsed(written, MODEL)

        assert [step.model_name for step in config.ensemble_scheduling.step] == [DECODER, NETWORK]
        assert list(config.output[0].dims) == [2]
        assert (written / MODEL / config.output[0].label_filename).read_text() == "not spam\nspam\n"

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

        plan = build_tensorrt.build_image(repository=written, out=tmp_path / "out")

        assert plan.read_text() == "pixels:8x3x32x32 pixels:32x3x32x32"
        assert json.loads(plan.with_name("built_with.json").read_text()) == {"tensorrt": "10.13.3"}


class TestRelease:
    def test_pins_files_and_answers_beside_content(
        self,
        network: backbone.Backbone,
        written: Path,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        base = Release.load(STARTER)
        arguments = argparse.Namespace(release=STARTER, release_out=tmp_path / "next", out=written)
        monkeypatch.setattr(served_content, "MODELS", tmp_path / "models")

        command.write_release(network, arguments=arguments)

        made = Release.load(tmp_path / "next")
        assert made.image is not None
        assert (made.content, made.files) == (base.content, base.files)
        assert set(made.image.files) == {"image/1/labels.txt", "resnet50/1/model.onnx"}
        session = onnxruntime.InferenceSession(str(written / NETWORK / "1" / "model.onnx"))
        for probe in made.image.probes:
            pixels = backbone.pixels(base64.b64decode(probe.picture), preprocessing=network.preprocessing)
            [[_, spam]] = session.run(None, {"pixels": pixels[None]})[0]
            assert probe.probability == pytest.approx(spam, abs=1e-5)
        name = f"image_{made.image.digest[:12]}"
        assert (tmp_path / "models" / name / "1" / "labels.txt").read_text() == "not spam\nspam\n"

    @pytest.mark.parametrize(
        ("options", "why"),
        [
            (["--release", "live"], "--release and --release-out belong together"),
            (["--release", "live", "--release-out", "next"], "give --data, or weights that have them"),
        ],
    )
    def test_options_that_do_not_agree_are_refused(
        self, options: list[str], why: str, tmp_path: Path
    ) -> None:
        weights = tiny_resnet.saved(tmp_path / "weights", labels=("cat", "dog"))

        with pytest.raises(SystemExit, match=why):
            command_line.main(["image", "--weights", weights, "--out", str(tmp_path / "out"), *options])


class TestWeights:
    def test_give_labels_and_preprocessing_with_them(self, network: backbone.Backbone) -> None:
        assert network.labels == ["not spam", "spam"]
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


def test_one_command_writes_a_repository_of_a_folder_and_pictures(weights: str, tmp_path: Path) -> None:
    out, data = tmp_path / "out", red_and_blue(tmp_path / "pictures")

    command_line.main(["image", "--weights", weights, "--data", str(data), "--out", str(out)])

    about = json.loads((out / "image.json").read_text(encoding="utf-8"))
    assert (about["weights"], about["data"]["pictures"]) == ("weights", 30)
    assert list(parsed(out, NETWORK).input[0].dims) == [3, tiny_resnet.CROP, tiny_resnet.CROP]
