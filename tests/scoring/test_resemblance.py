"""What makes accounts look alike, and notes read alike."""

from __future__ import annotations

import dataclasses
from datetime import timedelta

import pytest

from scoring.records import AuthorSnapshot
from scoring.resemblance import SHARED_BANDS, author_bands, note_digest
from tests.scoring.random_records import AT

BULK = AuthorSnapshot(
    external_id="spammer",
    display_name="Maria_vip37",
    created_at=AT - timedelta(days=3),
    email_domain="mail.example",
    friends=9,
    followers=2,
)


def shared(first: AuthorSnapshot, second: AuthorSnapshot) -> int:
    bands = [set(author_bands(one, ip_network="", user_agent="")) for one in (first, second)]
    return len(bands[0] & bands[1])


STORED = 8_808_285_353_636_052_178


class TestAuthorBands:
    def test_are_shared_by_accounts_of_one_script(self) -> None:
        sister = dataclasses.replace(BULK, external_id="other", display_name="Olga_vip9", friends=11)

        assert shared(BULK, sister) >= SHARED_BANDS

    def test_are_not_shared_with_people_of_the_same_mail_provider(self) -> None:
        person = AuthorSnapshot(
            external_id="honest_author",
            display_name="Rosa",
            created_at=AT - timedelta(days=900),
            email_domain="mail.example",
            friends=120,
            followers=85,
        )

        assert shared(BULK, person) < SHARED_BANDS

    def test_unknown_traits_make_none(self) -> None:
        assert author_bands(AuthorSnapshot(external_id="a"), ip_network="192.0.2.0/24", user_agent="") == ()

    def test_stay_as_they_are_stored(self) -> None:
        """A change here would make every stored band useless."""
        assert author_bands(BULK, ip_network="192.0.2.0/24", user_agent="bot/1")[0] == STORED


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
