"""Labels and exports of a platform."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime, timedelta

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from moderation.models import Case, Decision, Export, User
from moderation.models.decisions import Verdict
from moderation.operations.cases import reversals
from moderation.operations.labels import export_build
from moderation.operations.outbox import feed
from tests.moderation.api.answers import bad_fields, problem
from tests.moderation.conftest import judge

SETTLED = feed.SETTLE + timedelta(seconds=1)


@pytest.fixture
def decided(claimed_case: Case, moderator: User, at: datetime) -> None:
    """One label."""
    judge(claimed_case, moderator, at=at + timedelta(seconds=5))


def corrected(lead: User) -> Decision:
    """Correct the only decision, so that all are told of it; return it."""
    [decision] = Decision.objects.all()
    at = timezone.now() - SETTLED
    reversals.correct(decision_id=decision.pk, verdict=Verdict.NOT_SPAM, moderator=lead, at=at)
    return decision


@pytest.mark.usefixtures("decided")
class TestLabels:
    def test_are_read_without_names_and_addresses(self, api: APIClient) -> None:
        [label] = api.get("/api/v1/labels").json()["data"]

        assert label["label"] == 1
        assert "record" not in label
        assert "decided_by" not in label["provenance"]

    def test_of_another_platform_are_not_there(self, other_api: APIClient) -> None:
        assert other_api.get("/api/v1/labels").json() == {"data": [], "next_cursor": None}
        assert other_api.get("/api/v1/labels/changes").json()["data"] == []

    def test_changes_are_followed_by_their_cursor(self, api: APIClient, lead: User) -> None:
        [label] = api.get("/api/v1/labels").json()["data"]
        first = api.get("/api/v1/labels/changes").json()
        decision = corrected(lead)

        then = api.get("/api/v1/labels/changes", {"cursor": first["next_cursor"]}).json()
        anew = api.get("/api/v1/labels/changes").json()

        assert [(row["change"], row["label"]) for row in first["data"]] == [("created", label)]
        assert [row["change"] for row in then["data"]] == ["retracted", "created"]
        assert (then["data"][0]["decision_id"], then["data"][0]["label"]) == (str(decision.pk), None)
        assert then["data"][1]["label"]["label"] == 0
        assert [row["change"] for row in anew["data"]] == ["retracted", "created"]

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

    def test_go_into_a_file_of_this_platform(self, lead_api: APIClient, other_api: APIClient) -> None:
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

    def test_changes_go_into_a_file_that_follows_another(self, lead_api: APIClient, lead: User) -> None:
        base = lead_api.post("/api/v1/exports", {}, format="json").json()
        early = lead_api.post("/api/v1/exports", {"after": base["id"]}, format="json")
        export_build.build(export_id=int(base["id"]), at=timezone.now())
        decision = corrected(lead)
        asked = lead_api.post("/api/v1/exports", {"after": base["id"]}, format="json").json()
        export_build.build(export_id=int(asked["id"]), at=timezone.now())
        ready = lead_api.get(f"/api/v1/exports/{asked['id']}").json()
        file = b"".join(lead_api.get(ready["file"]))
        two_ways = {"after": base["id"], "since": "2026-01-01T00:00:00Z"}
        both = lead_api.post("/api/v1/exports", two_ways, format="json")
        unknown = lead_api.post("/api/v1/exports", {"after": "999"}, format="json")

        rows = [json.loads(line) for line in file.splitlines()]
        assert [row["label"] for row in rows] == [None, 0]
        assert rows[0]["provenance"]["decision_id"] == str(decision.pk)
        assert (ready["rows"], ready["manifest"]["counts"]["retracted"]) == (2, 1)
        problem(early, status=409, code="not_ready")
        assert bad_fields(both) == {"/after": "invalid"}
        problem(unknown, status=404, code="not_found")
