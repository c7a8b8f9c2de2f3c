"""Quantities in words."""

import pytest

from moderation.web import quantities


@pytest.mark.parametrize(
    ("probability", "words"),
    [
        (0.0, "Almost certainly not spam"),
        (0.05, "Probably not spam"),
        (0.3, "Leaning not spam"),
        (0.5, "Even odds"),
        (0.55, "Leaning spam"),
        (0.94, "Probably spam"),
        (0.95, "Almost certainly spam"),
        (1.0, "Almost certainly spam"),
    ],
)
def test_band_says_the_odds(probability: float, words: str) -> None:
    assert quantities.band(probability) == words


@pytest.mark.parametrize(
    ("share", "words"), [(0.0, "0%"), (0.004, "<1%"), (0.5, "50%"), (0.994, ">99%"), (1.0, "100%")]
)
def test_percent_never_claims_certainty(share: float, words: str) -> None:
    assert quantities.percent(share) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.4, "0.4 s"), (40, "40 s"), (60, "1 minute"), (7200, "2 hours"), (86_400 * 800, "2 years")],
)
def test_duration_takes_the_largest_unit(seconds: float, words: str) -> None:
    assert quantities.duration(seconds) == words
