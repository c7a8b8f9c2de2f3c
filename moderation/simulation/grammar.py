"""Turn templates of the material into texts.

`{slot}` picks from a list of the slot's name, `{int:a-b}` a whole number, `[one|other]` one of the
alternatives; picks may hold slots again. A campaign repeats its choices and changes only what spammers
change: names, numbers, links, emoji.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence

Fill = Callable[[str], str]

_ALTERNATIVES = re.compile(r"\[([^\[\]]*)\]")
_SLOT = re.compile(r"\{(int:-?\d+-\d+|[a-z_][a-z_0-9]*)\}")
_NUMBER = re.compile(r"int:(-?\d+)-(\d+)")
_SPACES = re.compile(r" {2,}")

VARYING = frozenset(
    {
        "first_name",
        "city",
        "weekday",
        "phone",
        "handle",
        "contact",
        "cash",
        "hot_emoji",
        "smile",
        "when",
        "code",
    }
)
_REPHRASED_SHARE = 0.12


class Choices:
    """Picks among options; with `fixed`, repeats what an earlier text of the same campaign picked."""

    def __init__(self, *, rng: random.Random, fixed: dict[str, str] | None = None) -> None:
        self.rng = rng
        self.fixed = fixed

    def pick(self, *, place: str, options: Sequence[str], is_varying: bool) -> str:
        """Return one option; `place` names where in the template the choice is made."""
        if self.fixed is None or is_varying:
            return self.rng.choice(options)
        if place in self.fixed and self.rng.random() < _REPHRASED_SHARE:
            return self.rng.choice(options)
        return self.fixed.setdefault(place, self.rng.choice(options))


def expand(
    template: str,
    *,
    slots: Mapping[str, Sequence[str]],
    choices: Choices,
    fill: Mapping[str, Fill] | None = None,
) -> str:
    """Return the template with every choice made; `fill` computes the slots that are no lists.

    Raises KeyError naming a slot that no list defines.
    """
    text = _expand(template, place="", slots=slots, choices=choices, fill=fill or {})
    return _SPACES.sub(" ", text).strip(" ")


def _expand(
    template: str,
    *,
    place: str,
    slots: Mapping[str, Sequence[str]],
    choices: Choices,
    fill: Mapping[str, Fill],
) -> str:
    seen = 0

    def alternative(match: re.Match[str]) -> str:
        nonlocal seen
        seen += 1
        return choices.pick(place=f"{place}/{seen}|", options=match.group(1).split("|"), is_varying=False)

    def slot(match: re.Match[str]) -> str:
        nonlocal seen
        seen += 1
        name, here = match.group(1), f"{place}/{seen}{match.group(1)}"
        if number := _NUMBER.fullmatch(name):
            return str(choices.rng.randint(int(number[1]), int(number[2])))
        if name in fill:
            return fill[name](here)
        picked = choices.pick(place=here, options=slots[name], is_varying=name in VARYING)
        return _expand(picked, place=here, slots=slots, choices=choices, fill=fill)

    while _ALTERNATIVES.search(template):
        template = _ALTERNATIVES.sub(alternative, template)
    return _SLOT.sub(slot, template)
