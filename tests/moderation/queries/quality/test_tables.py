"""Krippendorff's alpha against worked examples."""

from __future__ import annotations

import pytest

from moderation.queries.quality.tables import agreement


class TestAgreement:
    def test_gives_the_worked_example_of_krippendorff(self) -> None:
        # Computing Krippendorff's Alpha-Reliability (2011), section A: ten units, two observers, alpha 0.095.
        first, second = (0, 1, 0, 0, 0, 0, 0, 0, 1, 0), (1, 1, 1, 0, 0, 1, 0, 0, 0, 0)

        found = agreement(spam=[a + b for a, b in zip(first, second, strict=True)], judgements=[2] * 10)

        assert found.alpha == pytest.approx(0.095, abs=5e-4)
        assert found.texts == 10
        assert found.low is not None
        assert found.high is not None
        assert found.low < 0.095 < found.high

    def test_is_one_where_all_agree(self) -> None:
        assert agreement(spam=[2, 0, 3], judgements=[2, 2, 3]).alpha == 1.0

    @pytest.mark.parametrize(("spam", "judgements"), [([], []), ([2, 2], [2, 2]), ([1, 0], [1, 1])])
    def test_says_nothing_without_pairs_or_with_one_value(
        self, spam: list[int], judgements: list[int]
    ) -> None:
        assert agreement(spam=spam, judgements=judgements).alpha is None
