"""The alert rules and the dashboard ask only for metrics that exist, and each alert has its page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from deploy.local.places import ROOT

MONITORING = ROOT / "deploy" / "monitoring"


class TestMonitoringFiles:
    """The alert rules and the dashboard ask only for metrics that exist, and each alert has its page."""

    @pytest.fixture
    def known(self, scraped: Callable[[], dict[str, float]]) -> set[str]:
        found = {name.split(" ")[0] for name in scraped()}
        return found | {"spamdesk_recent_scoring_seconds", "spamdesk_sweep_age_seconds"}

    @pytest.mark.parametrize("path", sorted(MONITORING.iterdir()), ids=lambda path: path.name)
    def test_ask_for_metrics_that_exist(self, path: Path, known: set[str]) -> None:
        assert set(re.findall(r"\bspamdesk_[a-z_]+", path.read_text())) <= known

    def _alerts(self) -> Iterator[dict[str, dict[str, str]]]:
        for group in yaml.safe_load((MONITORING / "alerts.yaml").read_text())["groups"]:
            yield from group["rules"]

    def test_each_alert_points_to_its_page(self) -> None:
        runbook = (ROOT / "docs" / "runbook.md").read_text()
        alerts = list(self._alerts())

        assert alerts
        for alert in alerts:
            page, _, anchor = alert["annotations"]["runbook_url"].rpartition("#")
            assert page.endswith("docs/runbook.md")
            assert f"## {alert['alert']}\n" in runbook
            assert anchor == str(alert["alert"]).lower()
