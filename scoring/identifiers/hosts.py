"""Look-alikes of a host: other domains that a reader takes for it."""

from __future__ import annotations

from scoring.identifiers.skeleton import skeleton


def found(domains: frozenset[str]) -> dict[str, str]:
    """Return the skeleton of each domain that a post links to."""
    return {domain: skeleton_of(domain) for domain in domains}


def anchor(value: str) -> str:
    """Return the skeleton, by which a rule is looked up."""
    return skeleton_of(value)


def anchors(domains: dict[str, str]) -> set[str]:
    return set(domains.values())


def holds(domains: dict[str, str], value: str) -> bool:
    """Tell whether a domain looks like this one without being it."""
    shape = skeleton_of(value)
    return any(looks == shape and domain != value for domain, looks in domains.items())


def skeleton_of(domain: str) -> str:
    """Return the skeleton of a domain as a reader sees it: punycode is decoded."""
    return skeleton(".".join(map(_read, domain.split("."))))


def _read(label: str) -> str:
    if not label.startswith("xn--"):
        return label
    try:
        return label[4:].encode("ascii").decode("punycode")
    except (UnicodeError, ValueError, OverflowError):
        return label
