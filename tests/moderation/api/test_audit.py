"""The audit log through the api: along its chain, without other platforms' acts and without addresses."""

import hashlib
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from rest_framework.test import APIClient

from moderation.models import Case, User
from moderation.models.users import Role
from moderation.operations import rules
from moderation.operations.audit import chain
from tests.moderation.api.answers import bad_fields, problem
from tests.moderation.api.conftest import ClientFor
from tests.moderation.conftest import Case_, Later, judge

LOG, HEAD = "/api/v1/audit", "/api/v1/audit/head"


def hash_of(link: dict[str, Any], *, previous: str) -> str:
    """What the API guide says that a hash is of."""
    entry = link["entry"]
    told = {
        "number": link["seq"],
        "id": int(entry["id"]),
        "at": datetime.fromisoformat(entry["at"]).astimezone(UTC).isoformat(timespec="microseconds"),
        "actor": int(entry["actor"]["id"]) if entry["actor"] else None,
        "action": entry["action"],
        "subject_kind": entry["subject_kind"],
        "subject_id": entry["subject_id"],
        "details": entry["details"],
    }
    text = json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(f"{previous}\n{text}".encode()).hexdigest()


@pytest.fixture
def decided(open_case: Case_, lead: User, later: Later) -> Case:
    case = open_case()
    judge(case, lead, at=later(3))
    return case


class TestLog:
    def test_is_read_page_by_page_and_every_hash_follows_from_the_one_before(
        self, decided: Case, lead_api: APIClient, later: Later
    ) -> None:
        chain.seal(at=later(9))
        links: list[dict[str, Any]] = []
        answer: dict[str, Any] = {"has_more": True, "next_cursor": None}
        while answer["has_more"]:
            cursor = answer["next_cursor"]
            answer = lead_api.get(LOG, {"limit": 2} | ({"cursor": cursor} if cursor else {})).json()
            links += answer["data"]

        previous = chain.GENESIS
        for number, link in enumerate(links, start=1):
            assert (link["seq"], link["hash"]) == (number, hash_of(link, previous=previous))
            previous = link["hash"]
        assert "decision.created" in [link["entry"]["action"] for link in links]
        assert lead_api.get(HEAD).json() == {"seq": len(links), "hash": previous}

    def test_goes_on_with_what_was_sealed_since(
        self, decided: Case, lead_api: APIClient, lead: User, later: Later
    ) -> None:
        chain.seal(at=later(9))
        cursor = lead_api.get(LOG).json()["next_cursor"]
        nothing = lead_api.get(LOG, {"cursor": cursor}).json()
        rules.impose(value="bad.example", reason="", actor=lead, at=later(20))
        chain.seal(at=later(21))

        later_ones = lead_api.get(LOG, {"cursor": cursor}).json()["data"]

        assert nothing == {"data": [], "next_cursor": cursor, "has_more": False}
        assert {link["entry"]["subject_kind"] for link in later_ones} == {"rule"}

    def test_is_empty_before_anything_is_sealed(self, api: APIClient) -> None:
        assert api.get(LOG).json() == {"data": [], "next_cursor": None, "has_more": False}
        assert api.get(HEAD).json() == {"seq": 0, "hash": chain.GENESIS}

    @pytest.mark.parametrize("cursor", ["x", "WyJhIl0", "WzEsMl0"])
    def test_refuses_a_cursor_that_it_did_not_give(self, api: APIClient, cursor: str) -> None:
        assert bad_fields(api.get(LOG, {"cursor": cursor})) == {"/cursor": "invalid_cursor"}

    def test_withholds_what_is_of_another_platform_or_of_all(
        self, decided: Case, lead_api: APIClient, other_api: APIClient, lead: User, later: Later
    ) -> None:
        rules.impose(value="bad.example", reason="", actor=lead, at=later(5))
        chain.seal(at=later(9))

        own, foreign = (client.get(LOG).json()["data"] for client in (lead_api, other_api))

        assert [link["hash"] for link in own] == [link["hash"] for link in foreign]
        seen = {link["entry"]["subject_kind"] for link in own if link["entry"]}
        assert {"case", "decision", "api_key"} >= seen >= {"decision", "api_key"}
        assert {link["entry"]["subject_kind"] for link in foreign if link["entry"]} == {"api_key"}

    def test_masks_addresses_from_a_key_that_acts_for_nobody(
        self, api: APIClient, lead_api: APIClient, lead: User, later: Later
    ) -> None:
        rules.impose(kind="address", value="198.51.100.0/24", reason="all of them", actor=lead, at=later(5))
        rules.impose(value="bad.example", reason="sent by 198.51.100.7", actor=lead, at=later(6))
        chain.seal(at=later(9))

        masked, shown = (
            [one["entry"] for one in client.get(LOG).json()["data"] if one["entry"]["subject_kind"] == "rule"]
            for client in (api, lead_api)
        )

        assert "198.51.100" not in str(masked)
        assert (sorted(masked[0]["masked"]), masked[0]["details"]["kind"]) == (["reason", "value"], "address")
        assert (masked[-1]["masked"], masked[-1]["details"]["value"]) == (["reason"], "bad.example")
        assert (shown[0]["masked"], shown[0]["details"]["value"]) == ([], "198.51.100.0/24")

    @pytest.mark.parametrize("role", [Role.MODERATOR, Role.ML_ENGINEER])
    def test_is_for_leads_where_the_key_acts_for_a_person(self, client_for: ClientFor, role: Role) -> None:
        person = User.objects.create_user("someone", role=role)

        problem(client_for(person).get(LOG), status=403, code="not_allowed")
