"""Labels and exports of a platform."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from moderation.models import Case, Decision, Export, User
from moderation.models.decisions import Verdict
from moderation.operations.cases import reversals, review
from moderation.operations.labels import export_build
from moderation.operations.outbox import feed
from tests.moderation.api.answers import pointers, problem

SETTLED = feed.SETTLE + timedelta(seconds=1)


@pytest.fixture
def decided(claimed_case: Case, moderator: User, at: datetime) -> None:
    """One label."""
    review.decide(
        case_id=claimed_case.pk,
        case_version=claimed_case.version,
        moderator=moderator,
        verdict=Verdict.SPAM,
        at=at + timedelta(seconds=5),
    )


@pytest.mark.usefixtures("decided")
class TestLabels:
    def test_are_read_without_names_and_addresses(self, api: APIClient) -> None:
        [label] = api.get("/api/v1/labels").json()["data"]

        assert label["label"] == 1
        assert "record" not in label
        assert "decided_by" not in label["provenance"]

    def test_of_another_platform_are_not_there(self, other_api: APIClient) -> None:
        assert other_api.get("/api/v1/labels").json() == {"data": [], "next_cursor": None}

    def test_changes_are_followed_by_their_cursor(self, api: APIClient, lead: User) -> None:
        [label] = api.get("/api/v1/labels").json()["data"]
        first = api.get("/api/v1/labels/changes").json()
        [decision] = Decision.objects.all()
        reversals.correct(
            decision_id=decision.pk, verdict=Verdict.NOT_SPAM, moderator=lead, at=timezone.now() - SETTLED
        )

        then = api.get("/api/v1/labels/changes", {"cursor": first["next_cursor"]}).json()
        anew = api.get("/api/v1/labels/changes").json()

        assert [(row["change"], row["label"]) for row in first["data"]] == [("created", label)]
        assert [row["change"] for row in then["data"]] == ["retracted", "created"]
        assert (then["data"][0]["decision_id"], then["data"][0]["label"]) == (str(decision.pk), None)
        assert then["data"][1]["label"]["label"] == 0
        assert [row["change"] for row in anew["data"]] == ["retracted", "created"]

    def test_changes_of_another_platform_are_not_there(self, other_api: APIClient) -> None:
        assert other_api.get("/api/v1/labels/changes").json()["data"] == []

    @pytest.mark.parametrize(
        ("form", "begins", "media"),
        [("csv", b'"schema', "text/csv"), ("parquet", b"PAR1", "application/vnd.apache.parquet")],
    )
    def test_go_into_files_of_other_forms(
        self, lead_api: APIClient, form: str, begins: bytes, media: str
    ) -> None:
        asked = lead_api.post("/api/v1/exports", {"format": form, "weights": False}, format="json")
        export_build.build(export_id=Export.objects.get().pk, at=timezone.now())
        ready = lead_api.get(asked.headers["Location"]).json()
        file = lead_api.get(ready["file"])

        assert (ready["format"], ready["manifest"]["format"]) == (form, form)
        assert file.headers["Content-Type"] == media
        content = b"".join(file)
        assert content.startswith(begins)
        assert ready["manifest"]["sha256"] == hashlib.sha256(content).hexdigest()

    def test_go_into_a_file_of_this_platform(
        self, lead_api: APIClient, other_api: APIClient, django_capture_on_commit_callbacks: Any
    ) -> None:
        asked = lead_api.post("/api/v1/exports", {}, format="json")
        address = asked.headers["Location"]
        early = lead_api.get(f"{address}/file")
        export_build.build(export_id=Export.objects.get().pk, at=timezone.now())
        foreign = other_api.get(address)
        ready = lead_api.get(address).json()
        file = lead_api.get(ready["file"])

        assert (asked.status_code, asked.json()["state"]) == (202, "waiting")
        problem(early, status=409, code="not_ready")
        assert (ready["state"], ready["rows"]) == ("ready", 1)
        assert len(b"".join(file).splitlines()) == 1
        problem(foreign, status=404, code="not_found")

    def test_changes_go_into_a_file_that_follows_another(
        self, lead_api: APIClient, lead: User, django_capture_on_commit_callbacks: Any
    ) -> None:
        base = lead_api.post("/api/v1/exports", {}, format="json").json()
        early = lead_api.post("/api/v1/exports", {"after": base["id"]}, format="json")
        export_build.build(export_id=int(base["id"]), at=timezone.now())
        [decision] = Decision.objects.all()
        reversals.correct(
            decision_id=decision.pk, verdict=Verdict.NOT_SPAM, moderator=lead, at=timezone.now() - SETTLED
        )
        asked = lead_api.post("/api/v1/exports", {"after": base["id"]}, format="json").json()
        export_build.build(export_id=int(asked["id"]), at=timezone.now())
        ready = lead_api.get(f"/api/v1/exports/{asked['id']}").json()
        file = b"".join(lead_api.get(ready["file"]))
        both = lead_api.post(
            "/api/v1/exports", {"after": base["id"], "since": "2026-01-01T00:00:00Z"}, format="json"
        )

        rows = [json.loads(line) for line in file.splitlines()]
        assert [row["label"] for row in rows] == [None, 0]
        assert rows[0]["provenance"]["decision_id"] == str(decision.pk)
        assert (ready["rows"], ready["manifest"]["counts"]["retracted"]) == (2, 1)
        problem(early, status=409, code="not_ready")
        assert pointers(problem(both, status=422, code="invalid_fields")) == {"/after": "invalid"}
        problem(
            lead_api.post("/api/v1/exports", {"after": "999"}, format="json"), status=404, code="not_found"
        )
