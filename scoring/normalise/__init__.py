"""What stands in front of the content model: disguised text is read as a person would read it.

The raw text is never replaced anywhere else: people see it, and every normalised character knows its place
in it. Case, punctuation, links and emoji stay, since they are what spam looks like.
"""

from __future__ import annotations

from collections.abc import Callable

from scoring.normalise import characters, leet, lookalikes, spacing
from scoring.normalise.edits import Normalised, applied

__all__ = ["NONE", "VERSION", "Normalised", "VersionMismatch", "normalise", "of_version"]

VERSION = "1"
# Releases from before there was a normaliser.
NONE = "none"

_STEPS = (
    characters.edits,
    spacing.link_edits,
    spacing.spaced_edits,
    spacing.dotted_edits,
    lookalikes.edits,
    leet.edits,
)
# A step can uncover work for an earlier one ("f . r . e . e"); two rounds settle nearly every text.
_MAX_ROUNDS = 6


class VersionMismatch(Exception):
    """A release that was fitted with another normaliser than this code has."""


def normalise(raw: str) -> Normalised:
    """Undo disguise: compatibility forms, invisible characters, look-alike letters, letters set apart, digits
    posing as letters, defanged links.

    Idempotent; time is linear in the length whatever the text.
    """
    found = Normalised.of(raw)
    for _ in range(_MAX_ROUNDS):
        before = found.text
        for step in _STEPS:
            found = applied(step(found.text), to=found)
        if found.text == before:
            break
    return found


def of_version(version: str) -> Callable[[str], str]:
    """Return the function that a release with this normaliser puts in front of its content model.

    Raises VersionMismatch for a version that this code does not have.
    """
    if version == NONE:
        return str
    if version != VERSION:
        raise VersionMismatch(
            f"the release was fitted with normaliser {version!r}, this code has {VERSION!r}"
        )
    return lambda raw: normalise(raw).text
