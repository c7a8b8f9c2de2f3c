"""Keyset pages. Promise: page after page every row comes once, and no made-up cursor is believed."""

from datetime import UTC, datetime
from uuid import UUID

import pytest

from moderation.models import Author, Platform
from moderation.queries import keyset
from moderation.queries.keyset import InvalidCursor, Key

INSTANT = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)


class TestCursor:
    @pytest.mark.parametrize(
        ("key", "kinds"),
        [
            ((0, 2**63 - 1), (int, int)),
            ((-1.2345678901234567e-300, 1), (float, int)),
            ((3, 1), (float, int)),
            ((True, INSTANT, 5), (bool, datetime, int)),
            ((INSTANT, UUID(int=1)), (datetime, UUID)),
            (("bücher.example",), (str,)),
        ],
    )
    def test_leads_back_to_its_key(self, key: Key, kinds: tuple[type, ...]) -> None:
        assert keyset.after(keyset.encode(key), *kinds) == key

    def test_that_platforms_hold_from_before_leads_to_the_same_place(self) -> None:
        given = "WyIyMDI2LTAzLTAxVDEyOjAwOjAwLjEyMzQ1NiswMDowMCIsIDVd"

        assert keyset.after(given, datetime, int) == (INSTANT, 5)
        assert keyset.encode((INSTANT, 5)) == given

    def test_of_the_first_page_is_empty(self) -> None:
        assert keyset.after("", int) is None

    @pytest.mark.parametrize(
        ("key", "kind"),
        [((1, 2), int), ((), int), (("1",), int), ((True,), int), ((1,), bool), ((1.5,), int),
         ((-1,), int), ((2**63,), int), ((1e13,), float), ((float("nan"),), float),
         (("yesterday",), datetime), (("2026-03-01T12:00:00",), datetime), ((5,), datetime), ((5,), UUID),
         ((5,), str), (("a\0b",), str), (("\ud800",), str)],
    )  # fmt: skip
    def test_of_another_kind_is_refused(self, key: Key, kind: type) -> None:
        with pytest.raises(InvalidCursor):
            keyset.after(keyset.encode(key), kind)

    @pytest.mark.parametrize(
        "made_up", ["nonsense", "A", "[1]", "WzFd=", "WzFd\n", "٣", keyset.pack(b"[" * 9_999)]
    )
    def test_of_another_form_is_refused(self, made_up: str) -> None:
        with pytest.raises(InvalidCursor):
            keyset.after(made_up, int)


class TestPage:
    @pytest.fixture
    def authors(self, platform: Platform) -> list[Author]:
        names = ("b", "a", "b", "c", "a", "b", "c")
        return Author.objects.bulk_create(
            Author(platform=platform, external_id=str(number), display_name=name, first_seen_at=INSTANT)
            for number, name in enumerate(names)
        )

    @pytest.mark.parametrize("limit", [1, 2, 3, 7, 8])
    @pytest.mark.parametrize(
        ("order", "numbers"),
        [
            (("-pk",), "6543210"),
            (("display_name", "pk"), "1402536"),
            (("-display_name", "pk"), "3602514"),
            (("first_seen_at", "-display_name", "-pk"), "6352041"),
        ],
    )
    def test_each_row_comes_once_in_order(
        self, authors: list[Author], order: tuple[str, ...], numbers: str, limit: int
    ) -> None:
        found, after, pages = "", None, 0
        while pages == 0 or after is not None:
            page = keyset.page(Author.objects.all(), order=order, after=after, limit=limit)
            found += "".join(author.external_id or "" for author in page.rows)
            after, pages = page.end, pages + 1

        assert found == numbers
        assert pages == -(-len(authors) // limit)

    def test_its_first_field_is_bound_so_that_an_index_can_begin_there(self, authors: list[Author]) -> None:
        page = keyset.beyond(Author.objects.all(), order=("-display_name", "pk"), after=("b", authors[0].pk))

        assert '"display_name" <= b' in str(page.query)
