"""Labels and exports of a platform, and random posts to be labelled."""

import hashlib
import json
from datetime import datetime, timedelta

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from moderation.models import Case, Decision, Export, LabelDraw, Platform, User
from moderation.models.cases import CaseState
from moderation.models.decisions import Verdict
from moderation.operations.cases import reversals
from moderation.operations.labels import export_build
from moderation.operations.outbox import feed
from tests.moderation.api.answers import bad_fields, pointers, problem
from tests.moderation.conftest import Post_, judge, scored
from tests.moderation.fakes import FakeScorer

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
        [
            ("jsonl", b'{"', "application/x-ndjson"),
            ("csv", b'"schema', "text/csv"),
            ("parquet", b"PAR1", "application/vnd.apache.parquet"),
        ],
    )
    def test_go_into_a_file_of_the_form_asked_for(
        self, lead_api: APIClient, form: str, begins: bytes, media: str
    ) -> None:
        asked = lead_api.post("/api/v1/exports", {"format": form, "weights": False})
        early = lead_api.get(f"{asked.headers['Location']}/file")
        export_build.build(export_id=Export.objects.get().pk, at=timezone.now())
        ready = lead_api.get(asked.headers["Location"]).json()
        file = lead_api.get(ready["file"])

        assert (asked.status_code, asked.json()["state"]) == (202, "waiting")
        problem(early, status=409, code="not_ready")
        assert (ready["state"], ready["rows"]) == ("ready", 1)
        assert (ready["format"], ready["manifest"]["format"]) == (form, form)
        assert file.headers["Content-Type"] == media
        content = b"".join(file)
        assert content.startswith(begins)
        assert ready["manifest"]["sha256"] == hashlib.sha256(content).hexdigest()

    def test_changes_go_into_a_file_that_follows_another(self, lead_api: APIClient, lead: User) -> None:
        base = lead_api.post("/api/v1/exports", {}).json()
        early = lead_api.post("/api/v1/exports", {"after": base["id"]})
        export_build.build(export_id=int(base["id"]), at=timezone.now())
        decision = corrected(lead)
        asked = lead_api.post("/api/v1/exports", {"after": base["id"]}).json()
        export_build.build(export_id=int(asked["id"]), at=timezone.now())
        ready = lead_api.get(f"/api/v1/exports/{asked['id']}").json()
        file = b"".join(lead_api.get(ready["file"]))
        two_ways = {"after": base["id"], "since": "2026-01-01T00:00:00Z"}
        both = lead_api.post("/api/v1/exports", two_ways)
        unknown = lead_api.post("/api/v1/exports", {"after": "999"})

        rows = [json.loads(line) for line in file.splitlines()]
        assert [row["label"] for row in rows] == [None, 0]
        assert rows[0]["provenance"]["decision_id"] == str(decision.pk)
        assert (ready["rows"], ready["manifest"]["counts"]["retracted"]) == (2, 1)
        problem(early, status=409, code="not_ready")
        assert bad_fields(both) == {"/after": "invalid"}
        problem(unknown, status=404, code="not_found")


@pytest.fixture
def allowed(post: Post_, fake_scorer: FakeScorer) -> None:
    fake_scorer.default = 0.01
    scored([post(at=timezone.now()) for _ in range(6)], at=timezone.now())


@pytest.mark.usefixtures("allowed")
class TestLabelDraws:
    def test_are_asked_for_read_and_cancelled(self, lead_api: APIClient, other_api: APIClient) -> None:
        asked = lead_api.post("/api/v1/label-draws", {"posts": 4})
        address = asked.headers["Location"]
        read = lead_api.get(address).json()
        foreign = other_api.get(address)
        gone = lead_api.delete(address)
        after = lead_api.get(address).json()

        assert (asked.status_code, asked.json()) == (201, read)
        assert (read["drawn"], read["population"], read["waiting"], read["decided"]) == (4, 6, 4, 0)
        problem(foreign, status=404, code="not_found")
        assert gone.status_code == 204
        assert (after["waiting"], after["is_cancelled"]) == (0, True)
        assert not Case.objects.filter(state=CaseState.OPEN).exists()

    def test_are_found_whatever_came_later(self, lead_api: APIClient, lead: User, platform: Platform) -> None:
        first, *_ = LabelDraw.objects.bulk_create(
            LabelDraw(
                platform=platform, asked_by=lead, asked_at=timezone.now(), days=7, wanted=1, population=1
            )
            for _ in range(1_001)
        )

        answer = lead_api.get(f"/api/v1/label-draws/{first.pk}")

        assert answer.json()["id"] == str(first.pk)

    def test_are_refused_by_name(self, lead_api: APIClient, api: APIClient) -> None:
        too_many = lead_api.post("/api/v1/label-draws", {"posts": 501})
        lead_api.post("/api/v1/label-draws", {"posts": 6})
        nothing = lead_api.post("/api/v1/label-draws", {"posts": 1})
        nobody = api.post("/api/v1/label-draws", {})

        assert "/posts" in pointers(problem(too_many, status=422, code="invalid_fields"))
        problem(nothing, status=409, code="nothing_to_draw")
        problem(nobody, status=403, code="nobody_behind_key")
