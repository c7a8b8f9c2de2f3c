"""Split by near-duplicate group: a text and its near-duplicates are never in different parts."""

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
    """Return the part of a group: deterministic, independent of the rest of the file."""
    place = bucket(group, of=100)
    if place < TRAIN_PERCENT:
        return Split.TRAIN
    return Split.VALIDATION if place < TRAIN_PERCENT + VALIDATION_PERCENT else Split.TEST


def bucket(key: str, *, of: int) -> int:
    """Return a hash-based number below `of` for a key: the same on every machine."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") % of
