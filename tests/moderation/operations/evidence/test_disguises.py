"""What a site answers counts as a browser would take it, and sites are spared that others redirect to."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

import pytest
from pytest_django import Settings

from moderation.models import Evidence
from moderation.models.evidence import EvidenceKind, EvidenceState
from moderation.operations.evidence import politeness, robots
from moderation.operations.infrastructure import limits
from tests.moderation.operations.evidence.hostile_site import ANSWERS, HostileSite, redirects, sends

STATE = EvidenceState
Fetched = Callable[..., Evidence]


@pytest.mark.parametrize("path", ["/stored-picture", "/attached.png", "/called-text.png"])
def test_a_picture_is_known_by_its_first_bytes_where_one_is_expected(path: str, fetched: Fetched) -> None:
    row = fetched(path, EvidenceKind.PICTURE)

    assert (row.state, (row.facts or {}).get("format")) == (STATE.FETCHED, "PNG")


@pytest.mark.parametrize("path", ["/stored-picture", "/attached.png"])
def test_a_link_to_the_same_offers_a_file(path: str, fetched: Fetched, site: HostileSite) -> None:
    row = fetched(path)

    assert row.state == STATE.WRONG_KIND
    assert [file["url"] for file in (row.facts or {})["downloads"]] == [site.url(path)]


def test_what_comes_with_an_error_is_offered_to_nobody(fetched: Fetched) -> None:
    row = fetched("/gone.json")

    assert (row.state, row.facts, row.detail) == (STATE.NO_PAGE, None, "status 404")


@pytest.mark.parametrize(
    ("path", "says", "hops"),
    [
        ("/refresh-header", "Casino bonus", 2),
        ("/refresh-late", "Moment", 1),
        ("/refresh-itself", "Moment", 1),
    ],
)
def test_a_header_can_send_a_browser_on(path: str, says: str, hops: int, fetched: Fetched) -> None:
    row = fetched(path)

    assert (row.state, len(row.chain)) == (STATE.FETCHED, hops)
    assert says in (row.facts or {})["text"]


class TestRobots:
    @pytest.fixture(autouse=True)
    def _obeyed(self, settings: Settings) -> None:
        settings.EVIDENCE_OBEYS_ROBOTS = True

    @pytest.mark.parametrize(
        ("answer", "state"),
        [
            (redirects("/rules"), STATE.DISALLOWED),
            (redirects("/robots.txt"), STATE.FETCHED),
            (redirects("http://10.0.0.1/"), STATE.FETCHED),
            (sends(b"busy", status=503), STATE.DISALLOWED),
            (sends(b"User-agent: *\nDisallow: /", status=404), STATE.FETCHED),
        ],
    )
    def test_are_found_where_they_are(
        self,
        answer: Callable[..., None],
        state: EvidenceState,
        fetched: Fetched,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setitem(ANSWERS, "/rules", sends(b"User-agent: *\nDisallow: /*age", kind="text/plain"))
        monkeypatch.setitem(ANSWERS, "/robots.txt", answer)
        robots.forget()

        assert fetched("/page").state == state


class TestPoliteness:
    def test_spares_a_site_that_others_redirect_to(
        self, fetched: Fetched, settings: Settings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for number in (1, 2):
            monkeypatch.setitem(ANSWERS, f"/short/{number}", redirects("http://lands.example:PORT/page"))
        asked: list[str] = []
        monkeypatch.setattr(politeness, "wait", lambda site, **_: asked.append(site) or len(asked) < 2)

        first, second, own = fetched("/short/1"), fetched("/short/2"), fetched("/refresh-header")

        assert asked == ["lands.example"] * 2
        assert (first.state, second.state, own.state) == (STATE.FETCHED, STATE.TIMED_OUT, STATE.FETCHED)
        assert second.chain[-1] == {"url": second.final_url, "status": None}
        assert "too often" in second.detail

    def test_lets_as_many_through_in_a_second_as_the_limit_says(
        self, settings: Settings, at: datetime, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings.EVIDENCE_LIMITS = replace(settings.EVIDENCE_LIMITS, site_per_second=2)
        site = f"{time.monotonic_ns()}.example"

        waits = [politeness.wait(site, seconds=0.2, at=at) for _ in range(3)]
        later = politeness.wait(site, seconds=2.0, at=at)

        assert (waits, later) == ([True, True, False], True)

    def test_waits_for_nobody_without_the_store(self, at: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(limits, "ask", lambda _question: None)

        assert all(politeness.wait("site.example", seconds=1.0, at=at) for _ in range(50))
