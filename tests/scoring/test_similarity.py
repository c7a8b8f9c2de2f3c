"""Which texts, accounts and notes are alike."""

import dataclasses
import os
import subprocess
import sys
from datetime import timedelta

import pytest

from scoring.records import AuthorSnapshot
from scoring.resemblance import SHARED_BANDS, author_bands, note_digest
from scoring.similarity import BANDS, bands
from tests.scoring.random_records import AT

WIN = "Hello Anna, you won 500 euros, claim at http://a.example/1 now!"
FOLLOW = "Buy cheap followers today, visit my channel"
PINNED_SHORT = 2771395406365407045
PINNED_BAND = -8637157935006188124


def shared(first: str, second: str) -> int:
    return len(set(bands(first)) & set(bands(second)))


BULK = AuthorSnapshot(
    external_id="spammer", display_name="Maria_vip37", created_at=AT - timedelta(days=3),
    email_domain="mail.example", friends=9, followers=2,
)  # fmt: skip


def shared_bands(first: AuthorSnapshot, second: AuthorSnapshot) -> int:
    bands = [set(author_bands(one, ip_network="", user_agent="")) for one in (first, second)]
    return len(bands[0] & bands[1])


STORED_BAND = 8_808_285_353_636_052_178


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


class TestAuthorBands:
    def test_are_shared_by_accounts_of_one_script(self) -> None:
        sister = dataclasses.replace(BULK, external_id="other", display_name="Olga_vip9", friends=11)

        assert shared_bands(BULK, sister) >= SHARED_BANDS

    def test_are_not_shared_with_people_of_the_same_mail_provider(self) -> None:
        person = AuthorSnapshot(
            external_id="honest_author", display_name="Rosa", created_at=AT - timedelta(days=900),
            email_domain="mail.example", friends=120, followers=85,
        )  # fmt: skip

        assert shared_bands(BULK, person) < SHARED_BANDS

    def test_unknown_traits_make_none(self) -> None:
        assert author_bands(AuthorSnapshot(external_id="a"), ip_network="192.0.2.0/24", user_agent="") == ()

    def test_stay_as_they_are_stored(self) -> None:
        """A change here would make every stored band useless."""
        assert author_bands(BULK, ip_network="192.0.2.0/24", user_agent="bot/1")[0] == STORED_BAND


class TestNoteDigest:
    @pytest.mark.parametrize(
        "copy", ["REMOVE this liar", "remove this liar!! 22", "Remove\u200b  this   liar now"]
    )
    def test_is_one_for_copies(self, copy: str) -> None:
        assert note_digest(copy) == note_digest("remove this liar")

    def test_differs_for_other_words(self) -> None:
        assert note_digest("fake shop") != note_digest("remove this liar")

    @pytest.mark.parametrize("note", ["", "  ", "!!! 123"])
    def test_is_empty_without_letters(self, note: str) -> None:
        assert note_digest(note) == ""
