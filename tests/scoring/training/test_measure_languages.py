"""What the card says is known of each language, and what is not."""

from __future__ import annotations

import numpy as np
import pytest

from scoring.release import Release
from scoring.training import evaluate, measure_languages
from scoring.training.dataset import Example
from scoring.training.measure_languages import Kind
from tests.scoring.starter import STARTER


@pytest.fixture(autouse=True)
def _narrow_bootstrap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate, "RESAMPLES", 20)


@pytest.fixture(scope="module")
def release() -> Release:
    return Release.load(STARTER)


def texts(text: str, *, language: str, spam: int, honest: int, source: str = "tests") -> list[Example]:
    return [
        Example(
            id=f"{language}-{place}",
            source=source,
            text=f"{text} {place}",
            label=int(place < spam),
            group=f"{language}-{source}-{place}",
            lang=language,
        )
        for place in range(spam + honest)
    ]


EXAMPLES = [
    *texts("hello there", language="en", spam=10, honest=30),
    *texts("สวัสดีครับ", language="th", spam=10, honest=10),
    *texts("code 123", language="th", spam=3, honest=20),
    *texts("bonjour", language="fr", spam=9, honest=100),
]


def said(release: Release, *, examples: list[Example], right: set[str]) -> str:
    """Return the card where the languages in `right` are told apart without a mistake, others not at all."""
    probabilities = np.array([0.9 if one.lang in right and one.label else 0.1 for one in examples])
    found = measure_languages.measured(examples, probabilities=probabilities, release=release)
    return measure_languages.write(found, release=release)


def test_measures_each_language_with_enough_texts_of_either_sort(release: Release) -> None:
    found = measure_languages.measured(
        EXAMPLES, probabilities=np.linspace(0.0, 1.0, len(EXAMPLES)), release=release
    )

    assert {kind: (one.rows, one.spam) for kind, one in found.known.items()} == {
        Kind("", "en", "tests"): (40, 10),
        Kind("THAI", "th", "tests"): (20, 10),
    }
    assert found.unknown == {Kind("", "fr", "tests"): 109, Kind("", "th", "tests"): 23}


def test_the_page_tells_what_is_known_and_what_is_not(release: Release) -> None:
    card = said(release, examples=EXAMPLES, right={"en"})

    assert "| en | tests | 40 (10) | 1.000 (1.000 to 1.000) | 100.0% | 0.0% | read |" in card
    assert "| th | tests | 20 (10) | 0.500 (0.500 to 0.500) | 0.0% | 0.0% | Thai: **not read** |" in card
    assert "Read are texts in these scripts: Latin." in card
    assert "fewer than 10 spam or other texts: fr 109, th 23." in card


def test_false_positives_are_of_the_honest_ones(release: Release) -> None:
    examples = texts("hello there", language="en", spam=20, honest=40)
    # Half of the spam and a quarter of the others are flagged.
    probabilities = np.array([0.9] * 10 + [0.1] * 10 + [0.9] * 10 + [0.1] * 30)

    found = measure_languages.measured(examples, probabilities=probabilities, release=release)

    assert "| 50.0% | 25.0% | read |" in measure_languages.write(found, release=release)


def test_without_enough_texts_nothing_is_known(release: Release) -> None:
    card = said(release, examples=EXAMPLES[-5:], right=set())

    assert "fewer than 10 spam or other texts: fr 5." in card
