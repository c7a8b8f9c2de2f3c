"""What several subjects refuse, by name."""

from __future__ import annotations


class Erased(Exception):
    """What this is about was erased; nothing about it is taken in any more."""
