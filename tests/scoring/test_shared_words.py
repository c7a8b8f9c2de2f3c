"""The words that most of a few texts share."""

from __future__ import annotations

import time

import pytest

from scoring.shared_words import LONGEST, shared_words

PILLS = [f"Cheap pills without prescription in {city}, call now" for city in ("Oslo", "Leeds", "Lyon")]


@pytest.mark.parametrize(
    ("texts", "shared"),
    [
        (PILLS, "Cheap pills without prescription in"),
        (
            ["Check out my channel https://a.example", "hey CHECK out my ch\u00e4nnel!!", "nice"],
            "Check out my channel",
        ),
        (["free m\u200boney now", "<b>free money now</b>", "x"], "free money now"),
        (["\u52a0\u6211\u5fae\u4fe1\u9886\u7ea2\u5305 a", "\u5feb\u52a0\u6211\u5fae\u4fe1\u9886\u7ea2\u5305"],
         "\u52a0\u6211\u5fae\u4fe1\u9886\u7ea2\u5305"),
        (["other words entirely", "win a phone today", "win a phone now"], "win a phone"),
        (["win \U0001f389 a phone", "win a phone"], "win \U0001f389 a phone"),
        (["12 pills, 12 pills", "12 pills, 12 pills"], "12 pills, 12 pills"),
        (["hi u", "hi u"], ""),
        (["free", "free"], ""),
        (["https://a.example/one two", "https://a.example/two one"], ""),
        (["", ""], ""),
        (["one text alone"], ""),
        ([], ""),
        (["a b c d", "d c b a", "x"], ""),
    ],
)  # fmt: skip
def test_are_the_longest_run_that_most_hold(texts: list[str], shared: str) -> None:
    assert shared_words(texts) == shared


@pytest.mark.parametrize(
    "hostile",
    ["a" + "\u0301" * 5_000, "W" * 20_000, "\u202e" * 300 + "x", "a " * 5_000, "\ud800 a b c d e f"],
)
def test_are_short_and_soon_found_in_whatever_text(hostile: str) -> None:
    begin = time.process_time()

    found = shared_words([hostile] * 6)

    assert len(found) <= LONGEST
    assert time.process_time() - begin < 0.5
