"""Releases of a test's own, beside the shipped one, on the real Triton; a campaign and who hears of it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from moderation import scorer
from moderation.models import Campaign, Platform
from moderation.operations import host, webhooks
from scoring.release import Release
from tests import releases
from tests.moderation.fakes import FakeScorer
from tests.moderation.operations.campaigns import opened

OTHER_MODELS_SHIFT = 0.3


@pytest.fixture
def own_releases(tmp_path: Path, settings: object) -> Iterator[None]:
    """Keep releases in a folder of the test's own, and leave Triton as it was."""
    settings.RELEASES_DIR = tmp_path / "releases"  # type: ignore[attr-defined]  # pytest-django's fixture
    scorer.forget()
    yield
    scorer.forget()
    models = Path(settings.TRITON_MODELS_DIR)  # type: ignore[attr-defined]  # pytest-django's fixture
    admin = host.admin()
    for folder in models.glob("content_*"):
        admin.unload(folder.name)
    shutil.rmtree(models, ignore_errors=True)
    models.mkdir()


@pytest.fixture(scope="module")
def other_models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model repository whose content model finds everything a little more like spam."""
    return releases.repository(tmp_path_factory.mktemp("other") / "repository", shift=OTHER_MODELS_SHIFT)


@pytest.fixture
def candidate(tmp_path: Path, other_models: Path) -> Release:
    return releases.release(tmp_path / "candidate", models=other_models)


@pytest.fixture
def webhook(platform: Platform, at: datetime) -> Platform:
    """The platform takes webhooks, so deliveries wait."""
    webhooks.add(platform=platform, url="https://hooks.example/", at=at)
    return platform


@pytest.fixture
def pills(platform: Platform, fake_scorer: FakeScorer, at: datetime) -> Campaign:
    """A campaign of five that waits."""
    return opened(platform, 5, at=at)
