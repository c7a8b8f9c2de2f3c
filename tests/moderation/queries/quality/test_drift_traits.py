"""Drift: posts as traits; bets pay no more than chance on average, and grow with what has grown."""

import math

import numpy as np
import numpy.typing as npt
import pytest

from moderation.queries.quality import drift_evidence, drift_traits
from moderation.queries.quality.drift_traits import BUCKETS, SIZES, TraitFamily
from scoring.features import NAMES, SCHEMA_HASH


def words(text: str) -> set[str]:
    return {name for _, name in drift_traits.of_text(text)}


class TestText:
    def test_has_words_and_pairs_in_one_form(self) -> None:
        assert words("Göld  HARVEST") == {"gold", "harvest", "gold harvest"}

    def test_keeps_names_and_hosts(self) -> None:
        assert {"@mr_fx", "evil.example"} <= words("ask @Mr_FX or https://www.evil.example/x?y=1")

    def test_counts_each_character_of_scripts_without_spaces(self) -> None:
        assert "黄 金" in words("黄金")

    @pytest.mark.parametrize("text", ["", "\x00", "a" * 100_000, "\u202e\u200b", "@" * 5_000])
    def test_bears_any_text(self, text: str) -> None:
        assert all(0 < len(name) <= 60 for name in words(text))


def traits(feature: float, *, probability: float = 0.0, schema: str = SCHEMA_HASH) -> set[drift_traits.Trait]:
    """Of an allowed post whose features all have one value."""
    return set(
        drift_traits.of_score(
            spam_probability=probability, route="allow", features=[feature] * len(NAMES), schema_hash=schema
        )
    )


class TestScore:
    def test_has_probability_route_and_features(self) -> None:
        found = traits(math.nan, probability=1.0)

        assert {(TraitFamily.PROBABILITY, "0.95"), (TraitFamily.PROBABILITY, "allow")} <= found
        assert (TraitFamily.FEATURE, "social.friends=?") in found

    def test_leaves_features_of_another_order_out(self) -> None:
        assert {family for family, _ in traits(1.0, schema="other")} == {TraitFamily.PROBABILITY}

    def test_leaves_out_what_grows_with_the_installation(self) -> None:
        named = {name.partition("=")[0] for family, name in traits(1.0) if family == TraitFamily.FEATURE}

        assert "context.url_length" in named
        assert not {"social.known_posts", "context.ip_days_known", "social.spam_share"} & named

    @pytest.mark.parametrize(
        ("value", "name"),
        [(math.nan, "?"), (0.0, "0"), (1.0, "2^0"), (9.0, "2^3"), (0.3, "2^-2"), (-3.0, "-2^1"),
         (1e-9, "2^-6"), (1e300, "2^20")],
    )  # fmt: skip
    def test_bins_are_powers_of_two(self, value: float, name: str) -> None:
        assert drift_traits.feature_bin(value) == name

    @pytest.mark.parametrize("family", list(TraitFamily))
    def test_buckets_lie_in_their_family(self, family: TraitFamily) -> None:
        places = [drift_traits.bucket((family, str(number))) for number in range(500)]

        start = drift_traits._STARTS[family]
        assert start <= min(places) <= max(places) < start + SIZES[family] <= BUCKETS == sum(SIZES.values())


def paid(
    now: npt.ArrayLike, before: npt.ArrayLike, *, authors: float = 100.0, authors_before: float = 2_800.0
) -> np.ndarray:
    """Return what each of the three bets pays (n, 3), no logarithm."""
    counts = np.array(now, dtype=float)
    logs = drift_evidence.payoffs(
        now=counts,
        before=np.array(before, dtype=float),
        authors=authors,
        authors_before=np.full(len(counts), authors_before),
    )
    found: np.ndarray = np.exp(logs.astype(float))
    return found


class TestPayoffs:
    def test_are_likelihood_ratios_of_binomials(self) -> None:
        under, guess = 150 / 2_950, 300 / 3_100

        [[first, *_]] = paid([3], [1])

        assert first == pytest.approx((guess / under) ** 3 * (1 - guess) / (1 - under), rel=1e-4)

    @pytest.mark.parametrize(("now", "before"), [(0, 50), (5, 200), (50, 2_000)])
    def test_lose_where_nothing_grew_by_half(self, now: float, before: float) -> None:
        assert (paid([now], [before]) < 1.0).all()

    def test_are_1_without_a_reference(self) -> None:
        assert paid([50], [0], authors_before=0.0).tolist() == [[1.0, 1.0, 1.0]]

    @pytest.mark.parametrize("having", [1, 2, 4])
    def test_are_1_on_average_where_a_rare_trait_grew_by_half(self, having: int) -> None:
        now = np.random.default_rng(2).binomial(having, 150 / 2_950, 200_000)

        assert paid(now, having - now).mean(axis=0) == pytest.approx([1.0, 1.0, 1.0], abs=0.15)

    def test_are_less_where_a_common_one_did(self) -> None:
        now = np.random.default_rng(2).hypergeometric(150, 2_800, 1_500, 200_000)

        assert (paid(now, 1_500 - now).mean(axis=0) < 1.0).all()

    def test_grown_adds_what_was_paid_as_if_each_block_were_the_first(self) -> None:
        payoff = np.log(np.full((BUCKETS, 3), 2.0, dtype=np.float32))

        evidence = drift_evidence.grown(drift_evidence.grown(drift_evidence.nothing(), payoff), payoff)

        assert np.exp(evidence) == pytest.approx(2 * (2 + 1), rel=1e-4)


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
