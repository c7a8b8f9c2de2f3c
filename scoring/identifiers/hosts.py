"""Look-alikes of a host: other domains that a reader takes for it."""

from scoring.identifiers.skeleton import skeleton
from scoring.url_shape import shown


def found(domains: frozenset[str]) -> dict[str, str]:
    """Return the skeleton of each domain that a post links to."""
    return {domain: anchor(domain) for domain in domains}


def anchor(value: str) -> str:
    """Return the skeleton of a domain as a reader sees it, by which a rule is looked up."""
    return skeleton(shown(value))


def anchors(domains: dict[str, str]) -> set[str]:
    return set(domains.values())


def holds(domains: dict[str, str], value: str) -> bool:
    """Tell whether a domain looks like this one without being it."""
    shape = anchor(value)
    return any(looks == shape and domain != value for domain, looks in domains.items())
