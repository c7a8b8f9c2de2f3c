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
from tests.moderation.instants import AT
from tests.moderation.operations.conftest import ON_TRITON
from tests.moderation.operations.releases.promotion import TEXTS, promote_with

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

    def test_model_file_that_is_no_model(self, other_models: Path, tmp_path: Path) -> None:
        changed = _copied(other_models, tmp_path)
        (changed / "distilbert/1/model.onnx").write_bytes(b"no model at all")

        with pytest.raises(hosting.Refused, match="distilbert"):
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


def _copied(repository: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(repository, tmp_path / "repository"))
