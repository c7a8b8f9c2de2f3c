"""Calls to action of spam: most recent spam holds no link that a program would recognise."""

from __future__ import annotations

import random
from enum import StrEnum

from moderation.simulation import hosts, material
from moderation.simulation.material import Kind


class Lure(StrEnum):
    """The kinds of call to action."""

    LINK = "link"
    PROFILE = "profile"
    SEARCH = "search"
    PICTURE = "picture"
    SPELT_OUT = "spelt_out"


_WEIGHTS = {Lure.LINK: 40, Lure.PROFILE: 26, Lure.SEARCH: 13, Lure.PICTURE: 10, Lure.SPELT_OUT: 14}


def choose(*, rng: random.Random, has_links: bool) -> Lure:
    """Return how the posts of a template lead on; never by a link where the platform's posts have none."""
    lures = [lure for lure in Lure if has_links or lure != Lure.LINK]
    return rng.choices(lures, weights=[_WEIGHTS[lure] for lure in lures])[0]


def words(lure: Lure, *, kind: Kind, language: str, rng: random.Random) -> str:
    """Return words in place of a link."""
    table = material.table("lures")
    phrases = table["spelt_out"] if lure == Lure.SPELT_OUT else table[lure].get(language, table[lure]["en"])
    name, _, suffix = hosts.registered_host(kind, rng=rng).rpartition(".")
    # Without dots: `x7.deal` would be a link to a name that can exist.
    return str(rng.choice(phrases)).format(name=name.replace(".", "-"), suffix=suffix)
