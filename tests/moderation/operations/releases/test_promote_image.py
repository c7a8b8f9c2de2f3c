"""A release may carry an image model: installed, loaded, probed and taken back with its content model."""

import base64
import dataclasses
import io
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings
from PIL import Image

from moderation import image_model, scorer
from moderation.models import Promotion
from moderation.operations.evidence import picture_model
from moderation.operations.releases import promote, triton
from scoring import hosting
from scoring.release import Corrupt, Release
from tests import releases
from tests.libraries import later as imported_later
from tests.libraries import needs
from tests.moderation.instants import AT, later
from tests.moderation.operations.conftest import ON_TRITON
from tests.moderation.operations.releases.promotion import promote_with
from training.image import repository
from training.image.backbone import FOR_SPAM, Backbone, Preprocessing

pytestmark = [pytest.mark.whole, needs("torch", "onnx"), pytest.mark.train, pytest.mark.django_db, *ON_TRITON]
torch = imported_later("torch")

RED, BLUE = (250, 10, 10), (10, 10, 250)


@pytest.fixture(scope="module")
def network() -> Backbone:
    """A network of no layer: what is red is spam."""

    class Red(torch.nn.Module):  # type: ignore[misc, name-defined] # torch is imported later
        def forward(self, pixels: Any) -> Any:
            red, _, blue = pixels.mean(dim=(2, 3)).unbind(dim=1)
            return SimpleNamespace(logits=torch.stack([blue, red], dim=1))

    steps = Preprocessing(resize=40, crop=32)
    return Backbone(model=Red().eval(), labels=FOR_SPAM, preprocessing=steps, origin="written by hand")


@pytest.fixture
def models(network: Backbone, tmp_path: Path) -> Path:
    """A model repository with the shipped content model and an image model."""
    out = tmp_path / "repository"
    for name in ("content", "tokenizer", "distilbert"):
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).symlink_to(releases.REPOSITORY / name)
    repository.write(network, out=out, about={})
    return out


@pytest.fixture
def pin(network: Backbone, models: Path) -> dict[str, Any]:
    return dataclasses.asdict(repository.pinned(network, repository=models))


def picture(colour: tuple[int, int, int]) -> bytes:
    written = io.BytesIO()
    Image.new("RGB", (90, 60), colour).save(written, format="WEBP")
    return written.getvalue()


def judged(colour: tuple[int, int, int]) -> float | None:
    """What the evidence of a picture says of it."""
    facts = picture_model.judged({"thumbnail": base64.b64encode(picture(colour)).decode()})
    assert facts is not None
    found: float | None = facts.get("image_spam_probability")
    return found


def test_goes_live_and_back_with_its_release(models: Path, pin: dict[str, Any], tmp_path: Path) -> None:
    candidate = releases.release(tmp_path / "release", image=pin)
    assert judged(RED) is None

    promote_with(candidate, models=models, at=AT)
    scorer.forget()

    red, blue = judged(RED), judged(BLUE)
    assert red is not None
    assert blue is not None
    assert red > 0.95
    assert blue < 0.05
    name = image_model.served_name(scorer.kept(candidate.id))
    assert name is not None
    note = Path(settings.TRITON_MODELS_DIR).with_name("live-models").read_text()
    assert name in note.split()

    promote.roll_back(actor=None, at=later(60))
    scorer.forget()

    assert image_model.live() is None
    assert judged(RED) is None


def test_one_that_answers_otherwise_is_refused_and_unloaded(
    models: Path, pin: dict[str, Any], tmp_path: Path
) -> None:
    wrong = {"picture": base64.b64encode(picture(RED)).decode(), "probability": 0.1}
    candidate = releases.release(tmp_path / "release", image=pin | {"probes": [wrong]})

    with pytest.raises(hosting.WrongAnswers, match=r"its release says 0\.100"):
        promote_with(candidate, models=models, at=AT)

    assert not Promotion.objects.exists()
    assert candidate.image is not None
    assert not triton.admin().is_ready(hosting.served_name(candidate.image))


def test_one_whose_files_are_nowhere_is_refused(pin: dict[str, Any], tmp_path: Path) -> None:
    candidate = releases.release(tmp_path / "release", image=pin)

    with pytest.raises(Corrupt, match=r"image/config\.pbtxt: cannot be read"):
        promote_with(candidate, models=releases.REPOSITORY, at=AT)

    assert not Promotion.objects.exists()


@pytest.mark.long
def test_one_that_training_installed_is_found_without_its_repository(
    models: Path, pin: dict[str, Any], tmp_path: Path
) -> None:
    candidate = releases.release(tmp_path / "release", image=pin)
    assert candidate.image is not None
    hosting.install(candidate.image, repository=models, models=Path(settings.TRITON_MODELS_DIR))

    promote_with(candidate, models=releases.REPOSITORY, at=AT)
    scorer.forget()

    assert (judged(RED) or 0.0) > 0.95


@pytest.mark.long
def test_that_of_the_release_before_any_promotion_is_loaded_by_the_sweep(
    models: Path, pin: dict[str, Any], tmp_path: Path, settings: Any
) -> None:
    first = releases.release(tmp_path / "release", image=pin)
    assert first.image is not None
    settings.RELEASE_DIR = first.folder
    scorer.forget()
    assert triton.reload() == []  # it is not installed, and says so
    assert judged(RED) is None

    name = hosting.install(first.image, repository=models, models=Path(settings.TRITON_MODELS_DIR))

    assert triton.reload() == [name]
    assert (judged(RED) or 0.0) > 0.95
    assert triton.reload() == []


@pytest.mark.long
def test_rollbacks_do_not_wait_for_image_models(models: Path, pin: dict[str, Any], tmp_path: Path) -> None:
    """Damaged since: the release goes live again, and what it would say of pictures is unknown."""
    candidate = releases.release(tmp_path / "release", image=pin)
    promote_with(candidate, models=models, at=AT)
    promote.roll_back(actor=None, at=later(60))
    assert candidate.image is not None
    name = hosting.served_name(candidate.image)
    triton.admin().unload(name)
    for file in Path(settings.TRITON_MODELS_DIR).glob("resnet50_*/1/model.onnx"):
        file.write_bytes(b"no model")

    promote.roll_back(to=candidate.id[:12], actor=None, at=later(120))
    scorer.forget()

    assert scorer.release().id == candidate.id
    assert judged(RED) is None


def test_a_manifest_without_one_is_read_as_before(tmp_path: Path) -> None:
    old = releases.release(tmp_path / "release")

    assert old.image is None
    assert "image" not in json.loads((old.folder / "manifest.json").read_text())
    assert Release.load(old.folder).id == old.id
