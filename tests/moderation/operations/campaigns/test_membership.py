"""The rule of belonging to a campaign: evidence from what is shared."""

from collections.abc import Iterable

import pytest

from moderation.models.campaigns import TieKind
from moderation.operations.campaigns.membership import weigh
from moderation.queries.campaigns.shared_traits import Sighting, Trait

CAMPAIGN, OTHER = 100, 200
MEMBERS, FEW = frozenset(range(1, 17)), (1, 2, 3)


def sighting(kind: TieKind, *posts: int, bands: int = 16) -> Sighting:
    return Sighting(trait=Trait(kind=kind, key="k", value="v", bands=bands), posts=posts)


def evidence(*sightings: Sighting, words: int = 10) -> float:
    """What speaks for the campaign that posts 1 to 16 are in; others are alone."""
    found = weigh(sightings, words=words, target_of=lambda post: CAMPAIGN if post in MEMBERS else -post)
    return found[CAMPAIGN].evidence if CAMPAIGN in found else 0.0


class TestWeigh:
    @pytest.mark.parametrize(
        ("words", "sightings", "is_enough"),
        [
            pytest.param(6, {TieKind.TEXT: [1]}, True, id="a text of six words"),
            pytest.param(3, {TieKind.TEXT: MEMBERS}, False, id="a short text"),
            pytest.param(3, {TieKind.TEXT: [1], TieKind.DOMAIN: [1]}, True, id="and a new domain"),
            pytest.param(6, {TieKind.MEANING: [1]}, True, id="the meaning of six words"),
            pytest.param(10, {TieKind.LINK: MEMBERS}, True, id="a link of the campaign alone"),
            pytest.param(10, {TieKind.LINK: FEW}, False, id="a link that is hardly known"),
            pytest.param(10, {TieKind.DOMAIN: MEMBERS}, True, id="a domain of the campaign alone"),
            pytest.param(10, {TieKind.DOMAIN: FEW}, False, id="a domain that is hardly known"),
            pytest.param(10, {TieKind.NETWORK: MEMBERS}, False, id="the network"),
            pytest.param(10, {TieKind.AUTHOR: MEMBERS}, False, id="the author"),
            pytest.param(
                10,
                dict.fromkeys((TieKind.AUTHOR, TieKind.NETWORK, TieKind.DOMAIN), FEW),
                True,
                id="all three",
            ),
        ],
    )
    def test_is_enough(self, words: int, sightings: dict[TieKind, Iterable[int]], is_enough: bool) -> None:
        found = evidence(*(sighting(kind, *posts) for kind, posts in sightings.items()), words=words)

        assert (found >= 1) is is_enough

    def test_a_domain_that_everybody_links_to_says_nothing(self) -> None:
        everybody = (1, *range(900, 915))

        assert evidence(sighting(TieKind.DOMAIN, *everybody)) < 0.1

    def test_a_link_and_its_domain_count_once(self) -> None:
        both = evidence(sighting(TieKind.LINK, 1, 2), sighting(TieKind.DOMAIN, 1, 2))

        assert both == evidence(sighting(TieKind.LINK, 1, 2))

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
