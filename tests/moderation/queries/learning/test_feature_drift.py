"""Features that moved between two samples, and those of which chance explains what changed."""

import numpy as np
import pytest

from moderation.queries.learning.feature_drift import moved

DICE = np.random.default_rng(7)
NAN = float("nan")


def sample(share: float, value: float, *, size: int = 1_000) -> np.ndarray:
    """Return numbers of one distribution, with a share of them replaced by a value."""
    numbers = DICE.lognormal(1.0, 1.0, size)
    numbers[: round(share * size)] = value
    return numbers


class TestMoved:
    @pytest.mark.parametrize(
        ("value", "is_unknown", "low"), [(NAN, True, None), (0.0, False, None), (1_000.0, False, 9.0)]
    )
    def test_names_the_values_that_moved(self, value: float, is_unknown: bool, low: float | None) -> None:
        found = moved("social.posts", sample(0.02, value), sample(0.35, value))

        assert found is not None
        assert found.index > 0.25
        assert found.is_unknown is is_unknown
        assert found.before < 0.15
        assert found.now > 0.3
        assert (found.low is None) is (low is None)
        if low is not None:
            assert found.low is not None
            assert found.low > low
            assert found.high is None

    @pytest.mark.parametrize("size", [200, 2_000])
    def test_says_nothing_of_chance(self, size: int) -> None:
        for _ in range(50):
            assert moved("social.posts", sample(0.3, NAN, size=size), sample(0.3, NAN, size=size)) is None

    def test_knows_flags_and_what_was_never_known(self) -> None:
        flags = np.zeros(500)
        raised = np.where(np.arange(500) < 200, 1.0, 0.0)
        unknown = np.full(500, NAN)
        flag, known = moved("a", flags, raised), moved("b", unknown, raised)

        assert flag is not None
        assert known is not None
        assert (flag.low, flag.high, round(flag.now, 1)) == (0.0, None, 0.4)
        assert known.index > 1
        assert moved("c", unknown, unknown) is None
