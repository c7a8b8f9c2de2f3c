"""How often posts of the simulated world lead somewhere, hide in what they lead to, and by which tricks."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from simulation.web.pictures import Alteration
from simulation.web.sites import Behaviour


class Where(StrEnum):
    """Where a post whose own text is harmless says what it has to say."""

    PAGE = "page"
    PICTURE = "picture"
    CODE = "code"
    CAPTIONS = "captions"


# Judgement, but for links: 21 % of spam on X had one in 2026, and pictures are what the attacks on the
# Fediverse of 2024 carried.
_WHERE = {Where.PAGE: 55, Where.PICTURE: 27, Where.CODE: 10, Where.CAPTIONS: 8}
# Judgement: nothing is published on how many pages behind spam cloak, turn or are gone when somebody looks.
_BEHAVIOURS = {
    Behaviour.PLAIN: 57, Behaviour.PREVIEW: 20, Behaviour.CLOAKED: 8,
    Behaviour.TURNS: 5, Behaviour.GONE: 6, Behaviour.DEAD: 4,
}  # fmt: skip
_SEEN_AT_ONCE = {Behaviour.PLAIN: 75, Behaviour.PREVIEW: 25}
_TRICKS = {Behaviour.CLOAKED: 50, Behaviour.TURNS: 50}
_HONEST = {Behaviour.PLAIN: 94, Behaviour.GONE: 4, Behaviour.DEAD: 2}
_ALTERATIONS = {
    Alteration.NONE: 85, Alteration.MIRRORED: 3, Alteration.CROPPED: 6, Alteration.RECOMPRESSED: 6,
}  # fmt: skip
_ALL_ALTERED = {Alteration.MIRRORED: 30, Alteration.CROPPED: 35, Alteration.RECOMPRESSED: 35}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """Chances.

    `hidden` spam has harmless words and says the rest elsewhere, as `twin` posts of honest people do.
    """

    hidden: float = 0.3
    twin: float = 0.1
    spam_picture: float = 0.12
    talk_picture: float = 0.15
    talk_captions: float = 0.02
    spam_captions: float = 0.015
    picture_without_text: Mapping[bool, float] = field(default_factory=lambda: {True: 0.4, False: 0.6})
    """By whether the post is spam: the share of its pictures that are photos."""
    affiliate: float = 0.6
    """Of spam links to large sites, the share that leads to an honest shop (Thomas 2011)."""
    where: Mapping[Where, float] = field(default_factory=lambda: _WHERE)
    behaviours: Mapping[Behaviour, float] = field(default_factory=lambda: _BEHAVIOURS)
    honest_behaviours: Mapping[Behaviour, float] = field(default_factory=lambda: _HONEST)
    alterations: Mapping[Alteration, float] = field(default_factory=lambda: _ALTERATIONS)


class Mode(StrEnum):
    """Which simulated web a world has."""

    ORDINARY = "ordinary"
    """Few posts lead anywhere, few of those hide: to train on, and what the demo shows."""
    HIDDEN = "hidden"
    """All spam has harmless words and says the rest where it leads; all honest posts lead somewhere, too."""
    ATTACKS = "attacks"
    """As hidden, but pages cloak or turn, and pictures are altered copies of known ones."""


_HIDDEN = Shares(
    hidden=1.0,
    twin=1.0,
    affiliate=0.0,
    behaviours=_SEEN_AT_ONCE,
    honest_behaviours={Behaviour.PLAIN: 1},
    alterations={Alteration.NONE: 1},
)
MODES = {
    Mode.ORDINARY: Shares(),
    Mode.HIDDEN: _HIDDEN,
    Mode.ATTACKS: dataclasses.replace(_HIDDEN, behaviours=_TRICKS, alterations=_ALL_ALTERED),
}
