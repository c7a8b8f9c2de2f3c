"""Rules about what texts name, through their pages."""

from __future__ import annotations

import pytest
from django.test import Client

from moderation.models import Rule
from tests.moderation.conftest import Case_, Decided
from tests.moderation.web.conftest import flat


def impose(desk: Client, **given: str) -> int:
    form = {"reason": "Sells pills", "days": "7", "requeue": ""}
    return desk.post("/rules/new/", form | given).status_code


class TestTexts:
    @pytest.mark.parametrize(
        ("kind", "value", "told"),
        [
            ("text", "Check out, my channel!", "contain these words in a row"),
            ("phone", "+1 888 555 0162", "this number in any notation"),
            ("handle", "@crypto_king", "mention or link to this handle"),
            ("lookalike", "pay.example", "domains that look like this one"),
        ],
    )
    def test_tries_what_texts_name(
        self, lead_desk: Client, open_case: Case_, kind: str, value: str, told: str
    ) -> None:
        open_case(text="Check out MY channel, 888-555-0162 @crypt0_king https://xn--py-7kc.example/")

        body = lead_desk.get("/rules/new/", {"kind": kind, "value": value}).content.decode()

        assert "<strong>1 post</strong> so far" in body
        assert 'value="hold"' in body
        assert 'value="allow"' not in body
        assert told in flat(body)
        assert ("Tried on the 2,000 posts" in body) is (kind != "lookalike")
        assert ("the first 10,000 characters of a post" in flat(body)) is (kind != "lookalike")

    def test_of_texts_are_imposed_and_listed(self, lead_desk: Client) -> None:
        about = {"kind": "phone", "value": "+1 888 555 0162"}

        assert impose(lead_desk, **about, effect="allow", days="30") == 422
        assert impose(lead_desk, **about) == 302

        listed = flat(lead_desk.get("/rules/?kind=phone").content.decode())
        assert "<bdi>+18885550162</bdi>" in listed
        assert "Phone number" in listed

    def test_of_texts_that_people_judged_harmless_ask_a_second_time(
        self, lead_desk: Client, open_case: Case_, decided: Decided
    ) -> None:
        decided(open_case(text="call 888-555-0162"), verdict="not_spam")
        about = {"kind": "phone", "value": "+1 888 555 0162"}

        assert impose(lead_desk, **about) == 422
        assert not Rule.objects.exists()
        assert impose(lead_desk, **about, sure="1") == 302
