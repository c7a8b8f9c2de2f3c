"""The simulated world makes up no host that could exist, and calls none of those that its texts name."""

from __future__ import annotations

import ipaddress
import random
import re
from urllib.parse import urlsplit

import pytest

from scoring.links import links_in
from simulation import hosts, material, texts
from simulation.events import PostEvent

_URL = re.compile(r"https?://[^\s\"'<>)\]]+")


def test_every_name_that_can_exist_is_one_that_is_never_called(posts: list[PostEvent]) -> None:
    links = {link for post in posts for link in links_in(post.payload["text"])}

    others = {link.host for link in links if not _is_reserved(link.url)}
    assert len(others) > 100
    assert others <= texts.named_hosts()


@pytest.mark.parametrize("table", ["hosts", "hostile", "people"])
def test_material_names_only_reserved_hosts(table: str) -> None:
    urls = _URL.findall(str(material.table(table)))

    assert [url for url in urls if not _is_reserved(url)] == []


def test_spam_and_talk_share_some_hosts() -> None:
    rng = random.Random(1)

    spam = {hosts.spam_host(rng=rng) for _ in range(300)}
    talk = {hosts.talk_host(rng=rng) for _ in range(300)}

    assert spam & talk


def _is_reserved(url: str) -> bool:
    host = (urlsplit(url).hostname or "").rstrip(".")
    if host.endswith(hosts.RESERVED_SUFFIXES):
        return True
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return False
