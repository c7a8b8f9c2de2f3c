"""Circumstances of a simulated post that a platform may send: client, address, journey, links, reactions."""

import random
from typing import Any

from simulation import addresses, journeys
from simulation.authors import Author, Role
from simulation.journeys import Style
from simulation.texts import Text

_NO_IP_SHARE = 0.12
_ASN_SHARE = 0.5
_LINKS_SENT_SHARE = 0.7
_REACTIONS_KNOWN_SHARE = 0.3
# How readers react: mostly not at all, whoever writes; and some buy reactions.
_UNNOTICED_SHARE, _BOUGHT_SHARE = 0.68, 0.06

# Posts without a journey come through apps and the platform's own API, in both classes.
_NO_JOURNEY_SHARE = {Role.FEED: 0.8, Role.HIJACKED: 0.5, Role.FRESH: 0.35, Role.POWER_USER: 0.35}
_USUAL_NO_JOURNEY_SHARE = 0.27

# People are paid to paste, and type in between: only some spam leaves the traces of a program.
_STYLES = {
    Role.ORDINARY: ([Style.TYPING, Style.PASTING, Style.SCHEDULED], [78, 18, 4]),
    Role.NEWCOMER: ([Style.TYPING, Style.PASTING], [82, 18]),
    Role.POWER_USER: ([Style.TYPING, Style.PASTING, Style.SCHEDULED], [60, 20, 20]),
    Role.FEED: ([Style.SCHEDULED, Style.PASTING, Style.BOT], [60, 20, 20]),
    Role.HIJACKED: ([Style.TYPING, Style.PASTING, Style.IMITATION, Style.BOT], [25, 35, 15, 25]),
    Role.AGED_BOUGHT: ([Style.TYPING, Style.PASTING, Style.IMITATION, Style.BOT], [48, 32, 10, 10]),
    Role.REPURPOSED: ([Style.TYPING, Style.PASTING, Style.SCHEDULED, Style.BOT], [55, 25, 10, 10]),
    Role.FRESH: ([Style.TYPING, Style.PASTING, Style.IMITATION, Style.BOT], [30, 32, 15, 23]),
    Role.BOOSTER: ([Style.TYPING, Style.IMITATION, Style.BOT], [35, 30, 35]),
    Role.PROMOTER: ([Style.TYPING, Style.PASTING, Style.SCHEDULED], [55, 33, 12]),
}


def circumstances(text: Text, *, author: Author, role: Role, rng: random.Random) -> dict[str, Any]:
    """Return what a platform that sends everything may or may not know of how the post was made."""
    takeover = author.takeover if role == Role.HIJACKED else None
    facts: dict[str, Any] = {"user_agent": (takeover and takeover.user_agent) or author.user_agent}
    if text.language:
        facts["language"] = text.language
    if rng.random() >= _NO_IP_SHARE:
        facts["ip"] = rng.choice((takeover and takeover.addresses) or author.addresses)
        if rng.random() < _ASN_SHARE:
            facts["ip_asn"] = addresses.asn_of(facts["ip"])
    if rng.random() >= _NO_JOURNEY_SHARE.get(role, _USUAL_NO_JOURNEY_SHARE):
        facts["journey"] = journeys.journey(_style(text, role=role, rng=rng), letters=len(text.text), rng=rng)
    if text.urls and rng.random() < _LINKS_SENT_SHARE:
        facts["links"] = list(text.urls)
    facts |= _views(followers=author.followers, rng=rng)
    if rng.random() < _REACTIONS_KNOWN_SHARE:
        # Sent when a platform hands posts over some time after they appeared.
        facts |= _reactions(is_spam=text.kind.is_spam, followers=author.followers, rng=rng)
    return facts


def _style(text: Text, *, role: Role, rng: random.Random) -> Style:
    """Return how the post was made; honest people paste what they pass on, or use an app."""
    if text.is_passed_on and rng.random() < 0.4:
        return Style.PASTING
    styles, weights = _STYLES[role]
    return rng.choices(styles, weights=weights)[0]


def _views(*, followers: int, rng: random.Random) -> dict[str, int]:
    """Return how often a post was seen: most by a few followers, some by many who do not know the author.

    Drawn from a copy of the dice, so that the rest of the post does not depend on it.
    """
    aside = random.Random()
    aside.setstate(rng.getstate())
    aside.seed(aside.getrandbits(64))
    reach = 3.0 + 0.1 * followers
    return {"views": min(int(reach * aside.lognormvariate(0.0, 1.0)), 2_000_000)}


def _reactions(*, is_spam: bool, followers: int, rng: random.Random) -> dict[str, int]:
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
