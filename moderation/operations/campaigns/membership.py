"""Which campaign a post belongs to: the rule, as arithmetic on what it shares with earlier posts. No rows.

`docs/adr/0006-campaigns-by-summed-ties.md` argues the numbers.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from moderation.models.campaigns import TieKind
from moderation.queries.campaigns.shared_traits import Sighting

ENOUGH = 1.0
"""The evidence from which a post belongs to a campaign."""

_LONG_WORDS, _SHORT_WORDS = 6, 3
_LONG_TEXT, _SHORT_TEXT, _TINY_TEXT = 1.0, 0.6, 0.3
"""A text of six words and more is enough by itself; "happy birthday" needs another tie."""

_RELATED = {1: 0.4, 2: 0.6, 3: 0.8}
"""The weight of a group by how many of the sixteen bands it shares; full from four on."""

_PICTURE_ALONE, _PICTURE_SHORT, _PICTURE_LONG = 1.0, 0.8, 0.6
"""A picture is enough by itself where it is the message; beside a text of its own, anybody may show it."""

_WEIGHTS = {TieKind.LINK: 1.3, TieKind.DOMAIN: 1.2, TieKind.NETWORK: 0.5, TieKind.AUTHOR: 0.6}
_WORDS = (TieKind.TEXT, TieKind.MEANING)
_COUNT_ONCE = (_WORDS, (TieKind.LINK, TieKind.DOMAIN, TieKind.PICTURE), (TieKind.NETWORK,), (TieKind.AUTHOR,))
_DOUBT = 2
"""Added to the number of posts looked at: a domain seen once says less than one seen ten times."""

# Weights add up in floats: 0.6 + 0.3 + 0.1 is less than 1.
_ROUNDING = 1e-9

_TELLING = 0.1
"""Ties below this are not worth a word on the page."""

Target = TypeVar("Target", bound=Hashable)


@dataclass(slots=True)
class Ties:
    """Evidence for one campaign, or for a single post: the strongest tie of each kind."""

    shares: dict[TieKind, float] = field(default_factory=dict)

    @property
    def evidence(self) -> float:
        """The sum; text and meaning count once, and a link, its domain and the picture that it may bring."""
        return sum(max(self.shares.get(kind, 0.0) for kind in kinds) for kinds in _COUNT_ONCE)

    @property
    def is_enough(self) -> bool:
        """Whether the evidence is enough for the post to belong there."""
        return self.evidence >= ENOUGH - _ROUNDING

    @property
    def kinds(self) -> list[str]:
        """The kinds worth telling, in a fixed order; a shared link needs no word on its domain."""
        strong = [kind for kind in TieKind if self.shares.get(kind, 0.0) >= _TELLING]
        return [kind.value for kind in strong if kind != TieKind.DOMAIN or TieKind.LINK not in strong]

    def add(self, kind: TieKind, share: float) -> None:
        """Keep the strongest tie of each kind."""
        self.shares[kind] = max(self.shares.get(kind, 0.0), share)


def weigh(
    sightings: Sequence[Sighting], *, words: int, target_of: Callable[[int], Target]
) -> dict[Target, Ties]:
    """Sum the evidence for each target: the campaign of an earlier post, or that post itself.

    A shared domain, network or author counts by how much of it belongs to the target: of the latest posts
    with it, how many are there? So a domain in a third of all posts connects nothing, and a domain of a
    single campaign does, however large the campaign grows.
    """
    by_target: dict[Target, Ties] = {}
    for sighting in sightings:
        counts = Counter(target_of(post) for post in sighting.posts)
        for target, count in counts.items():
            share = _share(sighting, count=count, words=words)
            by_target.setdefault(target, Ties()).add(sighting.trait.kind, share)
    return by_target


def could_join(sightings: Sequence[Sighting], *, words: int) -> bool:
    """Whether the evidence could be enough, if all of these posts were in one campaign."""
    return any(ties.is_enough for ties in weigh(sightings, words=words, target_of=lambda _: 0).values())


def _share(sighting: Sighting, *, count: int, words: int) -> float:
    kind = sighting.trait.kind
    if kind == TieKind.PICTURE:
        is_long, is_short = words >= _LONG_WORDS, words >= _SHORT_WORDS
        return _PICTURE_LONG if is_long else _PICTURE_SHORT if is_short else _PICTURE_ALONE
    if kind not in _WORDS:
        return _WEIGHTS[kind] * count / (len(sighting.posts) + _DOUBT)
    weight = _LONG_TEXT if words >= _LONG_WORDS else _SHORT_TEXT if words >= _SHORT_WORDS else _TINY_TEXT
    return weight * _RELATED.get(sighting.trait.bands, 1.0)
