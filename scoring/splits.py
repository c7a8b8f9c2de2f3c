"""Split by near-duplicate group: a text and its near copies never stand on both sides of a split."""

from __future__ import annotations

import hashlib
from enum import StrEnum

TRAIN_PERCENT = 80
VALIDATION_PERCENT = 10


class Split(StrEnum):
    """The part of the labelled material that a group belongs to."""

    TRAIN = "train"
    VALIDATION = "validation"
    TEST = "test"


def split_of(group: str) -> Split:
    """Say which part a group belongs to: the same for ever, whatever else is in the file."""
    place = bucket(group, of=100)
    if place < TRAIN_PERCENT:
        return Split.TRAIN
    return Split.VALIDATION if place < TRAIN_PERCENT + VALIDATION_PERCENT else Split.TEST


def bucket(key: str, *, of: int) -> int:
    """Draw a number below `of` for a key: the same for ever and on every machine."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") % of
