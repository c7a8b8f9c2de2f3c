"""What a replay collects without HTTP is what the worker collects over HTTP, from the same posts."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from pytest_django import Settings

from config.evidence import Limits
from moderation.evidence import picture_text
from moderation.evidence.facts import Unreadable
from moderation.evidence.reader import Reader
from moderation.models import Evidence, Platform, Revision
from moderation.operations.evidence import answers
from moderation.operations.evidence.fetch import Means
from moderation.operations.posts.ingest import Accepted
from simulation import rehearse
from simulation.events import PostEvent
from simulation.replay import incoming_post
from simulation.simulated_means import Readings, means
from simulation.web.shares import Mode
from simulation.web.simulated_web import SimulatedWeb
from simulation.world import World
from tests.simulation.served_web import serving

pytestmark = pytest.mark.django_db

START = datetime(2026, 3, 1, tzinfo=UTC)
LATER = START + timedelta(hours=2)
_KEPT = (
    *("url", "state", "detail", "chain", "final_url", "final_host", "final_domain", "content_type"),
    "facts",
)


@pytest.fixture
def readings() -> Iterator[Readings]:
    with Readings() as found:
        yield found


def events_of(*, mode: Mode, posts: int, seed: int = 11) -> list[PostEvent]:
    world = World(seed=seed, run=f"sim-{mode}", leads=mode)
    events = world.run(start=START, seconds_per_post=60, posts=posts)
    return [event for event in events if isinstance(event, PostEvent)]


def web_of(events: list[PostEvent]) -> SimulatedWeb:
    return SimulatedWeb(site for event in events for site in event.sites)


def collected(events: list[PostEvent], *, means: Means) -> list[dict[str, Any]]:
    """Store the posts, collect what they lead to, and return the rows; everything is rolled back."""
    with transaction.atomic():
        platform = Platform.objects.create(slug="simulated", name="Simulated", created_at=START)
        posts = [incoming_post(event.payload) for event in events]
        stored = rehearse.accept(platform=platform, posts=posts, at=LATER)
        ids = [one.revision_id for one in stored if isinstance(one, Accepted)]
        rehearse.collect(revision_ids=ids, means=means, browses=True, at=LATER)
        rows = list(Evidence.objects.order_by("url", "kind").values(*_KEPT))
        transaction.set_rollback(True)
    return rows


@pytest.mark.parametrize(
    ("mode", "posts", "seed"),
    [(Mode.ORDINARY, 60, 11), pytest.param(Mode.ATTACKS, 25, 14, marks=pytest.mark.long)],
)
def test_the_collector_finds_over_http_what_a_replay_finds(
    mode: Mode, posts: int, seed: int, readings: Readings, settings: Settings
) -> None:
    settings.EVIDENCE_LIMITS = Limits(seconds=120.0, hop_seconds=60.0)
    events = events_of(mode=mode, posts=posts, seed=seed)
    web = web_of(events)

    def read(kind: str, data: bytes, *, hints: Mapping[str, str], seconds: float) -> dict[str, Any]:
        """Leave the text of pictures unread, which takes a second for each."""
        return {} if kind == "text" else readings.read(kind, data, hints=hints, seconds=seconds)

    with serving(web, clock=lambda: LATER) as server:
        settings.SIMULATED_WEB_PORT = server.server_port
        over_http = collected(events, means=Means(get=answers.get, read=read))
    settings.SIMULATED_WEB_PORT = 0
    here = means(web, readings=readings, clock=lambda: LATER)
    in_process = collected(events, means=Means(get=here.get, read=read))

    assert in_process == over_http
    assert len(in_process) > 10
    cloaked = [row for row in in_process if (row["facts"] or {}).get("differs_for_browser")]
    assert bool(cloaked) == (mode == Mode.ATTACKS)
    assert {row["state"] for row in in_process} >= {"fetched"}


class TestReadings:
    def test_what_was_read_is_not_read_again_not_even_in_the_next_run(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked: list[str] = []

        def read(_self: Reader, kind: str, _data: bytes, **_: object) -> dict[str, object]:
            asked.append(kind)
            return {"text": "said", "thumbnail": "bytes"}

        monkeypatch.setattr(Reader, "read", read)
        kept_in = tmp_path / "kept" / "readings.jsonl"
        for _ in range(2):
            with Readings(kept_in=kept_in) as readings:
                for _ in range(2):
                    said = readings.read("picture", b"one", hints={"url": "u"}, seconds=1.0)
            kept_in.write_text(kept_in.read_text() + '{"of": "a line of a killed r')

        assert said == {"text": "said"}
        assert asked == ["picture"]

    def test_a_page_says_what_its_address_makes_of_it(self, readings: Readings) -> None:
        html = b'<form action="https://a.example/in"><input type="password"></form>'

        own, other = (
            readings.read("page", html, hints={"url": f"https://{host}.example/"}, seconds=8.0)
            for host in ("a", "b")
        )

        assert [facts["forms"][0]["posts_elsewhere"] for facts in (own, other)] == [False, True]

    def test_what_cannot_be_read_stays_so(self, readings: Readings) -> None:
        for _ in range(2):
            with pytest.raises(Unreadable, match="wrong_kind"):
                readings.read("picture", b"no picture", hints={}, seconds=8.0)


@pytest.mark.skipif(not picture_text.is_installed(), reason="no engine reads text in pictures")
def test_the_text_of_a_picture_is_read_and_not_known(readings: Readings) -> None:
    events = events_of(mode=Mode.HIDDEN, posts=60)
    shown = [event for event in events if event.truth.hides_in == "picture"]

    rows = collected(shown[:4], means=means(web_of(shown), readings=readings, clock=lambda: LATER))

    said = " ".join(str((row["facts"] or {}).get("text")) for row in rows)
    assert len(said.split()) > 20
    assert Revision.objects.count() == 0
