"""Content models are copied under a name made of their content, whole or not at all; no Triton needed."""

import shutil
from pathlib import Path

import pytest

from scoring import hosting
from scoring.pins import ContentPin
from scoring.release import Corrupt
from training import variants

SHIPPED = Path(__file__).parents[2] / "triton_repo"
MODELS = ("content", "tokenizer", "distilbert")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """The shipped models with small files in place of the large ones."""
    folder = tmp_path / "repository"
    for model in MODELS:
        shutil.copytree(SHIPPED / model, folder / model, ignore=shutil.ignore_patterns("*.onnx", "*.json"))
    (folder / "distilbert/1/model.onnx").write_bytes(b"weights")
    (folder / "tokenizer/1/tokenizer.json").write_text("{}")
    return folder


@pytest.fixture
def pin(repository: Path) -> ContentPin:
    return pinned(repository)


def pinned(repository: Path) -> ContentPin:
    files = hosting.pinned_files(repository, model="content", version="1")
    return ContentPin(model="content", version="1", files=files)


class TestPinnedFiles:
    def test_are_weights_and_vocabulary(self, repository: Path) -> None:
        found = hosting.pinned_files(repository, model="content", version="1")

        assert set(found) == {"distilbert/1/model.onnx", "tokenizer/1/tokenizer.json"}

    def test_the_latest_version_of_a_step_counts(self, repository: Path) -> None:
        shutil.copytree(repository / "distilbert/1", repository / "distilbert/12")

        found = hosting.pinned_files(repository, model="content", version="1")

        assert "distilbert/12/model.onnx" in found

    def test_names_the_version_that_is_missing(self, repository: Path) -> None:
        with pytest.raises(Corrupt, match="has no version 7"):
            hosting.pinned_files(repository, model="content", version="7")

    def test_names_a_configuration_that_is_none(self, repository: Path) -> None:
        (repository / "content/config.pbtxt").write_text("name: content platform {")

        with pytest.raises(Corrupt, match=r"content/config\.pbtxt: not a model configuration"):
            hosting.pinned_files(repository, model="content", version="1")


class TestServedName:
    def test_follows_the_content(self, repository: Path, pin: ContentPin) -> None:
        before = hosting.served_name(pin)
        (repository / "distilbert/1/model.onnx").write_bytes(b"other weights")

        assert hosting.served_name(pinned(repository)) != before
        assert before.startswith("content_")

    def test_not_code_or_configuration(self, repository: Path, pin: ContentPin) -> None:
        with (repository / "distilbert/1/model.py").open("a") as code:
            code.write("# faster\n")

        assert hosting.served_name(pinned(repository)) == hosting.served_name(pin)

    def test_needs_pinned_files(self) -> None:
        with pytest.raises(Corrupt, match="does not pin"):
            hosting.served_name(ContentPin(model="content", version="1"))


class TestInstall:
    def test_copies_model_and_steps_under_their_own_names(
        self, repository: Path, pin: ContentPin, tmp_path: Path
    ) -> None:
        name = hosting.install(pin, repository=repository, models=tmp_path / "state" / "models")

        ending = name.removeprefix("content")
        installed = {path.name for path in (tmp_path / "state" / "models").iterdir()}
        assert installed == {f"{model}{ending}" for model in MODELS}
        config = (tmp_path / "state" / "models" / name / "config.pbtxt").read_text()
        assert f'name: "{name}"' in config
        assert f'model_name: "tokenizer{ending}"' in config
        assert f'model_name: "distilbert{ending}"' in config

    def test_twice_changes_nothing(self, repository: Path, pin: ContentPin, tmp_path: Path) -> None:
        models = tmp_path / "models"
        name = hosting.install(pin, repository=repository, models=models)
        before = (models / name).stat().st_ino

        hosting.install(pin, repository=repository, models=models)

        assert (models / name).stat().st_ino == before

    def test_brings_newer_code(self, repository: Path, pin: ContentPin, tmp_path: Path) -> None:
        models = tmp_path / "models"
        ending = hosting.install(pin, repository=repository, models=models).removeprefix("content")
        with (repository / "distilbert/1/model.py").open("a") as code:
            code.write("# faster\n")

        hosting.install(pin, repository=repository, models=models)

        assert "# faster" in (models / f"distilbert{ending}/1/model.py").read_text()

    @pytest.mark.parametrize("file", ["distilbert/1/model.onnx", "tokenizer/1/tokenizer.json"])
    def test_names_what_was_changed_or_lost(
        self, repository: Path, pin: ContentPin, tmp_path: Path, file: str
    ) -> None:
        (repository / file).write_text("changed")
        with pytest.raises(Corrupt, match="SHA-256"):
            hosting.install(pin, repository=repository, models=tmp_path / "models")

        (repository / file).unlink()
        with pytest.raises(Corrupt, match="not there"):
            hosting.install(pin, repository=repository, models=tmp_path / "models")

        assert not (tmp_path / "models").exists()


