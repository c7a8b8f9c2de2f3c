"""Which worker fetches an address: one at a time, and none passes over it for nothing."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone
from pytest_django import Settings

from config.evidence import Limits
from moderation import enqueue
from moderation.evidence import reader
from moderation.models import Evidence, EvidenceRequest, Platform
from moderation.models.evidence import EvidenceState
from moderation.models.platforms import Collecting
from moderation.operations.evidence import collect, leases, opening
from moderation.operations.infrastructure import limits
from moderation.operations.posts import ingest
from tests.moderation.conftest import Incoming
from tests.moderation.evidence import hostile_child
from tests.moderation.instants import AT
from tests.moderation.operations.evidence.conftest import Fetched
from tests.moderation.operations.evidence.hostile_site import ANSWERS, HostileSite, redirects, sends


@pytest.mark.django_db(transaction=True)
def test_a_row_that_is_locked_for_a_moment_is_waited_for() -> None:
    """Its message came while the request was still being opened: passed over, the row waited for a sweep."""
    at = timezone.now()
    row = Evidence.objects.create(
        url="http://site.example/", url_digest="a", hour=at, site="site.example", kind="page",
        enqueued_at=at, since=at, due_at=at,
    )  # fmt: skip
    claimed: list[Evidence | None] = []

    def claim() -> None:
        try:
            claimed.append(leases.claim(evidence_id=row.pk, at=at))
        finally:
            connection.close()

    claiming = threading.Thread(target=claim)
    with transaction.atomic():
        Evidence.objects.select_for_update(no_key=True).get(pk=row.pk)
        claiming.start()
        claiming.join(0.3)
        assert not claimed
    claiming.join(5)

    assert [one and one.state for one in claimed] == [EvidenceState.FETCHING]


pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.whole, pytest.mark.timeout(180)]
THREADS, MOST_SECONDS = 8, 10.0
ANSWERS["/holds"] = sends(hostile_child.HOLDS)
Post = Callable[..., list[int]]


@pytest.fixture
def posted(
    site: HostileSite, settings: Settings, incoming: Incoming, monkeypatch: pytest.MonkeyPatch
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


STATE = EvidenceState


def test_spares_a_site_that_others_redirect_to(fetched: Fetched, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in (1, 2):
        monkeypatch.setitem(ANSWERS, f"/short/{number}", redirects("http://lands.example:PORT/page"))
    monkeypatch.setitem(ANSWERS, "/short/3", redirects("/page"))
    asked: list[str] = []

    def wait(site: str, **_: object) -> bool:
        asked.append(site)
        return len(asked) < 2

    monkeypatch.setattr(leases, "wait_for_site", wait)

    first, second, own = fetched("/short/1"), fetched("/short/2"), fetched("/short/3")

    assert asked == ["lands.example"] * 2
    assert (first.state, second.state, own.state) == (STATE.FETCHED, STATE.TIMED_OUT, STATE.FETCHED)
    assert second.chain[-1] == {"url": second.final_url, "status": None}
    assert "too often" in second.detail


def test_lets_as_many_through_in_a_second_as_the_limit_says(settings: Settings) -> None:
    settings.EVIDENCE_LIMITS = replace(settings.EVIDENCE_LIMITS, site_per_second=2)
    site = f"{time.monotonic_ns()}.example"

    waits = [leases.wait_for_site(site, seconds=0.2, at=AT) for _ in range(3)]
    later = leases.wait_for_site(site, seconds=2.0, at=AT)

    assert (waits, later) == ([True, True, False], True)


def test_waits_for_nobody_without_the_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ask", lambda _question: None)

    assert all(leases.wait_for_site("site.example", seconds=1.0, at=AT) for _ in range(50))
