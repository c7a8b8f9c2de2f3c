"""How readers react: mostly not at all, whoever writes; and some buy reactions."""

from __future__ import annotations

import random

_UNNOTICED_SHARE = 0.68
_BOUGHT_SHARE = 0.06


def views(*, followers: int, rng: random.Random) -> dict[str, int]:
    """Return how often a post was seen: most by a few followers, some by many who do not know the author.

    Drawn from a copy of the dice, so that the rest of the post does not depend on it.
    """
    aside = random.Random()
    aside.setstate(rng.getstate())
    aside.seed(aside.getrandbits(64))
    reach = 3.0 + 0.1 * followers
    return {"views": min(int(reach * aside.lognormvariate(0.0, 1.0)), 2_000_000)}


def reactions(*, is_spam: bool, followers: int, rng: random.Random) -> dict[str, int]:
    """Return the shares and comments of a post some time after it appeared.

    For small accounts the median is 0 in both classes (Gilani 2017); farms sell more (De Cristofaro 2014).
    """
    if is_spam and rng.random() < _BOUGHT_SHARE:
        return {"shares": int(rng.lognormvariate(3.2, 1.0)), "comments": int(rng.lognormvariate(1.6, 1.0))}
    unnoticed = _UNNOTICED_SHARE if followers < 2000 else _UNNOTICED_SHARE / 2
    if rng.random() < unnoticed:
        return {"shares": 0, "comments": 0}
    reach = rng.paretovariate(1.2)
    return {
        "shares": min(int(reach * rng.expovariate(1.0)), 20_000),
        "comments": min(int(reach * rng.expovariate(0.7)), 20_000),
    }
