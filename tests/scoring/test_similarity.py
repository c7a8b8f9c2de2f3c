"""Which texts count as near-duplicates."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from scoring.similarity import BANDS, bands

WIN = "Hello Anna, you won 500 euros, claim at http://a.example/1 now!"
FOLLOW = "Buy cheap followers today, visit my channel"
PINNED_SHORT = 2771395406365407045
PINNED_BAND = -8637157935006188124


def shared(first: str, second: str) -> int:
    return len(set(bands(first)) & set(bands(second)))


class TestBands:
    @pytest.mark.parametrize(
        ("first", "second"),
        [
            (WIN, "Hello Peter, you won 900 euros, claim at https://b.example/xyz now! 🎉"),
            (WIN, "HELLO MARIA, YOU WON 500 EUROS, CLAIM AT www.c.example NOW"),
            (WIN, "Hel\u200blo Anna, you w\u200bon 500 euros, claim at hxxp now"),
            (FOLLOW, "buy CHEAP followers today,   visit my channel!!! 😀😀"),
            (FOLLOW, "Ｂｕｙ ｃｈｅａｐ ｆｏｌｌｏｗｅｒｓ today, visit my channel"),
            (FOLLOW, "Búy chéap followers today, visit my channel @someone"),
            ("今天天气很好我们去公园玩吧", "今天天气很好我们去公园玩吧！！"),
            ("hi 🎉", "HI  🎉"),
            ("http://a.example/1", "HTTP://A.example/1"),
        ],
    )
    def test_near_duplicates_share_a_band(self, first: str, second: str) -> None:
        assert shared(first, second) >= 1

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ("I really enjoyed the concert last night", "Traffic was terrible on the way to work today"),
            ("Great goal by the home team", "Great save by the goalkeeper"),
            ("спасибо за видео очень интересно", "большое спасибо за интересное видео"),
            ("今天天气很好我们去公园玩吧", "明天要下雨了记得带伞出门"),
            (WIN, FOLLOW),
            ("nice", "nice one"),
            ("http://a.example/1", "http://b.example/1"),
            ("🎉", "😀"),
        ],
    )
    def test_unrelated_texts_share_none(self, first: str, second: str) -> None:
        assert shared(first, second) == 0

    def test_has_a_fixed_number_of_signed_numbers(self) -> None:
        found = bands(WIN)

        assert len(found) == BANDS
        assert all(-(2**63) <= number < 2**63 for number in found)

    @pytest.mark.parametrize(
        ("text", "count"), [("", 0), (" \n\u200b ", 0), ("two words", 1), ("\ud800 bad", 1)]
    )
    def test_short_text_is_matched_exactly(self, text: str, count: int) -> None:
        assert len(bands(text)) == count

    def test_is_the_same_in_another_process(self) -> None:
        """These numbers are stored; Python's own hash changes with every start."""
        program = f"from scoring.similarity import bands; print(bands({WIN!r}))"
        environment = {**os.environ, "PYTHONHASHSEED": "4711"}

        printed = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        ).stdout

        assert printed.strip() == str(bands(WIN))

    def test_has_not_changed_since_it_was_first_stored(self) -> None:
        assert bands("one two") == (PINNED_SHORT,)
        assert bands(WIN)[0] == PINNED_BAND
