"""Keccak-256 against known digests, of one block and of several."""

from __future__ import annotations

import pytest

from scoring.identifiers.keccak import keccak_256


@pytest.mark.parametrize(
    ("message", "digest"),
    [
        (b"", "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"),
        (b"abc", "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45"),
        (b"transfer(address,uint256)", "a9059cbb2ab09eb219583f4a59a5d0623ade346d962bcd4e46b11da047c9049b"),
    ],
)
def test_gives_the_digests_of_ethereum(message: bytes, digest: str) -> None:
    assert keccak_256(message).hex() == digest


def test_reads_every_block() -> None:
    assert len({keccak_256(b"a" * length) for length in (135, 136, 137, 271, 272, 273)}) == 6
