"""The page of random labels: draws with their progress, bounds, what is weak; exports of labels."""

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.timezone import now

from moderation.models import Case, Export, LabelDraw, Platform, Release, User
from moderation.models.cases import CaseReason, CaseState
from moderation.operations.labels import export_build
from moderation.queries.labels import audit_plan
from tests.moderation.caches import forget
from tests.moderation.conftest import Post_, judge, scored
from tests.moderation.fakes import FakeScorer
from tests.moderation.web.conftest import HTMX, asked


@pytest.fixture
def allowed(post: Post_, fake_scorer: FakeScorer) -> None:
    """Ten posts of today that the filter let pass."""
    fake_scorer.default = 0.01
    scored([post(at=now()) for _ in range(10)], at=now())
    forget(audit_plan)


@pytest.mark.usefixtures("allowed")
class TestLiveRelease:
    def test_says_what_it_learnt_here(self, ml_desk: Client, platform: Platform) -> None:
        release = Release.objects.get()
        release.manifest = {"thresholds": {"review_from": 0.08, "remove_from": 0.96, "audit_rate": 0.02}}
        release.save(update_fields=["manifest"])
        before = ml_desk.get("/labels/").content.decode()
        release.manifest |= {
            "heads": {platform.slug: {"fitted_on": {platform.slug: {"posts": 412, "spam": 130}}}},
            "platforms": {
                platform.slug: {
                    "thresholds": {"review_from": 0.05, "remove_from": 0.97},
                    "chosen_on": {"posts": 412, "random": 240},
                }
            },
        }
        release.save(update_fields=["manifest"])
        after = ml_desk.get("/labels/").content.decode()

        assert "review from 8%, removal from 96% (default)" in before
        assert "own thresholds from 200 random labels on" in before
        assert "trained on 412 decisions, 130 of them spam" in after
        assert "review from 5%, removal from 97%, based on 240 random labels of this platform" in after


@pytest.mark.usefixtures("allowed")
class TestDraw:
    def test_is_shown_with_its_progress_and_cancelled(self, ml_desk: Client, platform: Platform) -> None:
        wanted = {"posts": "4", "days": "7", "idempotency_key": str(uuid4())}
        for _ in range(2):
            ml_desk.post(f"/labels/{platform.pk}/draw/", wanted)
        draw = LabelDraw.objects.get()
        before = ml_desk.get("/labels/").content.decode()
        ml_desk.post(f"/labels/draws/{draw.pk}/cancel/")
        after = ml_desk.get("/labels/", headers=HTMX).content.decode()

        assert "0 of 4 decided" in before
        assert "drawn from 10 posts" in before
        assert "cancelled" in after
        assert "<html" not in after
        assert not Case.objects.filter(state=CaseState.OPEN).exists()

    def test_that_is_out_of_range_is_refused_in_words(self, ml_desk: Client, platform: Platform) -> None:
        answer = ml_desk.post(f"/labels/{platform.pk}/draw/", {"posts": "501", "days": "7"}, follow=True)

        assert "Enter 1 to 500 posts from 1 to 90 days." in answer.content.decode()
        assert not LabelDraw.objects.exists()

    def test_is_judged_not_seeing_what_the_filter_did(self, lead_desk: Client, platform: Platform) -> None:
        lead_desk.post(f"/labels/{platform.pk}/draw/", {"posts": "1", "days": "7"})
        case = Case.objects.get(reason=CaseReason.RANDOM)

        queue = lead_desk.get("/queue/").content.decode()
        lead_desk.post(f"/review/{case.pk}/claim/")
        front = lead_desk.get(f"/review/{case.pk}/").content.decode()

        assert "Random label" in queue
        assert "1%" not in front
        assert "drawn at random for labelling" in front.lower()


class TestWeakness:
    @pytest.mark.parametrize("address", ["/labels/", "/exports/", "/health/"])
    def test_is_said_with_what_to_do(
        self, lead_desk: Client, lead: User, claimed_case: Case, moderator: User, address: str
    ) -> None:
        judge(claimed_case, moderator, at=claimed_case.opened_at)

        answer = lead_desk.get(address).content.decode()

        assert "0 labels are from random draws; 50 are needed" in answer
        assert "Label 100 random posts" in answer

    def test_is_not_counted_every_ten_seconds(self, lead_desk: Client, platform: Platform) -> None:
        at_first, later = (asked(lead_desk, "/health/", headers=headers) for headers in ({}, HTMX))

        assert any("moderation_label" in sql for sql in at_first)
        assert not any("moderation_label" in sql for sql in later)


class TestExports:
    def test_are_asked_for_built_and_downloaded(
        self, lead_desk: Client, lead: User, settings: Any, tmp_path: Path
    ) -> None:
        settings.EXPORT_DIR = tmp_path
        assert 'value="parquet"' in lead_desk.get("/exports/").content.decode()
        lead_desk.post("/exports/", {"since": "2026-01-01", "until": "2026-01-31", "format": "csv"})
        asked = Export.objects.get()
        assert asked.requested_by == lead
        assert f"{asked.since} {asked.until}" == "2026-01-01 00:00:00+00:00 2026-02-01 00:00:00+00:00"
        assert lead_desk.get(f"/exports/{asked.pk}/download/").status_code == 404

        export_build.build(export_id=asked.pk, at=timezone.now())

        body = lead_desk.get(f"/exports/{asked.pk}/", headers=HTMX).content.decode()
        assert "SHA-256" in body
        answer = lead_desk.get(f"/exports/{asked.pk}/download/")
        assert answer.headers["Content-Disposition"] == f'attachment; filename="labels-{asked.pk}-1.csv"'
        assert b"".join(answer).startswith(b'"schema_version","id","text"')

    @pytest.mark.parametrize(
        ("since", "until"), [("2026-02-01", "2026-01-31"), ("", "9999-12-31"), ("", "0001-01-01")]
    )
    def test_refuse_a_window_that_there_is_not(self, lead_desk: Client, since: str, until: str) -> None:
        answer = lead_desk.post("/exports/", {"since": since, "until": until})

        assert answer.status_code == 422
        assert not Export.objects.exists()

    def test_whose_file_is_gone_are_not_found(
        self, lead_desk: Client, lead: User, settings: Any, tmp_path: Path
    ) -> None:
        settings.EXPORT_DIR = tmp_path
        gone = Export.objects.create(
            requested_by=lead, requested_at=timezone.now(), state="ready", file_name="labels-1.jsonl"
        )

        assert lead_desk.get(f"/exports/{gone.pk}/download/").status_code == 404
