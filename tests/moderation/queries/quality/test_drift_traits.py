"""Posts as traits."""

from __future__ import annotations

import math

import pytest

from moderation.queries.quality import drift_traits
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
    [
        (math.nan, "?"),
        (0.0, "0"),
        (1.0, "2^0"),
        (9.0, "2^3"),
        (0.3, "2^-2"),
        (-3.0, "-2^1"),
        (1e-9, "2^-6"),
        (1e300, "2^20"),
    ],
)
def test_bins_are_powers_of_two(value: float, name: str) -> None:
    assert drift_traits.feature_bin(value) == name


@pytest.mark.parametrize("family", list(TraitFamily))
def test_buckets_lie_in_their_family(family: TraitFamily) -> None:
    places = [drift_traits.bucket((family, str(number))) for number in range(500)]

    assert {drift_traits.family_of(place) for place in places} == {family}
    assert max(places) < BUCKETS == sum(SIZES.values())
