"""Links of the simulated world, all under reserved names."""

from __future__ import annotations

import random
from collections.abc import Sequence

from moderation.simulation import material
from moderation.simulation.material import Kind

RESERVED_SUFFIXES = (
    ".example",
    ".test",
    ".invalid",
    ".localhost",
    ".example.com",
    ".example.net",
    ".example.org",
)

_SHARED_HOST_SHARE = 0.14
_LOOK_ALIKE_SHARE = 0.35
_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"


def spam_host(kind: Kind, *, rng: random.Random) -> str:
    """Return a host as spammers of this kind register them, or one that everybody uses."""
    hosts = material.table("hosts")
    if rng.random() < _SHARED_HOST_SHARE:
        return str(rng.choice(hosts["shared"]))
    if kind.name == "phishing_notice" and rng.random() < _LOOK_ALIKE_SHARE:
        return str(rng.choice(hosts["look_alikes"]))
    name = _filled(rng.choice(hosts["spam_patterns"]), words=[*kind.words, *hosts["spam_words"]], rng=rng)
    return f"{name}.{rng.choice(hosts['suffixes'])}"


def talk_host(kind: Kind, *, rng: random.Random) -> str:
    """Return a host that ordinary people link to."""
    hosts = material.table("hosts")
    if rng.random() < _SHARED_HOST_SHARE:
        return str(rng.choice(hosts["shared"]))
    return f"{str(rng.choice(hosts['talk_patterns'])).replace('{h}', rng.choice(kind.words))}.example"


def url_on(host: str, *, is_spam: bool, rng: random.Random) -> str:
    """Return a link to the host."""
    hosts = material.table("hosts")
    path = _filled(
        rng.choice(hosts["spam_paths" if is_spam else "talk_paths"]), words=hosts["spam_words"], rng=rng
    )
    scheme = "http" if rng.random() < (0.4 if is_spam else 0.08) else "https"
    return f"{scheme}://{host}{path}"


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
