"""A release that lacks something or answers otherwise than it says is refused, on a real Triton."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from moderation import scorer
from moderation.models import Promotion
from scoring import hosting
from scoring.release import Corrupt, Release, SchemaMismatch
from tests import releases
from tests.libraries import later
from tests.moderation.instants import AT
from tests.moderation.operations.conftest import ON_TRITON
from tests.moderation.operations.releases.promotion import TEXTS, promote_with

onnx = later("onnx")
pytestmark = [pytest.mark.whole, pytest.mark.django_db, *ON_TRITON]


class TestBadReleases:
    """Each is refused by name before the flip, and the live release goes on answering."""

    @pytest.fixture(autouse=True)
    def live_stays_up(self) -> Iterator[None]:
        before = scorer.content().scores(TEXTS)
        yield
        scorer.forget()
        assert not Promotion.objects.exists()
        assert scorer.release().id == scorer.shipped().id
        assert scorer.content().scores(TEXTS) == before

    def test_changed_model_file(self, candidate: Release, other_models: Path, tmp_path: Path) -> None:
        changed = _copied(other_models, tmp_path)
        with (changed / "distilbert/1/model.onnx").open("ab") as file:
            file.write(b"\0")

        with pytest.raises(Corrupt, match=r"model\.onnx: SHA-256"):
            promote_with(candidate, models=changed, at=AT)

    def test_folder_that_triton_does_not_read(
        self, candidate: Release, other_models: Path, tmp_path: Path, settings: Settings
    ) -> None:
        settings.TRITON_MODELS_DIR = tmp_path / "elsewhere" / "models"

        with pytest.raises(hosting.Refused, match="SPAMDESK_TRITON_MODELS_DIR"):
            promote_with(candidate, models=other_models, at=AT)

    def test_missing_tokenizer(self, candidate: Release, other_models: Path, tmp_path: Path) -> None:
        changed = _copied(other_models, tmp_path)
        (changed / "tokenizer/1/tokenizer.json").unlink()

        with pytest.raises(Corrupt, match=r"tokenizer\.json: pinned by the release but not there"):
            promote_with(candidate, models=changed, at=AT)

    @pytest.mark.long
    def test_tokenizer_that_was_never_there(self, other_models: Path, tmp_path: Path) -> None:
        changed = _copied(other_models, tmp_path)
        (changed / "tokenizer/1/tokenizer.json").unlink()

        with pytest.raises(hosting.Refused, match="tokenizer"):
            promote_with(releases.release(tmp_path / "release", models=changed), models=changed, at=AT)

    def test_model_file_that_is_no_model(self, other_models: Path, tmp_path: Path) -> None:
        changed = _copied(other_models, tmp_path)
        (changed / "distilbert/1/model.onnx").write_bytes(b"no model at all")

        with pytest.raises(hosting.Refused, match="distilbert"):
            promote_with(releases.release(tmp_path / "release", models=changed), models=changed, at=AT)

    def test_logits_that_are_no_numbers(self, tmp_path: Path) -> None:
        broken = releases.repository(tmp_path / "repository", shift=float("nan"))

        with pytest.raises((hosting.Refused, hosting.WrongAnswers), match="finite"):
            promote_with(releases.release(tmp_path / "release", models=broken), models=broken, at=AT)

    @pytest.mark.long
    def test_logits_of_another_shape(self, other_models: Path, tmp_path: Path) -> None:
        changed = _copied(other_models, tmp_path)
        _three_classes(changed / "distilbert/1/model.onnx")

        with pytest.raises((hosting.Refused, hosting.WrongAnswers), match="shape"):
            promote_with(releases.release(tmp_path / "release", models=changed), models=changed, at=AT)

    def test_answers_other_than_its_release_says(self, other_models: Path, tmp_path: Path) -> None:
        pins = hosting.pinned_files(other_models, model="content", version="1")
        probes = [{"text": "See you at the river tonight", "probability": 0.97}]
        content = {"model": "content", "version": "1", "files": pins, "probes": probes}

        with pytest.raises(hosting.WrongAnswers, match=r"its release says 0\.970"):
            promote_with(
                releases.release(tmp_path / "release", models=other_models, content=content),
                models=other_models,
                at=AT,
            )

    def test_other_features(self, other_models: Path, tmp_path: Path) -> None:
        with pytest.raises(SchemaMismatch):
            promote_with(
                releases.release(tmp_path / "release", models=other_models, schema_hash="0" * 64),
                models=other_models,
                at=AT,
            )

    def test_damaged_trees(self, candidate: Release, other_models: Path) -> None:
        (candidate.folder / "ensemble.json").write_text("{}")

        with pytest.raises(Corrupt, match=r"ensemble\.json"):
            promote_with(candidate, models=other_models, at=AT)

    def test_content_model_that_is_not_pinned(self, tmp_path: Path) -> None:
        unpinned = releases.release(
            tmp_path / "release", content={"model": "content", "version": "1"}, normaliser="none", metrics={}
        )

        with pytest.raises(Corrupt, match="does not pin"):
            promote_with(unpinned, models=releases.REPOSITORY, at=AT)


def _copied(repository: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(repository, tmp_path / "repository"))


def _three_classes(path: Path) -> None:
    """Give the model a third logit."""
    model = onnx.load(path)
    for node in model.graph.node:
        for place, name in enumerate(node.output):
            if name == "logits":
                node.output[place] = "two_logits"
    extra = onnx.helper.make_node("Concat", ["two_logits", "two_logits"], ["logits"], axis=1)
    model.graph.node.append(extra)
    [logits] = [one for one in model.graph.output if one.name == "logits"]
    model.graph.output.remove(logits)
    model.graph.output.append(onnx.helper.make_tensor_value_info("logits", onnx.TensorProto.FLOAT, ["n", 4]))
    onnx.save(model, path)
