"""What /metrics tells Prometheus; alerts and dashboard ask only for that, and each alert has its page."""

import re
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from pathlib import Path

import psycopg
import pytest
import yaml
from django.db import connection
from django.test import Client
from pytest_django import Settings

from config import schedule
from deploy.local.places import ROOT
from moderation.models import Delivery, Post, Revision, Score
from moderation.operations.infrastructure.probe import Part
from moderation.operations.scoring import score
from moderation.operations.webhooks import endpoints
from tests.django_fixtures import database_url
from tests.moderation.fakes import FakeScorer

MONITORING = ROOT / "deploy" / "monitoring"


class TestMetrics:
    def test_tells_how_scoring_goes(
        self,
        scraped: Callable[[], dict[str, float]],
        open_case: Callable[..., object],
        at: datetime,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        before = scraped()
        open_case()
        monkeypatch.setattr("config.health.timezone.now", lambda: Score.objects.get().scored_at)

        after = scraped()

        assert after["spamdesk_posts_total"] == before["spamdesk_posts_total"] + 1
        assert after["spamdesk_waiting_rows cases"] == 1
        assert after["spamdesk_recent_scores"] == 1
        assert after["spamdesk_recent_scoring_seconds 0.95"] == pytest.approx(
            (Score.objects.get().scored_at - at).total_seconds()
        )

    def test_tells_how_long_a_delivery_has_been_due(
        self,
        scraped: Callable[[], dict[str, float]],
        open_case: Callable[..., object],
        monkeypatch: pytest.MonkeyPatch,
        fake_scorer: FakeScorer,
        post: Callable[..., Post],
        at: datetime,
    ) -> None:
        fake_scorer.default = 0.99
        platform = post().platform
        endpoints.add(platform=platform, url="https://platform.example/", at=at)
        score.run(revision_ids=[Revision.objects.get().pk], at=at)
        Delivery.objects.update(next_attempt_at=at)
        monkeypatch.setattr("config.health.timezone.now", lambda: at + timedelta(seconds=90))

        assert scraped()["spamdesk_waiting_oldest_seconds deliveries"] == 90

    def test_says_what_is_down_even_without_a_database(
        self, scraped: Callable[[], dict[str, float]], down: set[Part]
    ) -> None:
        down.add(Part.DATABASE)

        answering = ("broker", "release", "triton", "state")
        assert scraped() == {"spamdesk_up database": 0, **{f"spamdesk_up {part}": 1 for part in answering}}

    @pytest.mark.django_db(transaction=True)
    def test_tells_of_a_transaction_left_open_and_of_clocks_apart(
        self, scraped: Callable[[], dict[str, float]]
    ) -> None:
        connection.ensure_connection()
        with psycopg.connect(database_url()) as other:
            other.execute("SELECT 1")
            while (read := scraped())["spamdesk_oldest_transaction_seconds"] < 0.2:
                pass

        assert 0.2 <= read["spamdesk_oldest_transaction_seconds"] < 60
        assert abs(read["spamdesk_clock_offset_seconds"]) < 1
        assert read["spamdesk_state_free_bytes"] > 0

    def test_wants_the_token(self, client: Client, down: set[Part], db: None, settings: Settings) -> None:
        settings.METRICS_TOKEN = "a-token"

        assert client.get("/metrics").status_code == 401
        assert client.get("/metrics", headers={"Authorization": "Bearer a-token"}).status_code == 200
        settings.METRICS_TOKEN, settings.IS_PRODUCTION = "", True
        assert client.get("/metrics").status_code == 404


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
