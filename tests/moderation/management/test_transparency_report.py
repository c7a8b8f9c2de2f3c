"""Accuracy rows of the transparency report as files."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

DAYS = {"since": "2026-01-01T00:00:00+00:00", "until": "2026-07-01T00:00:00+00:00"}


@pytest.mark.usefixtures("db")
class TestTransparencyReport:
    def test_leaves_percentages_out_without_labels(self, tmp_path: Path) -> None:
        call_command("transparency_report", **DAYS, out=tmp_path / "report.csv")

        lines = (tmp_path / "report.csv").read_bytes().decode("utf-8").split("\r\n")
        beside = (tmp_path / "report-intervals.csv").read_text(encoding="utf-8").splitlines()
        assert lines[0] == (
            "Applicability,Service,Reporting period,Section,Indicator,Scope,Value,Contextual Information"
        )
        assert lines[1] == (
            "All,,2026-01-01/2026-06-30,Use of automated means for content moderation,"
            "Accuracy of the automated means - Accuracy,Total number,,"
            '"95 % interval 0.0000 to 1.0000, 0 labels"'
        )
        assert beside[1] == "Total number,Accuracy of the automated means - Accuracy,,0.0000,1.0000,0"

    def test_refuses_a_period_that_ends_before_it_begins(self, tmp_path: Path) -> None:
        with pytest.raises(CommandError, match="--to must be later than --from"):
            call_command(
                "transparency_report",
                since=DAYS["until"],
                until=DAYS["since"],
                out=tmp_path / "report.csv",
            )
