"""Exports asked for and downloaded in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Export, User
from moderation.operations.labels import export_build
from tests.moderation.web.conftest import HTMX


class TestExports:
    def test_are_asked_for_built_and_downloaded(
        self, lead_desk: Client, lead: User, settings: Any, tmp_path: Path
    ) -> None:
        settings.EXPORT_DIR = tmp_path
        assert 'value="parquet"' in lead_desk.get("/exports/").content.decode()
        lead_desk.post("/exports/", {"since": "2026-01-01", "until": "2026-01-31", "format": "csv"})
        asked = Export.objects.get()
        assert (asked.requested_by, str(asked.since), str(asked.until)) == (
            lead,
            "2026-01-01 00:00:00+00:00",
            "2026-02-01 00:00:00+00:00",
        )
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
