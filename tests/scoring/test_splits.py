"""Which part of the labelled material a group belongs to."""

import hashlib
from collections import Counter

import pytest

from scoring import splits
from scoring.splits import Split, bucket, split_of

PINNED = "1ee4f957fc23"


class TestSplitOf:
    @pytest.mark.parametrize(
        ("place", "part"),
        [
            (0, Split.TRAIN), (79, Split.TRAIN), (80, Split.VALIDATION), (89, Split.VALIDATION),
            (90, Split.TEST), (99, Split.TEST),
        ],
    )  # fmt: skip
    def test_is_80_10_and_10_percent(self, monkeypatch: pytest.MonkeyPatch, place: int, part: Split) -> None:
        monkeypatch.setattr(splits, "bucket", lambda _key, of: place)

        assert split_of("any group") is part

    def test_is_the_same_for_ever(self) -> None:
        # Every model and every figure rests on it: a change would train on what was test.
        parts = [split_of(f"group {number}").value for number in range(1, 61)]

        assert hashlib.sha256(" ".join(parts).encode()).hexdigest()[:12] == PINNED


def test_bucket_fills_evenly() -> None:
    counted = Counter(bucket(f"key {number}", of=10) for number in range(5_000))

    assert set(counted) == set(range(10))
    assert all(420 <= count <= 580 for count in counted.values())
