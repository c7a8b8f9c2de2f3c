"""The page of an address or a range."""

from __future__ import annotations

import pytest
from django.test import Client

from moderation.models import Case


class TestAddresses:
    def test_have_a_page_alone_and_as_a_range(self, desk: Client, linked: Case) -> None:
        alone = desk.get("/addresses/203.0.113.7/").content.decode()
        together = desk.get("/addresses/203.0.113.0/24/").content.decode()

        assert "/addresses/203.0.113.0/24/" in alone
        assert "/addresses/203.0.113.7/" in together

    def test_are_brought_to_their_canonical_form(self, desk: Client) -> None:
        assert desk.get("/addresses/203.0.113.9/24/").headers["Location"] == "/addresses/203.0.113.0/24/"

    @pytest.mark.parametrize("address", ["nonsense", "0.0.0.0/0", "203.0.113.7/99", "::/8"])
    def test_that_are_none_or_too_wide_are_not_found(self, desk: Client, address: str) -> None:
        assert desk.get(f"/addresses/{address}/").status_code == 404
