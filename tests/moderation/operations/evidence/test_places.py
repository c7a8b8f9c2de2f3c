"""Links of one platform delay no page of another: pages that hold readers, names without an answer."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from config.evidence import Limits
from moderation import enqueue
from moderation.evidence import reader
from moderation.models import Evidence, EvidenceRequest, Platform
from moderation.models.evidence import EvidenceState
from moderation.models.platforms import Collecting
from moderation.operations.evidence import collect, opening
from moderation.operations.posts import ingest
from moderation.operations.posts.incoming_post import IncomingPost
from tests.moderation.evidence import hostile_child
from tests.moderation.operations.evidence.hostile_site import ANSWERS, HostileSite, sends

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.whole, pytest.mark.timeout(180)]
THREADS, MOST_SECONDS = 8, 10.0
ANSWERS["/holds"] = sends(hostile_child.HOLDS)
Post = Callable[..., list[int]]


@pytest.fixture
def posted(
    site: HostileSite,
    settings: Settings,
    incoming: Callable[..., IncomingPost],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Post]:
    """Post links of a platform; as many threads as a worker has fetch them in the order of their messages."""
    settings.EVIDENCE_LIMITS = Limits()
    settings.EGRESS_PRIVATE_HOSTS = [f"{name}{number}.example" for name in "ab" for number in range(20)]
    collect.forget()
    monkeypatch.setattr(reader, "_CHILD", hostile_child.COMMAND)
    threads = ThreadPoolExecutor(THREADS)

    def fetch(evidence_id: int) -> None:
        try:
            collect.run(evidence_id=evidence_id, at=timezone.now())
        finally:
            connection.close()

    def send(_task: str, *, options: dict[str, Any], kwargs: dict[str, Any]) -> None:
        if "evidence_id" in kwargs:
            threads.submit(fetch, kwargs["evidence_id"])

    def post(platform: Platform, urls: list[str]) -> list[int]:
        [answer] = ingest.accept(platform=platform, posts=[incoming(links=urls)], at=timezone.now())
        assert isinstance(answer, ingest.Accepted)
        EvidenceRequest.objects.create(
            revision_id=answer.revision_id, enqueued_at=timezone.now(), since=timezone.now()
        )
        opening.run(revision_ids=[answer.revision_id], at=timezone.now())
        return list(Evidence.objects.filter(url__in=urls).values_list("pk", flat=True))

    monkeypatch.setattr(enqueue, "_send", send)
    yield post
    threads.shutdown(wait=False, cancel_futures=True)
    collect.forget()
    threads.shutdown()


@pytest.fixture
def other(platform: Platform) -> Platform:
    return Platform.objects.create(
        slug="other", name="Other", created_at=platform.created_at, collects_evidence=Collecting.ON
    )


def seconds_to_read(ids: list[int]) -> float:
    """Wait until addresses are fetched; return how long that took."""
    began = time.monotonic()
    while Evidence.objects.filter(pk__in=ids).exclude(state=EvidenceState.FETCHED).exists():
        assert time.monotonic() - began < 60, list(
            Evidence.objects.filter(pk__in=ids).values("state", "detail")
        )
        time.sleep(0.1)
    return time.monotonic() - began


def test_pages_that_hold_a_reader_delay_no_other_platform(
    posted: Post, site: HostileSite, platform: Platform, other: Platform
) -> None:
    """Ten at once, as a post may carry them every minute."""
    holding = posted(platform, [site.url("/holds", host=f"a{number}.example") for number in range(10)])
    took = []
    for number in range(5):
        took.append(seconds_to_read(posted(other, [site.url("/page", host=f"b{number}.example")])))
        time.sleep(2)

    assert max(took) < MOST_SECONDS, took
    assert Evidence.objects.filter(pk__in=holding, state=EvidenceState.BROKEN).exists()


def test_names_whose_servers_do_not_answer_delay_no_other_platform(
    posted: Post, site: HostileSite, platform: Platform, other: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolve = socket.getaddrinfo

    def silent(host: str, *rest: Any, **more: Any) -> Any:
        if host.startswith("a"):
            time.sleep(40)
        return resolve(host, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", silent)
    waiting = posted(platform, [site.url("/page", host=f"a{number}.example") for number in range(10)])

    assert seconds_to_read(posted(other, [site.url("/page", host="b1.example")])) < MOST_SECONDS
    ended, began = Evidence.objects.filter(pk__in=waiting, state=EvidenceState.TIMED_OUT), time.monotonic()
    while ended.count() <= Limits().platform_at_once:  # one that found no place has followed
        assert time.monotonic() - began < 2 * Limits().hop_seconds + 5
        time.sleep(0.1)
