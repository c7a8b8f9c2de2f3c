from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageFilter

from moderation.evidence import pdq
from tests.moderation.evidence import drawn


def hashed(picture: Image.Image) -> pdq.Pdq:
    found = pdq.of(np.asarray(picture.convert("RGB")))
    assert found
    return found


def distance(one: str, other: str) -> int:
    """Return the number of bits in which two hashes differ."""
    return (int(one, 16) ^ int(other, 16)).bit_count()


# Written by `pdqhash.compute_dihedral` of pdqhash 0.2.8, the binding of the reference, for the same pixels.
REFERENCE = {
    (320, 240): (
        100,
        "0ab7004c2ab745cc0ab707ccaab7554caab7554daab7aaaeaa92aaacaa975553",
        [
            "02be2aae00be0abe",
            "01e2006603e20066",
            "aeeb0414aaeb0014",
            "aab70433aab70033",
            "07e200194fe20019",
            "02be114122be0141",
            "00eb0aeb00eb0aeb",
        ],
    ),
    (64, 64): (
        100,
        "0ab780cc0ab705cc0ab717ccaab7574caab7554daab5aaecaa92aaacaab45553",
        [
            "02be8aae02be8aae",
            "41e2006607e20066",
            "aaeb4014feeb1014",
            "aab76433aab73033",
            "5be2001907e20019",
            "42be014102be0541",
            "00eb82eb00eb02eb",
        ],
    ),
    (1000, 37): (
        100,
        "2ab7514d2ab701cc0ab70acc8ab7554caab7555daab7aaacaa92aaacaa965553",
        [
            "00be22be00be2abe",
            "05e200670fe20066",
            "a2eb0014ebeb0414",
            "aab72ab2aab70033",
            "07e200185fe20099",
            "02be4141a0be4141",
            "006302eb00eb02eb",
        ],
    ),
    (129, 500): (
        100,
        "2ab700cc2ab703cc2ab707ccaab7154caab7554daab7aaeaaa92aaacaab45553",
        [
            "02be0aae0abe0aae",
            "01e2006605e20066",
            "bfeb0414aaeb0014",
            "aab70033aab78033",
            "07e200190fe20019",
            "02be0041aabe0141",
            "00eb02eb00eb02eb",
        ],
    ),
}


@pytest.mark.parametrize("size", REFERENCE)
def test_gives_the_bits_of_the_reference(size: tuple[int, int]) -> None:
    quality, first, turned = REFERENCE[size]

    found = hashed(drawn.hills(size))

    assert (found.quality, found.hash) == (quality, first)
    assert [known[:16] for known in found.turned] == turned


@pytest.mark.parametrize(
    ("copy", "number"),
    [
        (Image.Transpose.ROTATE_90, 0),
        (Image.Transpose.ROTATE_180, 1),
        (Image.Transpose.ROTATE_270, 2),
        (Image.Transpose.FLIP_TOP_BOTTOM, 3),
        (Image.Transpose.FLIP_LEFT_RIGHT, 4),
        (Image.Transpose.TRANSPOSE, 5),
        (Image.Transpose.TRANSVERSE, 6),
    ],
)
def test_knows_turned_and_mirrored_copies(copy: Image.Transpose, number: int) -> None:
    original = hashed(drawn.hills())

    turned = hashed(drawn.hills().transpose(copy))

    distances = [distance(turned.hash, known) for known in original.turned]
    assert distances[number] <= pdq.SAME_PICTURE
    assert min(distances) == distances[number]
    assert distance(turned.hash, original.hash) > pdq.SAME_PICTURE


def test_knows_a_smaller_softer_copy_and_no_other_picture() -> None:
    original = drawn.hills((800, 600))
    copy = original.resize((300, 225)).filter(ImageFilter.GaussianBlur(1))

    assert distance(hashed(original).hash, hashed(copy).hash) <= pdq.SAME_PICTURE
    other = hashed(drawn.with_text(*drawn.SPAM_LINES))
    assert distance(hashed(original).hash, other.hash) > pdq.SAME_PICTURE


def test_distrusts_an_empty_picture_and_hashes_no_line() -> None:
    assert hashed(Image.new("RGB", (100, 100), "white")).quality < pdq.TRUSTED_QUALITY
    assert pdq.of(np.zeros((4, 900, 3), dtype=np.uint8)) is None
