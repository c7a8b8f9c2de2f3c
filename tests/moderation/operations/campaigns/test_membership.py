"""The rule of belonging, as a table."""

from __future__ import annotations

import pytest

from moderation.models.campaigns import TieKind
from moderation.operations.campaigns.membership import weigh
from moderation.queries.campaigns.shared_traits import Sighting, Trait

CAMPAIGN, OTHER = 100, 200
MEMBERS = frozenset(range(1, 17))


def sighting(kind: TieKind, *posts: int, bands: int = 16) -> Sighting:
    return Sighting(trait=Trait(kind=kind, key="k", value="v", bands=bands), posts=posts)


def evidence(*sightings: Sighting, words: int = 10) -> float:
    """What speaks for the campaign that posts 1 to 16 are in; others are alone."""
    found = weigh(sightings, words=words, target_of=lambda post: CAMPAIGN if post in MEMBERS else -post)
    return found[CAMPAIGN].evidence if CAMPAIGN in found else 0.0


class TestWeigh:
    def test_a_text_of_six_words_is_enough_by_itself(self) -> None:
        assert evidence(sighting(TieKind.TEXT, 1), words=6) >= 1

    def test_a_short_text_is_not(self) -> None:
        assert evidence(sighting(TieKind.TEXT, *range(1, 17)), words=3) < 1

    def test_a_short_text_and_a_new_domain_are(self) -> None:
        assert evidence(sighting(TieKind.TEXT, 1), sighting(TieKind.DOMAIN, 1), words=3) >= 1

    @pytest.mark.parametrize("kind", [TieKind.LINK, TieKind.DOMAIN])
    def test_a_place_that_only_the_campaign_links_to_is_enough_once_it_is_known_well(
        self, kind: TieKind
    ) -> None:
        assert evidence(sighting(kind, *range(1, 17))) >= 1
        assert evidence(sighting(kind, 1, 2, 3)) < 1

    def test_a_domain_that_everybody_links_to_says_nothing(self) -> None:
        everybody = (1, *range(900, 915))

        assert evidence(sighting(TieKind.DOMAIN, *everybody)) < 0.1

    def test_a_link_and_its_domain_count_once(self) -> None:
        both = evidence(sighting(TieKind.LINK, 1, 2), sighting(TieKind.DOMAIN, 1, 2))

        assert both == evidence(sighting(TieKind.LINK, 1, 2))

    def test_neither_network_nor_author_alone_is_enough(self) -> None:
        assert evidence(sighting(TieKind.NETWORK, *range(1, 17))) < 1
        assert evidence(sighting(TieKind.AUTHOR, *range(1, 17))) < 1

    def test_author_network_and_domain_together_are(self) -> None:
        few = (1, 2, 3)

        assert (
            evidence(
                sighting(TieKind.AUTHOR, *few),
                sighting(TieKind.NETWORK, *few),
                sighting(TieKind.DOMAIN, *few),
            )
            >= 1
        )

    def test_a_text_that_nearly_fell_into_the_group_counts_in_part(self) -> None:
        shares = [evidence(sighting(TieKind.TEXT, 1, bands=bands)) for bands in (1, 2, 3, 4)]

        assert shares == sorted(shares)
        assert shares[0] < 1 <= shares[-1]

    def test_tells_what_ties_worth_a_word(self) -> None:
        found = weigh(
            [sighting(TieKind.TEXT, 1), sighting(TieKind.DOMAIN, 1, *range(900, 915))],
            words=10,
            target_of=lambda post: CAMPAIGN if post in MEMBERS else OTHER,
        )

        assert found[CAMPAIGN].kinds == ["text"]
