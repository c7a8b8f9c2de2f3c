"""What machines ask: probes and metrics."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import cast

import psycopg
import pytest
import yaml
from django.db import connection
from django.db.backends.postgresql.base import DatabaseWrapper
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import Settings

from deploy.local.places import ROOT
from moderation import scorer
from moderation.models import (
    Delivery,
    EndpointCircuit,
    Platform,
    Post,
    Revision,
    Score,
    SweepRun,
)
from moderation.operations.infrastructure import outage, probe
from moderation.operations.infrastructure.probe import Answer, Part
from moderation.operations.scoring import score
from moderation.operations.webhooks import endpoints
from tests.moderation.fakes import FakeScorer

MONITORING = ROOT / "deploy" / "monitoring"


@pytest.fixture
def down(monkeypatch: pytest.MonkeyPatch) -> set[Part]:
    """The parts that do not answer; the others do."""
    found: set[Part] = set()
    monkeypatch.setattr(
        probe,
        "ask",
        lambda parts: [Answer(part=part, is_up=part not in found) for part in parts],
    )
    return found


@pytest.fixture
def on_time(db: None, settings: Settings) -> None:
    """Every sweep ran just now."""
    now = timezone.now()
    SweepRun.objects.bulk_create(
        SweepRun(sweep=name, started_at=now, ended_at=now, succeeded_at=now)
        for name in settings.SWEEP_SECONDS
    )


@pytest.fixture
def scraped(client: Client, down: set[Part], db: None) -> Callable[[], dict[str, float]]:
    """Read /metrics as Prometheus does; a sample's name with its labels, and its value."""

    def scrape() -> dict[str, float]:
        body = client.get("/metrics").content.decode()
        return {
            sample.name + "".join(f" {label}" for label in sample.labels.values()): sample.value
            for family in text_string_to_metric_families(body)
            for sample in family.samples
        }

    return scrape


