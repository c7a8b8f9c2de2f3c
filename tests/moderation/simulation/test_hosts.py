"""The simulated world names no host that could exist."""

from __future__ import annotations

import ipaddress
import random
import re
from urllib.parse import urlsplit

import pytest

from moderation.simulation import hosts, material
from moderation.simulation.events import PostEvent
from scoring.links import links_in

_URL = re.compile(r"https?://[^\s\"'<>)\]]+")
_BARE_NAME = re.compile(
    r"\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|net|org|io|ru|de|co|info|biz|me|gg|ly|app|xyz)\b", re.IGNORECASE
)


def test_every_link_of_a_world_is_reserved(posts: list[PostEvent]) -> None:
    urls = {
        url for post in posts for url in (*_URL.findall(post.payload["text"]), *post.payload.get("links", []))
    }

    assert len(urls) > 500
    assert [url for url in urls if not _is_reserved(url)] == []


def test_no_text_holds_a_link_to_a_name_that_can_exist(posts: list[PostEvent]) -> None:
    found = {link.url for post in posts for link in links_in(post.payload["text"])}

    assert [url for url in found if not _is_reserved(url)] == []


def test_no_text_names_a_real_looking_domain(posts: list[PostEvent]) -> None:
    assert [found for post in posts for found in _BARE_NAME.findall(post.payload["text"])] == []


@pytest.mark.parametrize("table", ["hosts", "hostile", "people"])
def test_material_names_only_reserved_hosts(table: str) -> None:
    urls = _URL.findall(str(material.table(table)))

    assert [url for url in urls if not _is_reserved(url)] == []


def test_spam_and_talk_share_some_hosts() -> None:
    rng = random.Random(1)
    kinds = material.kinds()

    spam = {hosts.spam_host(kinds["pharma"], rng=rng) for _ in range(300)}
    talk = {hosts.talk_host(kinds["news"], rng=rng) for _ in range(300)}

    assert spam & talk


def _is_reserved(url: str) -> bool:
    host = (urlsplit(url).hostname or "").rstrip(".")
    if host.endswith(hosts.RESERVED_SUFFIXES):
        return True
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return False
