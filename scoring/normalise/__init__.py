"""The normaliser in front of the content model: disguised text is rewritten as a person would read it.

The raw text is used everywhere else: people see it, and every normalised character maps to its range. Case,
punctuation, links and emoji stay, since they help to recognise spam.
"""

from collections.abc import Callable

from scoring import links
from scoring.normalise import characters, leet, lookalikes, spacing
from scoring.normalise.edits import Edit, Normalised, applied

__all__ = ["LINK", "VERSION", "Normalised", "VersionMismatch", "as_read", "normalise", "of_version"]

VERSION = "2"
LINK = "[LINK]"
"""What the content model reads for a link; the address is left to the models of links."""

_STEPS = (
    characters.edits,
    spacing.link_edits,
    spacing.spaced_edits,
    spacing.dotted_edits,
    spacing.contact_edits,
    lookalikes.edits,
    leet.edits,
)
# A step can produce input for an earlier one ("f . r . e . e"); two rounds are enough for nearly every text.
_MAX_ROUNDS = 6


class VersionMismatch(Exception):
    """A release was fitted with a normaliser version that this code does not have."""


def normalise(raw: str) -> Normalised:
    """Undo disguise: compatibility forms, invisible characters, look-alike letters, letters set apart, digits
    posing as letters, defanged links and decorated contacts.

    Idempotent; time is linear in the length whatever the text.
    """
    normalised = Normalised.of(raw)
    for _ in range(_MAX_ROUNDS):
        before = normalised.text
        for step in _STEPS:
            normalised = applied(step(normalised.text), to=normalised)
        if normalised.text == before:
            break
    return normalised


def as_read(raw: str) -> Normalised:
    """Undo disguise as `normalise` does, then put LINK for each link; the words of a link stay."""
    normalised = normalise(raw)
    spans = links.spans_in(normalised.text)
    return applied([Edit(start=start, end=end, text=LINK) for start, end in spans], to=normalised)


def of_version(version: str) -> Callable[[str], str]:
    """Return the normaliser of this version.

    Raises VersionMismatch for a version that this code does not have.
    """
    if version != VERSION:
        raise VersionMismatch(
            f"the release was fitted with normaliser {version!r}, this code has {VERSION!r}"
        )
    return lambda raw: as_read(raw).text
