"""Domains by name: those that people widely link to, and those under which anybody may publish.

Both lists are text files beside this one, which name their sources.
"""

import functools
import re
from collections.abc import Iterator
from pathlib import Path

from scoring.links import registrable_domain

# Suffixes reserved for authorities and universities.
_OF_AUTHORITIES = re.compile(r"(?:^|\.)(?:gov|mil|edu|(?:gov|gob|gouv|ac|nhs)\.[a-z]{2})$")


@functools.cache
def popular_domains() -> frozenset[str]:
    """Return registrable domains that many sites link to, none of them open to anyone."""
    return _listed("popular_domains.txt")


@functools.cache
def open_domains() -> frozenset[str]:
    """Return domains and hosts under which anybody may publish or redirect: free hosts, shorteners, forms."""
    return _listed("open_domains.txt")


def is_open(host: str) -> bool:
    """Return whether anybody may publish under a host, so that its name has no one author."""
    return not open_domains().isdisjoint(_parents(host))


def is_popular(host: str) -> bool:
    """Return whether a host belongs to a popular domain, an authority or a university, and has one author."""
    is_known = registrable_domain(host) in popular_domains() or _OF_AUTHORITIES.search(host) is not None
    return is_known and not is_open(host)


def _parents(host: str) -> Iterator[str]:
    labels = host.split(".")
    return (".".join(labels[place:]) for place in range(len(labels)))


def _listed(name: str) -> frozenset[str]:
    lines = Path(__file__).with_name(name).read_text(encoding="ascii").splitlines()
    return frozenset(line for line in lines if not line.startswith("#"))