class TestReady:
    def test_names_each_part(self, client: Client, down: set[Part], on_time: None) -> None:
        down.add(Part.TRITON)

        answer = client.get("/readyz")

        assert answer.status_code == 503
        assert answer.json() == {
            "database": "ok",
            "broker": "ok",
            "triton": "unreachable",
            "state": "ok",
            "housekeeping": "ok",
            "late": [],
        }

    def test_without_a_database_says_what_it_knows(self, client: Client, down: set[Part]) -> None:
        down.add(Part.DATABASE)

        answer = client.get("/readyz")

        assert answer.status_code == 503
        assert answer.json() == {"database": "unreachable", "broker": "ok", "triton": "ok", "state": "ok"}

    def test_names_a_sweep_that_stopped(self, client: Client, down: set[Part], on_time: None) -> None:
        SweepRun.objects.filter(sweep="seal_audit").update(
            succeeded_at=timezone.now() - timedelta(minutes=23)
        )

        answer = client.get("/readyz")

        assert answer.status_code == 503
        assert answer.json()["housekeeping"] == "late"
        [late] = answer.json()["late"]
        assert late["what"] == "seal_audit"
        assert 1_380 <= late["seconds"] < 1_400
        assert client.get("/readyz?only=database").json() == {"database": "ok"}

    def test_names_an_audit_log_that_nobody_seals(
        self, client: Client, down: set[Part], on_time: None, platform: Platform
    ) -> None:
        endpoints.add(
            platform=platform, url="https://hooks.example/", at=timezone.now() - timedelta(minutes=9)
        )

        answer = client.get("/readyz")

        assert (answer.status_code, [row["what"] for row in answer.json()["late"]]) == (503, ["seals"])

    def test_what_load_makes_late_is_named_and_is_no_failure(
        self, client: Client, down: set[Part], on_time: None, post: Callable[..., Post]
    ) -> None:
        post(at=timezone.now() - timedelta(minutes=5))

        answer = client.get("/readyz")

        assert (answer.status_code, [row["what"] for row in answer.json()["late"]]) == (200, ["scoring"])

    def test_an_endpoint_that_is_down_is_no_failure_of_ours(
        self, client: Client, down: set[Part], on_time: None, platform: Platform
    ) -> None:
        long_ago = timezone.now() - timedelta(hours=1)
        endpoint = endpoints.add(platform=platform, url="https://hooks.example/", at=timezone.now())[0]
        Delivery.objects.create(
            platform=platform,
            endpoint=endpoint,
            event="e",
            body={},
            created_at=long_ago,
            next_attempt_at=long_ago,
        )

        assert [row["what"] for row in client.get("/readyz").json()["late"]] == ["deliveries"]
        EndpointCircuit.objects.create(endpoint=endpoint, state="open", since=long_ago)
        assert client.get("/readyz").json()["late"] == []

    def test_says_where_there_is_no_room(self, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(probe, "LEAST_FREE_BYTES", 2**62)

        answer = client.get("/readyz?only=state")

        assert answer.status_code == 503
        assert answer.json() == {"state": "no_room"}

    @pytest.mark.django_db(transaction=True)
    def test_says_that_the_database_refused_for_want_of_room(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(outage, "_noted", {})
        assert client.get("/readyz?only=database").json() == {"database": "ok"}

        outage.note(outage.NO_ROOM)

        assert client.get("/readyz?only=database").json() == {"database": "no_room"}

    def test_a_load_balancer_asks_for_what_it_needs(self, client: Client, down: set[Part]) -> None:
        down.add(Part.TRITON)

        assert client.get("/readyz?only=database").status_code == 200
        assert client.get("/readyz?only=nonsense").status_code == 400

    def test_one_that_hangs_does_not_hide_the_others(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(probe, "TIMEOUT_SECONDS", 0.2)
        monkeypatch.setitem(probe._ASKED, Part.BROKER, lambda: ())
        monkeypatch.setitem(probe._ASKED, Part.TRITON, lambda: time.sleep(1))

        answers = probe.ask([Part.TRITON, Part.BROKER])

        assert [(answer.part, answer.is_up) for answer in answers] == [
            (Part.TRITON, False),
            (Part.BROKER, True),
        ]

    def test_the_first_probe_does_not_count_its_imports(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(probe, "TIMEOUT_SECONDS", 0.2)
        monkeypatch.setattr(probe, "load_client", lambda: time.sleep(0.4))
        monkeypatch.setitem(probe._ASKED, Part.TRITON, lambda: ())

        assert [answer.is_up for answer in probe.ask([Part.TRITON])] == [True]

    @pytest.mark.django_db(transaction=True)
    def test_gives_back_every_connection_to_the_database(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Else a web process that is asked often soon has none left for its requests."""
        monkeypatch.setattr(scorer, "CHECK_SECONDS", 0.0)  # each probe looks up the live release
        connection.close()
        cast("DatabaseWrapper", connection).close_pool()  # what earlier tests took must not be counted
        connection.ensure_connection()

        for _ in range(3):
            probe.ask([Part.DATABASE, Part.TRITON])

        deadline = time.monotonic() + 10  # the pool grows beside us, and counts before it hands out
        while taken() > 1:
            assert time.monotonic() < deadline, taken()
            time.sleep(0.02)


def taken() -> int:
    """Return how many connections this process has taken from its pool."""
    pool = cast("DatabaseWrapper", connection).pool
    assert pool is not None
    stats = pool.get_stats()
    return int(stats["pool_size"] - stats["pool_available"])


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
        post()
        score.run(revision_ids=[Revision.objects.get().pk], at=at)
        Delivery.objects.update(state="waiting", next_attempt_at=at)
        monkeypatch.setattr("config.health.timezone.now", lambda: at + timedelta(seconds=90))

        assert scraped()["spamdesk_waiting_oldest_seconds deliveries"] == 90

    def test_says_what_is_down_even_without_a_database(
        self, scraped: Callable[[], dict[str, float]], down: set[Part]
    ) -> None:
        down.add(Part.DATABASE)

        assert scraped() == {
            "spamdesk_up database": 0,
            "spamdesk_up broker": 1,
            "spamdesk_up workers": 1,
            "spamdesk_up triton": 1,
            "spamdesk_up state": 1,
        }

    @pytest.mark.django_db(transaction=True)
    def test_tells_of_a_transaction_left_open_and_of_clocks_apart(
        self, scraped: Callable[[], dict[str, float]]
    ) -> None:
        connection.ensure_connection()
        with psycopg.connect(_address()) as other:
            other.execute("SELECT 1")
            time.sleep(0.2)

            read = scraped()

        assert 0.2 <= read["spamdesk_oldest_transaction_seconds"] < 60
        assert abs(read["spamdesk_clock_offset_seconds"]) < 1
        assert read["spamdesk_state_free_bytes"] > 0

    def test_wants_the_token(self, client: Client, down: set[Part], db: None, settings: Settings) -> None:
        settings.METRICS_TOKEN = "a-token"

        assert client.get("/metrics").status_code == 401
        assert client.get("/metrics", headers={"Authorization": "Bearer a-token"}).status_code == 200

    def test_production_has_none_without_a_token(self, client: Client, settings: Settings) -> None:
        settings.IS_PRODUCTION = True

        assert client.get("/metrics").status_code == 404


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


def _address() -> str:
    settings = connection.settings_dict
    login = f"{settings['USER']}:{settings['PASSWORD']}@{settings['HOST']}:{settings['PORT']}"
    return f"postgresql://{login}/{settings['NAME']}"
