"""Evidence is asked for with the score, fetched once an hour, never lost or doubled; videos are heard."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pocketsphinx import get_model_path
from pytest_django import Settings
from structlog.testing import capture_logs

from config.evidence import Limits
from moderation.evidence import reader
from moderation.evidence.reader import Readers
from moderation.models import (
    Evidence,
    EvidenceRequest,
    Platform,
    Revision,
    RevisionEvidence,
    Score,
    ScoringJob,
    User,
)
from moderation.models.evidence import EvidenceState
from moderation.models.platforms import Collecting
from moderation.models.posts import ScoreState
from moderation.operations import rules
from moderation.operations.erasure import erase
from moderation.operations.evidence import collect, fetch, leases, opening
from moderation.operations.infrastructure import sweeps
from moderation.operations.scoring import score
from moderation.queries.records import records
from tests.moderation.evidence import hostile_child
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import AT, later
from tests.moderation.operations.evidence.conftest import Scored
from tests.moderation.operations.evidence.hostile_site import HostileSite


def ids() -> list[int]:
    return list(Evidence.objects.order_by("id").values_list("pk", flat=True))


@pytest.mark.parametrize(
    ("collects", "probability", "path", "is_asked_for"),
    [
        (Collecting.OFF, 0.5, "/page", False),
        (Collecting.UNSURE, 0.5, "/page", True),
        (Collecting.UNSURE, 0.1, "/page", False),
        (Collecting.ON, 0.1, "/page", True),
        (Collecting.ON, 0.1, "", False),
    ],
)
def test_is_asked_for_as_the_platform_wishes(
    collects: Collecting,
    probability: float,
    path: str,
    is_asked_for: bool,
    site: HostileSite,
    fake_scorer: FakeScorer,
    scored: Scored,
) -> None:
    Platform.objects.update(collects_evidence=collects)
    fake_scorer.default = probability

    revision = scored(*([site.url(path)] if path else []), at=AT)

    assert revision.scoring.state == ScoreState.SCORED
    assert EvidenceRequest.objects.exists() == RevisionEvidence.objects.exists() == is_asked_for


def test_is_fetched_once_an_hour_however_often_it_is_posted(site: HostileSite, scored: Scored) -> None:
    url = site.url("/page")
    for seconds in (0, 5, 3_600):
        scored(url, at=later(seconds))
    for evidence_id in [*ids(), *ids()]:
        collect.run(evidence_id=evidence_id, at=later(3_601))

    assert site.paths() == ["/page", "/page"]
    assert opening.run(revision_ids=[row.pk for row in Revision.objects.all()], at=later(3_602)) == 0
    assert list(Evidence.objects.values_list("kind", flat=True)) == ["page", "page", "picture"]
    assert RevisionEvidence.objects.count() == 6


@pytest.mark.parametrize(("path", "generation"), [("/elsewhere", 2), ("/page", 1), ("/private", 2)])
def test_posts_are_scored_again_when_a_link_leads_to_another_domain(
    path: str, generation: int, site: HostileSite, scored: Scored
) -> None:
    revision = scored(site.url(path), at=AT)

    collect.run(evidence_id=ids()[0], at=later(1))

    revision.refresh_from_db()
    assert revision.scoring.generation == generation
    assert (revision.scoring.state == ScoreState.PENDING) == (generation == 2)


def test_a_rule_holds_for_what_a_link_leads_to(site: HostileSite, scored: Scored, lead: User) -> None:
    ban = rules.impose(value="lands.example", reason="parcels", actor=lead, at=AT)
    scored(site.url("/elsewhere"), at=AT)
    collect.run(evidence_id=ids()[0], at=later(1))

    score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=later(16))

    first, second = Score.objects.order_by("generation")
    assert (first.ban_id, second.ban_id) == (None, ban.pk)
    assert second.record["links"][0]["hops"] == ["lands.example"]


def test_a_site_is_asked_by_few_at_once(site: HostileSite, settings: Settings, scored: Scored) -> None:
    settings.EVIDENCE_LIMITS = Limits(site_at_once=1)
    scored(site.url("/a"), site.url("/b"), at=AT)
    first, second = ids()
    held = leases.claim(evidence_id=first, at=AT)

    assert held is not None
    assert collect.run(evidence_id=second, at=AT) == 0
    assert leases.sweep(at=AT) == 0
    assert leases.sweep(at=later(2)) == 1, "its message is used up, so the sweep sends another"
    assert collect.run(evidence_id=second, at=later(leases.LEASE_SECONDS + 2)) == 1


def test_what_gets_no_reader_in_time_waits_again_without_an_attempt(
    site: HostileSite, scored: Scored, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collect, "_READERS_WITHIN_SECONDS", 0.2)
    scored(site.url("/page"), at=AT)
    busy = Readers(0, memory_bytes=0)

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(collect, "_readers", lambda _kind: busy)
        assert collect.run(evidence_id=ids()[0], at=AT) == 0
    row = Evidence.objects.get(pk=ids()[0])
    assert (row.state, row.attempts, row.lease_until) == (EvidenceState.WAITING, 0, None)
    assert leases.sweep(at=later(2)) == 1
    assert collect.run(evidence_id=ids()[0], at=later(2)) == 1


def test_a_reader_without_a_jail_is_named_in_the_log_once(
    site: HostileSite, scored: Scored, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "_CHILD", hostile_child.WITHOUT_JAIL)
    scored(site.url("/page"), site.url("/other"), at=AT)
    collect.forget()

    with capture_logs() as logged:
        assert [collect.run(evidence_id=one, at=AT) for one in ids()] == [1, 1]
    collect.forget()
    assert [line["lacking"] for line in logged if line["event"] == "reader_not_jailed"] == [
        ["landlock", "seccomp"]
    ]


class TestRecovery:
    def test_finds_what_lost_its_message(self, site: HostileSite, scored: Scored) -> None:
        scored(site.url("/page"), at=AT)
        EvidenceRequest.objects.update(opened_at=None)

        assert leases.sweep(at=later(sweeps.FORGOTTEN_SECONDS - 1)) == 0
        assert leases.sweep(at=later(sweeps.FORGOTTEN_SECONDS + 1)) == 2, "the request, and the row"
        assert leases.sweep(at=later(sweeps.FORGOTTEN_SECONDS + 2)) == 0

    def test_takes_over_from_a_dead_worker_and_keeps_nothing_twice(
        self, site: HostileSite, scored: Scored, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        scored(site.url("/elsewhere"), at=AT)
        [evidence_id] = ids()
        over = AT + timedelta(seconds=leases.LEASE_SECONDS + 1)
        follow = fetch.follow

        def hang(journey: fetch.Journey) -> None:
            """Let another worker take over, as after a lease, before the first one comes back."""
            follow(journey)
            monkeypatch.setattr(fetch, "follow", follow)
            assert collect.run(evidence_id=evidence_id, at=AT) == 0, "the lease holds"
            assert leases.sweep(at=over) == 1
            assert collect.run(evidence_id=evidence_id, at=over) == 1

        monkeypatch.setattr(fetch, "follow", hang)

        assert collect.run(evidence_id=evidence_id, at=AT) == 0, "another worker has taken over"
        assert Evidence.objects.get(pk=evidence_id).fetched_at == over
        assert ScoringJob.objects.get().generation == 2, "scored again once"

    def test_gives_up_by_name_what_kills_every_worker(
        self, site: HostileSite, scored: Scored, at: datetime
    ) -> None:
        scored(site.url("/page"), at=at)
        [evidence_id] = ids()
        for _ in range(leases.MAX_ATTEMPTS):
            assert leases.claim(evidence_id=evidence_id, at=at) is not None
            at += timedelta(seconds=leases.LEASE_SECONDS + 1)
            leases.sweep(at=at)

        assert Evidence.objects.get().state == EvidenceState.LOST
        assert not site.asked


def test_is_erased_with_the_last_post_that_carries_it(site: HostileSite, scored: Scored) -> None:
    first = scored(site.url("/both"), site.url("/first"), at=AT)
    second = scored(site.url("/both"), at=AT)
    for evidence_id in ids():
        collect.run(evidence_id=evidence_id, at=AT)

    erase.post(post_id=first.post_id, at=later(5))
    assert [row.url for row in Evidence.objects.filter(kind="page")] == [site.url("/both")]
    erase.post(post_id=second.post_id, at=later(6))
    assert not Evidence.objects.exists()
    assert not EvidenceRequest.objects.exists()


def test_threads_that_begin_together_share_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    together = threading.Barrier(8, timeout=60)

    class Slow(Readers):
        def __init__(self, count: int, **given: Any) -> None:
            together.wait()
            super().__init__(count, **given)

    monkeypatch.setattr(collect, "Readers", Slow)
    collect.forget()

    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(collect._readers, ["page"] * 8))

    assert len({id(one) for one in made}) == 1


MODEL = Path(get_model_path("en-us"))


@pytest.mark.whole
@pytest.mark.timeout(180)
@pytest.mark.parametrize(
    ("path", "model", "state"),
    [
        ("/clip.webm", MODEL, EvidenceState.FETCHED),
        ("/clip.webm", None, EvidenceState.NOT_INSTALLED),
        ("/clip.webm", MODEL.parent / "none", EvidenceState.NOT_INSTALLED),
        ("/no-clip.mp4", MODEL, EvidenceState.BROKEN),
    ],
)
def test_a_video_is_heard_or_said_by_name_to_be_unknown(
    path: str, model: Path | None, state: EvidenceState, site: HostileSite, scored: Scored, settings: Settings
) -> None:
    settings.SPEECH_MODEL = model
    settings.EVIDENCE_LIMITS = replace(settings.EVIDENCE_LIMITS, speech_seconds=90.0)  # on a busy machine
    revision = scored(at=AT, media=(site.url(path),))

    assert collect.run(evidence_id=Evidence.objects.get().pk, at=later(1)) == 1

    row = Evidence.objects.get()
    assert (row.state, bool(row.facts)) == (state, state == EvidenceState.FETCHED)
    [piece] = records.record_at(revision=revision, at=later(2)).evidence
    assert (piece.page, piece.picture) == (None, None)
    assert bool(piece.transcript) == (state == EvidenceState.FETCHED)
    if row.facts:
        assert row.facts["source"] == "pocketsphinx: en-us"
    if model is None:
        assert row.bytes_read <= 1, "what nobody can read is not loaded"
