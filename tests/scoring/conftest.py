"""The shipped release as a scorer, with a stand-in for its content model."""

import pytest

from scoring.ensemble import Ensemble
from scoring.pipeline import Scorer
from scoring.release import Release
from tests.scoring.random_records import FakeContent
from tests.scoring.starter import STARTER


@pytest.fixture(scope="module")
def release() -> Release:
    return Release.load(STARTER)


@pytest.fixture(scope="module")
def ensemble() -> Ensemble:
    return Ensemble.load(STARTER)


@pytest.fixture(scope="module")
def _content() -> FakeContent:
    return FakeContent()


@pytest.fixture(scope="module")
def scorer(release: Release, _content: FakeContent) -> Scorer:
    return Scorer(release=release, content=_content)


@pytest.fixture
def content(_content: FakeContent) -> FakeContent:
    """The scorer's own, of which this test has asked nothing yet."""
    _content.calls.clear()
    return _content
