"""A standby. Promise: what may be a moment old is read there; all else, and all if it fails, elsewhere."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import cast

import pytest
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.postgresql.base import DatabaseWrapper
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from moderation import standby
from moderation.models import Case, Export, Platform, SweepRun, User
from moderation.models.exports import ExportState
from moderation.operations.labels import export_build, exports
from moderation.operations.outbox import feed
from moderation.queries.labels.labels import LabelFilter
from moderation.web.middleware.standby_reads import COOKIE
from tests.moderation import hot_standby
from tests.moderation.conftest import judge
from tests.moderation.hot_standby import HotStandby

PAGES = (
    "/queue/",
    "/posts/",
    "/authors/",
    "/domains/",
    "/decisions/",
    "/campaigns/",
    "/today/",
    "/quality/",
    "/quality/drift/",
)
pytestmark = [
    pytest.mark.whole,
    pytest.mark.django_db(transaction=True, databases=["default", standby.ALIAS]),
]


@pytest.fixture(scope="module")
def server(postgres: None, django_db_setup: None) -> Iterator[HotStandby]:
    with hot_standby.running() as made:
        # A mirror: nothing is emptied there after a test.
        connections.databases[standby.ALIAS] = connections.databases["default"] | {
            "PORT": made.port,
            "TEST": connections.databases["default"]["TEST"] | {"MIRROR": "default"},
        }
        yield made
        cast("DatabaseWrapper", connections[standby.ALIAS]).close_pool()
        del connections[standby.ALIAS], connections.databases[standby.ALIAS]


@pytest.fixture
def replica(
    server: HotStandby, transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> Iterator[HotStandby]:
    """Have this process read from the standby, of which nothing is known yet."""
    monkeypatch.setattr(standby, "fitness", standby._Fitness())
    monkeypatch.setattr(standby, "_LOOK_SECONDS", 600.0)
    # As if the primary were heard while the test runs, however slow the machine is.
    SweepRun.objects.create(sweep="number_feeds", started_at=timezone.now() + timedelta(hours=1))
    yield server
    connections[standby.ALIAS].close()
    if not server.is_up():
        server.start()


@pytest.fixture
def lead_desk(replica: HotStandby, lead: User) -> Client:
    client = Client()
    client.force_login(lead)
    _follow()
    return client


@pytest.mark.parametrize("address", PAGES)
def test_pages_that_only_show_are_read_there(lead_desk: Client, address: str) -> None:
    with _read() as read:
        assert lead_desk.get(address).status_code == 200

    assert read["standby"] > 0
    assert read["default"] <= 2, "session and user"


def test_who_has_just_changed_something_sees_it(lead_desk: Client) -> None:
    lead_desk.post("/language/", {"language": "en"})
    assert lead_desk.cookies[COOKIE]["max-age"] >= 15 + 2 + 2, "heard, looked at, remembered"
    with _read() as read:
        lead_desk.get("/queue/")
    assert read["standby"] == 0

    del lead_desk.cookies[COOKIE]  # it lasts as long as the standby may be behind
    with _read() as read:
        lead_desk.get("/queue/")
    assert read["standby"] > 0


def test_one_that_is_behind_is_left(
    lead_desk: Client, replica: HotStandby, platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    with standby.reading() as is_standby:
        assert is_standby
    monkeypatch.setattr(standby, "MOST_SECONDS_BEHIND", 0.0)
    monkeypatch.setattr(standby, "_WAIT_SECONDS", 0.3)
    replica.execute("SELECT pg_wal_replay_pause()")
    Platform.objects.update(name="Renamed")

    with standby.reading_all_until_now() as is_standby:
        assert not is_standby, "it has not replayed the new name"
        assert Platform.objects.get().name == "Renamed"
    standby.fitness._due = 0.0
    with standby.reading() as is_standby:
        assert not is_standby

    replica.execute("SELECT pg_wal_replay_resume()")
    monkeypatch.undo()
    _follow()
    with standby.reading_all_until_now() as is_standby:
        assert is_standby
        assert Platform.objects.get().name == "Renamed"


def test_one_that_has_not_heard_the_primary_is_left(replica: HotStandby) -> None:
    SweepRun.objects.update(started_at=timezone.now() - timedelta(seconds=20))
    _follow()

    with standby.reading() as is_standby:
        assert not is_standby


def test_a_command_may_be_given_the_standby_itself(
    replica: HotStandby, platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    _follow()
    monkeypatch.setattr(standby, "DEFAULT_DB_ALIAS", standby.ALIAS)

    with standby.reading_all_until_now() as is_chosen:
        assert not is_chosen
        assert Platform.objects.get() == platform


def test_rows_read_there_are_changed_on_the_primary(replica: HotStandby, platform: Platform) -> None:
    _follow()
    with standby.reading() as is_standby:
        assert is_standby
        row = Platform.objects.get()
        row.name = "Renamed"
        row.save()
        assert Platform.objects.select_for_update().db == "default"

    assert Platform.objects.get().name == "Renamed"


def test_an_export_holds_what_was_decided_a_moment_before(
    replica: HotStandby,
    settings: Settings,
    tmp_path: Path,
    lead: User,
    open_case: Callable[..., Case],
    later: Callable[[float], datetime],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings.EXPORT_DIR = tmp_path
    aliases, connection = list[str](), standby.connection

    def noted() -> BaseDatabaseWrapper:
        aliases.append(connection().alias)
        return connection()

    monkeypatch.setattr(standby, "connection", noted)
    judge(open_case(), lead, at=later(10))
    feed.sweep(at=later(40))
    asked = exports.request(requested_by=lead, wanted=LabelFilter(), at=later(50))
    _follow()

    export_build.build(export_id=asked.pk, at=later(51))

    row = Export.objects.get()
    assert (row.state, row.rows_written) == (ExportState.READY, 1)
    assert standby.ALIAS in aliases


def test_a_page_is_answered_though_it_is_gone(lead_desk: Client, replica: HotStandby) -> None:
    lead_desk.get("/queue/")
    replica.kill()
    began = time.monotonic()

    for _ in range(3):
        assert lead_desk.get("/queue/").status_code == 200

    assert time.monotonic() - began < 20
    with standby.reading() as is_standby:
        assert not is_standby


def test_no_page_waits_for_a_look_at_it(lead_desk: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    looked, may_answer = threading.Event(), threading.Event()

    def slowly() -> str:
        looked.set()
        may_answer.wait(60)
        return ""

    monkeypatch.setattr(standby, "fitness", standby._Fitness())
    monkeypatch.setattr(standby, "_why_unfit", slowly)
    with _read() as read:
        assert lead_desk.get("/queue/").status_code == 200

    assert read["standby"] == 0
    assert looked.wait(60)
    may_answer.set()
    while not standby.fitness.is_fit():
        time.sleep(0.01)


@contextmanager
def _read() -> Iterator[dict[str, int]]:
    """Count the statements of either connection."""
    found: dict[str, int] = {}
    with (
        CaptureQueriesContext(connections[standby.ALIAS]) as there,
        CaptureQueriesContext(connections["default"]) as here,
    ):
        yield found
    found["standby"], found["default"] = len(there), len(here)


def _follow() -> None:
    """Wait until the standby holds what was committed."""
    written = standby._written()
    assert written
    assert any(standby._has_replayed(written) for _ in range(5)), "not within a minute"
    standby.fitness._due = 0.0
    standby.fitness.look()