class TestVariants:
    """The same weights in other files, which say where they come from."""

    @pytest.fixture
    def for_a_card(self, repository: Path, pin: ContentPin, tmp_path: Path) -> Path:
        made = Path(shutil.copytree(repository, tmp_path / "tensorrt"))
        for name in ("model.onnx", "plan.json", "model.plan"):
            (made / "distilbert" / "1" / name).write_text(f"{name} of a card")
        config = 'name: "distilbert" backend: "tensorrt" default_model_filename: "model.plan"'
        (made / "distilbert" / "config.pbtxt").write_text(config)
        variants.finish(made, of=pin.files, model="content", models=None)
        return made

    def test_are_installed_under_the_name_of_the_weights_without_what_a_plan_was_built_from(
        self, repository: Path, for_a_card: Path, pin: ContentPin, tmp_path: Path
    ) -> None:
        models = tmp_path / "models"

        names = [
            hosting.install(pin, repository=place, models=models, variant="tensorrt")
            for place in (for_a_card, repository, tmp_path / "nowhere")  # the last two lack it
        ]

        assert set(names) == {hosting.served_name(pin)}
        network = models / names[0].replace("content", "distilbert") / "1"
        assert {file.name for file in network.iterdir()} == {"model.plan", "model.py"}
        hosting.check_installed(pin, models=models, variant="tensorrt")
        with pytest.raises(hosting.Refused, match="serves the variant onnxruntime-gpu"):
            hosting.check_installed(pin, models=models, variant="onnxruntime-gpu")

    def test_another_than_triton_serves_is_refused_with_the_command_that_makes_it(
        self, repository: Path, for_a_card: Path, pin: ContentPin, tmp_path: Path
    ) -> None:
        models = tmp_path / "models"
        for variant, place, command in (
            ("tensorrt", repository, "python -m training tensorrt --repository"),
            ("onnxruntime-gpu", repository, "python -m training variants --variant onnxruntime-gpu --rep"),
            ("cpu", for_a_card, "python -m training variants --variant cpu --repository"),
        ):
            with pytest.raises(hosting.Refused, match=f"serves the variant {variant} here, .* `{command}"):
                hosting.install(pin, repository=place, models=models, variant=variant)
        (for_a_card / "distilbert/1/model.plan").unlink()
        variants.finish(for_a_card, of=pin.files, model="content", models=None)
        with pytest.raises(hosting.Refused, match="there is a plan's recipe"):
            hosting.install(pin, repository=for_a_card, models=models, variant="tensorrt")

        assert not models.exists()

    def test_those_of_other_weights_and_changed_ones_are_refused(
        self, repository: Path, for_a_card: Path, pin: ContentPin, tmp_path: Path
    ) -> None:
        (repository / "distilbert/1/model.onnx").write_bytes(b"other weights")
        with pytest.raises(Corrupt, match="was made of other weights than the release pins"):
            hosting.install(pinned(repository), repository=for_a_card, models=tmp_path / "models")

        (for_a_card / "distilbert/1/model.plan").write_text("changed")
        with pytest.raises(Corrupt, match=r"model\.plan: SHA-256 is"):
            hosting.install(pin, repository=for_a_card, models=tmp_path / "models")
