"""Where the rules of a site are looked for, if the operator obeys them."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from pytest_django import Settings

from moderation.models.evidence import EvidenceState
from moderation.operations.evidence import robots
from tests.moderation.operations.evidence.conftest import Fetched
from tests.moderation.operations.evidence.hostile_site import ANSWERS, redirects, sends

STATE = EvidenceState


@pytest.fixture(autouse=True)
def _obeyed(settings: Settings) -> None:
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
    answer: Callable[..., None], state: EvidenceState, fetched: Fetched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ANSWERS, "/rules", sends(b"User-agent: *\nDisallow: /*age", kind="text/plain"))
    monkeypatch.setitem(ANSWERS, "/robots.txt", answer)
    robots._kept.clear()

    assert fetched("/page").state == state


SITE = "https://site.example"
EVERYBODY = "User-agent: *\n"


@pytest.mark.parametrize(
    ("rules", "path", "allowed"),
    [
        ("", "/a", True),
        (EVERYBODY + "Disallow:", "/a", True),
        (EVERYBODY + "Disallow: /", "", False),
        (EVERYBODY + "Disallow: /*", "/a", False),
        (EVERYBODY + "Disallow: /*.pdf$", "/a/b.pdf", False),
        (EVERYBODY + "Disallow: /*.pdf$", "/a/b.pdf?page=1", True),
        (EVERYBODY + "Disallow: /a*b*c$", "/a-b-b-c-c", False),
        (EVERYBODY + "Disallow: /a*aa$", "/aa", True),
        (EVERYBODY + "Disallow: /$", "/", False),
        (EVERYBODY + "Disallow: /$", "/a", True),
        (EVERYBODY + "Disallow: /\nAllow: /public", "/public/a", True),
        (EVERYBODY + "Allow: /\nDisallow: /x", "/x/a", False),
        (EVERYBODY + "Allow: /x\nDisallow: /x", "/x", True),
        (EVERYBODY + "\nDisallow: /x", "/x", False),
        (EVERYBODY + "Disallow: /x # not /y\nCrawl-delay: 9", "/y", True),
        (EVERYBODY + "Disallow: /x?q=", "/x?q=1", False),
        (EVERYBODY + "Disallow: /f\u00fcr", "/f%C3%BCr", False),
        (EVERYBODY + "Disallow: /%7Ea", "/~a", False),
        ("\ufeff" + EVERYBODY + "Disallow: /", "/a", False),
        ("USER-AGENT: spamDESK\ndisallow: /", "/a", False),
        ("User-agent: Spamdesk/2.0\nDisallow: /", "/a", False),
        ("User-agent: desk\nDisallow: /", "/a", True),
        ("User-agent: Other\nUser-agent: Spamdesk\nDisallow: /", "/a", False),
        ("User-agent: Spamdesk\nDisallow: /a\n\nUser-agent: Spamdesk\nDisallow: /b", "/a", False),
        ("User-agent: Spamdesk\nDisallow:\n\n" + EVERYBODY + "Disallow: /", "/a", True),
        ("Disallow: /", "/a", True),
        ("Disallow\n:\n\u2028: /\nUser-agent:\nDisallow: /", "/a", True),
    ],
)
def test_the_longest_rule_of_ones_own_group_counts(rules: str, path: str, allowed: bool) -> None:
    assert robots.parse(rules, name="Spamdesk").allow(SITE + path) == allowed


@pytest.mark.parametrize(
    "rules",
    [
        EVERYBODY + ("Disallow: /" + "*a" * 200 + "b\n") * 1_200,
        EVERYBODY + "Disallow: /\n" * 40_000,
        EVERYBODY * 35_000,
        "".join(f"User-agent: a{name}\n" for name in range(20_000)) + "Disallow: /a\n" * 15_000,
    ],
)
def test_no_rules_take_long(rules: str) -> None:
    began = time.process_time()

    robots.parse(rules, name="Spamdesk").allow(f"{SITE}/{'a' * 2_000}")

    assert time.process_time() - began < 3
