"""POST /complaints: once per reporter and post, also before the post."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from rest_framework.test import APIClient

from moderation.models import Complaint
from tests.moderation.api.answers import bad_fields, problem
from tests.moderation.api.conftest import Payload

COMPLAINTS = "/api/v1/complaints"


class TestSend:
    def test_is_stored_with_its_post(self, api: APIClient, payload: Payload, complaint: Payload) -> None:
        post = api.post("/api/v1/posts", payload).json()

        response = api.post(COMPLAINTS, complaint)

        row = Complaint.objects.select_related("reporter").get()
        assert response.status_code == 202
        assert response.json() == {"id": str(row.pk), "post_id": post["id"]}
        assert (row.reporter.external_id, row.external_id) == ("honest_author", "c-1")
        assert (row.reason, row.note) == ("scam", "asked me for money")
        assert row.reported_at.isoformat() == "2026-02-01T12:00:00+00:00"

    def test_waits_for_its_post_and_counts_a_reporter_once(
        self, api: APIClient, payload: Payload, complaint: Payload
    ) -> None:
        early = api.post(COMPLAINTS, complaint)

        post = api.post("/api/v1/posts", payload).json()
        again = api.post(COMPLAINTS, complaint | {"reason": "abuse", "external_id": "c-2"})

        assert (early.status_code, early.json()["post_id"]) == (202, None)
        assert again.json() == {"id": early.json()["id"], "post_id": post["id"]}


@pytest.mark.parametrize(
    ("change", "where", "code"),
    [
        ({"reason": "boring"}, "/reason", "invalid_choice"),
        ({"reason": ""}, "/reason", "invalid_choice"),
        ({"reason": ["spam"]}, "/reason", "invalid_choice"),
        ({"reason": None}, "/reason", "null"),
        ({"post": ""}, "/post", "blank"),
        ({"post": 5}, "/post", "invalid"),
        ({"post": "p\0"}, "/post", "null_characters_not_allowed"),
        ({"reporter": {}}, "/reporter/external_id", "required"),
        ({"reporter": {"external_id": "x" * 201}}, "/reporter/external_id", "max_length"),
        ({"reporter": {"external_id": "a", "name": "b"}}, "/reporter/name", "unknown_field"),
        ({"reporter": "a"}, "/reporter", "invalid"),
        ({"note": "x" * 2_001}, "/note", "max_length"),
        ({"external_id": 9}, "/external_id", "invalid"),
        ({"reported_at": "2999-01-01T00:00:00Z"}, "/reported_at", "in_future"),
        ({"reported_at": "2026-02-01T12:00:00"}, "/reported_at", "no_offset"),
        ({"platform": "social"}, "/platform", "unknown_field"),
    ],
)
def test_names_the_bad_field(
    api: APIClient,
    complaint: Payload,
    nothing_stored: Callable[[], bool],
    change: Payload,
    where: str,
    code: str,
) -> None:
    response = api.post(COMPLAINTS, complaint | change)

    assert bad_fields(response) == {where: code}
    assert nothing_stored()


def test_lists_the_reasons_instead_of_quoting(api: APIClient, complaint: Payload) -> None:
    response = api.post(COMPLAINTS, complaint | {"reason": "x" * 1_000_000})

    [error] = problem(response, status=422, code="invalid_fields")["errors"]
    assert error["detail"] == "Must be one of spam, scam, abuse, adult, impersonation, other."
