"""The shipped release as a scorer, with a stand-in for its content model."""

from __future__ import annotations

import pytest

from scoring.pipeline import Scorer
from scoring.release import Release
from tests.scoring.random_records import FakeContent
from tests.scoring.starter import STARTER


@pytest.fixture(scope="module")
def release() -> Release:
    return Release.load(STARTER)


@pytest.fixture
def content() -> FakeContent:
    return FakeContent()


@pytest.fixture
def scorer(release: Release, content: FakeContent) -> Scorer:
    return Scorer(release=release, content=content)
