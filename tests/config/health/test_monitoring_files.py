"""The alert rules and the dashboard ask only for metrics that exist, and each alert has its page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
import yaml

from config import schedule
from deploy.local.places import ROOT

MONITORING = ROOT / "deploy" / "monitoring"


class TestMonitoringFiles:
    @pytest.fixture
    def known(self, scraped: Callable[[], dict[str, float]]) -> set[str]:
        found = {name.split(" ")[0] for name in scraped()}
        return found | {"spamdesk_recent_scoring_seconds", "spamdesk_sweep_age_seconds"}

    @pytest.mark.parametrize("path", sorted(MONITORING.iterdir()), ids=lambda path: path.name)
    def test_ask_for_metrics_that_exist(self, path: Path, known: set[str]) -> None:
        assert set(re.findall(r"\bspamdesk_[a-z_]+", path.read_text())) <= known

    def test_each_alert_points_to_its_page(self) -> None:
        runbook = (ROOT / "docs" / "runbook.md").read_text()
        groups = yaml.safe_load((MONITORING / "alerts.yaml").read_text())["groups"]
        alerts = [alert for group in groups for alert in group["rules"]]

        assert alerts
        for alert in alerts:
            page, _, anchor = alert["annotations"]["runbook_url"].rpartition("#")
            assert page.endswith("docs/runbook.md")
            assert f"## {alert['alert']}\n" in runbook
            assert anchor == str(alert["alert"]).lower()

    def test_the_runbook_says_which_process_runs_a_sweep(self) -> None:
        queue_of = {
            entry["task"].split(".")[-1]: entry["options"]["queue"] for entry in schedule.BEAT.values()
        }
        sweeps = {
            name: [sweep for sweep, queue in queue_of.items() if queue in queues]
            for name, queues in schedule.WORKERS.items()
        }
        rows = [
            f"| `{name}` | {_listed(queues)} | {_listed(sweeps[name]) or 'none'} |\n"
            for name, queues in schedule.WORKERS.items()
        ]
        others = f"| {_listed(sweeps['housekeeping'])} |"

        assert "".join(rows).replace(others, "| all others |") in (ROOT / "docs" / "runbook.md").read_text()


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
