"""P-values are never too small, and evidence pays no more than chance on average."""

from __future__ import annotations

import numpy as np
import pytest

from moderation.queries.quality import drift_evidence
from moderation.queries.quality.drift_traits import BUCKETS


def p_value(*, now: float, before: float, authors: float = 100.0, authors_before: float = 2_800.0) -> float:
    [found] = drift_evidence.p_values(
        now=np.array([now]),
        before=np.array([before]),
        authors=authors,
        authors_before=np.array([authors_before]),
    )
    return float(found)


class TestPValues:
    def test_are_binomial_tails(self) -> None:
        share = 150 / 2_950

        assert p_value(now=3, before=0) == pytest.approx(share**3)
        assert p_value(now=1, before=1) == pytest.approx(1 - (1 - share) ** 2)

    @pytest.mark.parametrize(("now", "before"), [(0, 0), (0, 50), (5, 200), (50, 2_000)])
    def test_are_1_where_nothing_grew_by_half(self, now: float, before: float) -> None:
        assert p_value(now=now, before=before) == 1.0

    def test_are_1_without_a_reference(self) -> None:
        assert p_value(now=50, before=0, authors_before=0.0) == 1.0

    def test_are_exact_for_many_terms(self) -> None:
        dice = np.random.default_rng(1)
        share = 1_500 / (1_500 + 2_800)

        simulated = float((dice.binomial(600, share, 200_000) >= 230).mean())

        assert p_value(now=230, before=370, authors=1_000) == pytest.approx(simulated, rel=0.1)

    def test_are_never_too_small_by_chance(self) -> None:
        dice = np.random.default_rng(2)
        before, now = dice.poisson(56.0, 20_000), dice.poisson(2.0, 20_000)

        found = drift_evidence.p_values(
            now=now.astype(float),
            before=before.astype(float),
            authors=100.0,
            authors_before=np.full(20_000, 2_800.0),
        )

        for level in (0.2, 0.05, 0.01):
            assert (found <= level).mean() <= level


class TestGrown:
    def test_pays_at_most_1_on_average(self) -> None:
        dice = np.random.default_rng(3)

        paid = np.exp(drift_evidence.grown(np.full((100_000, 3), -np.inf, np.float32), dice.random(100_000)))

        assert paid[:, 1:].mean(axis=0) == pytest.approx([1.0, 1.0], abs=0.35)

    def test_falls_in_quiet_blocks(self) -> None:
        evidence = drift_evidence.nothing()
        high = drift_evidence.grown(evidence, np.full(BUCKETS, 1e-6))

        assert (drift_evidence.grown(high, np.ones(BUCKETS)) < high).all()


class TestExcess:
    def test_asks_for_more_with_more_platforms(self) -> None:
        evidence = drift_evidence.nothing()
        evidence[:] = 30.0

        one, ten = (drift_evidence.excess(evidence, platforms=number) for number in (1, 10))

        assert one - ten == pytest.approx(np.log(10))

    def test_needs_more_evidence_of_words_than_of_languages(self) -> None:
        evidence = drift_evidence.nothing()
        evidence[:] = 15.0

        found = drift_evidence.excess(evidence, platforms=1)

        assert (found >= 0).any()
        assert found[-1] < 0
