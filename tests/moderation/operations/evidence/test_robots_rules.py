"""Rules of robots.txt, by RFC 9309."""

from __future__ import annotations

import time

import pytest

from moderation.operations.evidence import robots_rules

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
    assert robots_rules.parse(rules, name="Spamdesk").allow(SITE + path) == allowed


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

    robots_rules.parse(rules, name="Spamdesk").allow(f"{SITE}/{'a' * 2_000}")

    assert time.process_time() - began < 3
