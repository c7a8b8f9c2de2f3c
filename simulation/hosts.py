"""Links of the simulated world, all under reserved names."""

import functools
import random
from collections.abc import Sequence

from simulation import material

RESERVED_SUFFIXES = (
    ".example",
    ".test",
    ".invalid",
    ".localhost",
    ".example.com",
    ".example.net",
    ".example.org",
)

# Where spam leads: 30 to 45 % to other people's sites and free hosts (Interisle 2020 and 2022), to shorteners
# (Grier 2010), to reputable shops that pay for visitors (Thomas 2011).
_SPAM_PLACES = ("registered", "broken_into", "free_host", "shortener", "large_site")
_SPAM_WEIGHTS = (42, 23, 16, 14, 5)
_TALK_PLACES = ("own", "small_site", "free_host", "shortener", "large_site")
_TALK_WEIGHTS = (50, 25, 8, 9, 8)
_LOOK_ALIKE_SHARE = 0.03
_HTTP_SHARE = {True: 0.12, False: 0.05}
_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"


def spam_host(*, rng: random.Random) -> str:
    """Return a host that spam links to: registered for it, broken into, or open to everybody."""
    hosts = material.table("hosts")
    place = rng.choices(_SPAM_PLACES, weights=_SPAM_WEIGHTS)[0]
    if place != "registered":
        return _known_host(place, words=hosts["spam_words"], rng=rng)
    if rng.random() < _LOOK_ALIKE_SHARE:
        return str(rng.choice(hosts["look_alikes"]))
    return registered_host(rng=rng)


def registered_host(*, rng: random.Random) -> str:
    """Return a host that spammers registered."""
    hosts = material.table("hosts")
    name = _filled(rng.choice(hosts["spam_patterns"]), words=hosts["spam_words"], rng=rng)
    return f"{name}.{rng.choice(hosts['suffixes'])}"


def talk_host(*, rng: random.Random) -> str:
    """Return a host that ordinary people link to."""
    hosts = material.table("hosts")
    place = rng.choices(_TALK_PLACES, weights=_TALK_WEIGHTS)[0]
    if place != "own":
        return _known_host(place, words=hosts["talk_words"], rng=rng)
    own = rng.choice(hosts["talk_patterns"]).format(h=rng.choice(hosts["talk_words"]))
    return f"{own}.example"


def url_on(host: str, *, is_spam: bool, rng: random.Random) -> str:
    """Return a link to the host; most spam links have a path like any other."""
    hosts = material.table("hosts")
    paths = hosts["talk_paths"]
    if host in hosts["shorteners"]:
        paths = ["/{x}"]
    elif is_spam and is_small_site(host):
        paths = hosts["hijacked_paths"]
    elif is_spam and rng.random() < 0.6:
        paths = hosts["spam_paths"]
    scheme = "http" if rng.random() < _HTTP_SHARE[is_spam] else "https"
    return f"{scheme}://{host}{_filled(rng.choice(paths), words=hosts['spam_words'], rng=rng)}"


def is_shared(domain: str) -> bool:
    """Tell whether everybody uses the host: one that exists is no spammer's own."""
    hosts = material.table("hosts")
    shared = (*hosts["shorteners"], *hosts["free_hosts"], *hosts["large_sites"])
    return domain in shared or not f".{domain}".endswith(RESERVED_SUFFIXES)


def small_site(*, rng: random.Random) -> str:
    """Return the site of honest people, which spammers may have broken into: its name says nothing."""
    hosts = material.table("hosts")
    return f"{rng.choice(hosts['owners'])}-{rng.choice(hosts['trades'])}.example"


def is_small_site(host: str) -> bool:
    """Tell whether this is the site of honest people, whoever links to it."""
    return host.removeprefix("www.") in _small_sites()


@functools.cache
def _small_sites() -> frozenset[str]:
    hosts = material.table("hosts")
    return frozenset(f"{owner}-{trade}.example" for owner in hosts["owners"] for trade in hosts["trades"])


def _known_host(place: str, *, words: Sequence[str], rng: random.Random) -> str:
    """Return a host that somebody else owns."""
    hosts = material.table("hosts")
    if place == "shortener":
        return str(rng.choice(hosts["shorteners"]))
    if place == "large_site":
        return str(rng.choice(hosts["large_sites"]))
    if place == "free_host":
        free = rng.choice(hosts["free_hosts"])
        return f"{rng.choice(words)}{rng.randint(1, 99)}.{free}" if rng.random() < 0.5 else str(free)
    site = small_site(rng=rng)
    return f"www.{site}" if rng.random() < 0.3 else site


def _filled(pattern: str, *, words: Sequence[str], rng: random.Random) -> str:
    values = {
        **dict(zip("abc", rng.choices(words, k=3), strict=True)),
        "n": str(rng.randint(1, 9999)),
        "d": str(rng.randint(2, 9)),
        "y": str(rng.randint(2022, 2026)),
        "m": f"{rng.randint(1, 12):02}",
        "x": "".join(rng.choices(_LETTERS, k=rng.randint(4, 10))),
        "slug": rng.choice(material.table("hosts")["slugs"]),
    }
    return pattern.format_map(values)
