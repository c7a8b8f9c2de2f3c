"""Buckets of n-grams: weights of releases lie in them, so they may never change."""

from __future__ import annotations

import numpy as np
import pytest

from scoring.ngrams import BUCKETS, hashed


def symbols(text: str) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    return np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)


class TestHashed:
    @pytest.mark.parametrize(
        ("text", "size", "salt", "buckets"),
        [
            ("/login", 3, 77, [1679, 4798, 51707, 32774]),
            ("^a.b$", 2, 1, [27078, 20216, 53812, 56752]),
            ("ก็ไม่", 1, 1, [14354, 52166, 6802, 58731, 5344]),
            ("ab", 2, 9, [49671]),
            ("a🎉b", 2, 1, [4344, 29037]),
        ],
    )
    def test_is_what_releases_were_fitted_with(
        self, text: str, size: int, salt: int, buckets: list[int]
    ) -> None:
        assert hashed(symbols(text), size=size, salt=salt).tolist() == buckets

    @pytest.mark.parametrize("text", ["", "a", "ab"])
    def test_a_shorter_text_has_no_ngram(self, text: str) -> None:
        assert len(hashed(symbols(text), size=3, salt=1)) == 0

    def test_salts_and_sizes_keep_ngrams_apart(self) -> None:
        found = {int(hashed(symbols("aa"), size=size, salt=salt)[0]) for size in (1, 2) for salt in (1, 9)}

        assert len(found) == 4
        assert max(found) < BUCKETS
