"""What /readyz says of each part."""

import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import cast

import pytest
from django.db import connection
from django.db.backends.postgresql.base import DatabaseWrapper
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from moderation import scorer
from moderation.models import Delivery, EndpointCircuit, Heartbeat, Platform, Post, SweepRun
from moderation.operations.infrastructure import outage, probe
from moderation.operations.infrastructure.probe import Part
from moderation.operations.webhooks import endpoints
from scoring.release import Release, SchemaMismatch
from tests.moderation.fakes import FakeContent, FakeScorer


class TestReady:
    def test_names_each_part_or_the_one_that_is_asked_for(
        self, client: Client, down: set[Part], on_time: None, settings: Settings
    ) -> None:
        down.add(Part.TRITON)

        answer = client.get("/readyz")

        assert answer.status_code == 503
        assert answer.json() == {
            "database": "ok",
            "broker": "ok",
            "release": "ok",
            "triton": "unreachable",
            "state": "ok",
            "housekeeping": "ok",
            "late": [],
            "processes": "ok",
            "missing": [],
            "seen": dict.fromkeys([*settings.WORKERS, "beat", "web"], 0),
        }
        assert client.get("/readyz?only=database").status_code == 200
        assert client.get("/readyz?only=nonsense").status_code == 400

    @pytest.mark.usefixtures("on_time")
    def test_blames_a_release_of_other_features_and_not_triton(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse() -> None:
            raise SchemaMismatch("release 0123 does not know context.mentions: refit it")

        monkeypatch.setattr(scorer.current(), "live", refuse)
        monkeypatch.setattr(scorer.current(), "content_of", lambda _release_id: FakeContent(FakeScorer()))

        answer = client.get("/readyz")

        assert answer.status_code == 503
        said = answer.json()
        assert (said["release"], said["triton"]) == ("unusable", "ok")
        assert said["problem"] == "release 0123 does not know context.mentions: refit it"

    @pytest.mark.django_db(transaction=True)
    def test_says_loading_and_does_not_blame_triton(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        is_due, load = threading.Event(), Release.load
        monkeypatch.setattr(Release, "load", lambda folder: is_due.wait(60) and load(folder))
        monkeypatch.setattr(probe, "TIMEOUT_SECONDS", 1.0)
        monkeypatch.setattr(probe, "_loaded", threading.Event())
        scorer.forget()

        early = client.get("/readyz")

        assert early.status_code == 503
        assert (early.json()["release"], early.json()["triton"]) == ("loading", "loading")
        is_due.set()
        monkeypatch.setattr(probe, "TIMEOUT_SECONDS", 30.0)
        assert client.get("/readyz?only=release").json() == {"release": "ok"}

    def test_without_a_database_says_what_it_knows(self, client: Client, down: set[Part]) -> None:
        down.add(Part.DATABASE)

        answer = client.get("/readyz")

        assert answer.status_code == 503
        assert answer.json() == {
            "database": "unreachable",
            "broker": "ok",
            "release": "ok",
            "triton": "ok",
            "state": "ok",
            "content": "TensorRT, GPU",
        }

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

    def test_names_what_does_not_work(self, client: Client, down: set[Part], on_time: None) -> None:
        beats = Heartbeat.objects.filter(sender__in=["explanations", "scoring"])
        beats.update(at=timezone.now() - timedelta(minutes=23))
        Heartbeat.objects.get(sender="beat").delete()

        answer = client.get("/readyz")

        assert (answer.status_code, answer.json()["processes"]) == (503, "missing")
        assert answer.json()["missing"] == ["scoring", "background", "beat"]
        seen = answer.json()["seen"]
        assert (seen["beat"], seen["web"], 1_380 <= seen["background"] < 1_400) == (None, 0, True)
        assert client.get("/readyz?only=database").status_code == 200

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
        due = {"created_at": long_ago, "next_attempt_at": long_ago}
        Delivery.objects.create(platform=platform, endpoint=endpoint, event="e", body={}, **due)

        assert [row["what"] for row in client.get("/readyz").json()["late"]] == ["deliveries"]
        circuit = EndpointCircuit.objects.create(endpoint=endpoint, state="open", since=long_ago)
        assert client.get("/readyz").json()["late"] == []
        EndpointCircuit.objects.filter(pk=circuit.pk).update(state="half_open")
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

    def test_one_that_hangs_does_not_hide_the_others(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(probe, "TIMEOUT_SECONDS", 0.2)
        monkeypatch.setitem(probe._ASKED, Part.BROKER, lambda: ())
        monkeypatch.setitem(probe._ASKED, Part.TRITON, lambda: time.sleep(1))

        answers = probe.ask([Part.TRITON, Part.BROKER])

        assert {answer.part: answer.is_up for answer in answers} == {Part.TRITON: False, Part.BROKER: True}

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

        deadline = time.monotonic() + 60  # the pool grows beside us, and counts before it hands out
        while taken() > 1:
            assert time.monotonic() < deadline, taken()
            time.sleep(0.02)


def taken() -> int:
    """Return how many connections this process has taken from its pool."""
    pool = cast("DatabaseWrapper", connection).pool
    assert pool is not None
    stats = pool.get_stats()
    return int(stats["pool_size"] - stats["pool_available"])


def test_store_of_pictures_is_asked_where_one_is_named_and_named_where_it_does_not_answer(
    client: Client, settings: Settings, down: set[Part], on_time: None
) -> None:
    assert Part.STORE not in probe.every()
    settings.EVIDENCE_STORE = "s3://bucket?endpoint=http://127.0.0.1:9"
    down.add(Part.STORE)

    answer = client.get("/readyz")

    assert (answer.status_code, answer.json()["store"]) == (503, "unreachable")
