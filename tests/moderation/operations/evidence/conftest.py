"""A hostile site that names lead to, small limits, and a platform that has evidence collected."""

import socket
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from pytest_django import Settings

from config.evidence import Limits
from moderation import enqueue
from moderation.models import Evidence, EvidenceRequest, Platform, Revision
from moderation.models.evidence import EvidenceKind, EvidenceState
from moderation.models.platforms import Collecting
from moderation.operations.evidence import collect, leads, mattering, opening, robots
from moderation.operations.scoring import score
from tests.moderation.conftest import Post_
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import AT
from tests.moderation.operations.evidence.hostile_site import HostileSite, serving

Fetched = Callable[..., Evidence]
Scored = Callable[..., Revision]


def settle(at: datetime, *, rounds: int = 5) -> None:
    """Do what the queues would, until nothing is left to open or to fetch."""
    for _ in range(rounds):
        asked = EvidenceRequest.objects.filter(opened_at__isnull=True)
        opening.run(revision_ids=list(asked.values_list("revision", flat=True)), at=at)
        waiting = Evidence.objects.filter(state=EvidenceState.WAITING)
        for evidence_id in list(waiting.values_list("pk", flat=True)):
            collect.run(evidence_id=evidence_id, at=at)


@pytest.fixture(autouse=True)
def _empty_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests enqueue, too, and nobody takes their messages."""
    monkeypatch.setattr(enqueue, "messages", dict)


@pytest.fixture(scope="module")
def served() -> Iterator[HostileSite]:
    with serving() as site:
        yield site
    collect.forget()


@pytest.fixture
def site(
    served: HostileSite,
    settings: Settings,
    platform: Platform,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> HostileSite:
    """The site under names of `.example`, which the operator lists; `inside.test` leads there, too."""
    real = socket.getaddrinfo

    def resolve(host: str, *rest: Any, **more: Any) -> Any:
        return real("127.0.0.1" if host.endswith((".example", ".test")) else host, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    settings.EVIDENCE_DIR = tmp_path / "evidence"
    settings.EGRESS_PRIVATE_HOSTS = ("site.example", "lands.example", "www.lands.example")
    settings.EVIDENCE_LIMITS = Limits(
        seconds=9.0, hop_seconds=9.0, most_bytes=200_000, ratio=4.0, site_per_second=100
    )
    Platform.objects.filter(pk=platform.pk).update(collects_evidence=Collecting.ON)
    served.asked.clear()
    served.says = ""
    robots._kept.clear()
    return served


@pytest.fixture
def scored(post: Post_, fake_scorer: FakeScorer) -> Scored:
    """Store a post with these links at an instant, score it and write its addresses down."""

    def run(*links: str, at: datetime, media: Sequence[str] = ()) -> Revision:
        revision = Revision.objects.get(post=post(links=list(links), media_urls=tuple(media), at=at))
        score.run(revision_ids=[revision.pk], at=at)
        opening.run(revision_ids=[revision.pk], at=at)
        revision.refresh_from_db()
        return revision

    return run


@pytest.fixture
def fetched(site: HostileSite, post: Post_) -> Fetched:
    """Fetch an address of the site that a post carries, and return what became of it."""

    def run(path: str, kind: EvidenceKind = EvidenceKind.PAGE) -> Evidence:
        revision = Revision.objects.get(post=post(at=AT))
        address = leads.Address(revision_id=revision.pk, url=site.url(path), kind=kind)
        with transaction.atomic():
            [evidence_id] = opening.write_down([address], at=AT)
        assert collect.run(evidence_id=evidence_id, at=AT) == 1
        return Evidence.objects.get(pk=evidence_id)

    return run


@pytest.fixture(autouse=True)
def unread(monkeypatch: pytest.MonkeyPatch) -> None:
    """The live release looks at no evidence: what is tested here is how it comes, not what it says."""
    monkeypatch.setattr(mattering, "_read", frozenset)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """The messages for evidence, by task and arguments."""
    found: list[tuple[str, dict[str, Any]]] = []

    def send(task: str, *, options: dict[str, Any], kwargs: dict[str, Any]) -> None:
        if options["queue"] == "evidence":
            found.append((task.rpartition(".")[2], kwargs))

    monkeypatch.setattr(enqueue, "_send", send)
    return found
