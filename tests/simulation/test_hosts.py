"""The simulated world makes up no host that could exist, and what providers say of its domains is patchy."""

import ipaddress
import random
import re
from statistics import mean
from urllib.parse import urlsplit

import pytest

from scoring.links import links_in
from simulation import hosts, material, texts
from simulation.events import PostEvent
from simulation.reputations import Reputation, reputation

_URL = re.compile(r"https?://[^\s\"'<>)\]]+")


def _is_reserved(url: str) -> bool:
    host = (urlsplit(url).hostname or "").rstrip(".")
    if host.endswith(hosts.RESERVED_SUFFIXES):
        return True
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return False


def said(domain: str, *, is_spam: bool) -> list[Reputation]:
    rng = random.Random(1)
    return [reputation(domain, is_spam=is_spam, rng=rng) for _ in range(4000)]


def ages(reputations: list[Reputation]) -> list[float]:
    return [one.age_days for one in reputations if one.age_days is not None]


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


class TestReputations:
    def test_domains_registered_for_spam_are_days_old_but_some_were_aged(self) -> None:
        days = ages(said("cheap-pills7.example", is_spam=True))

        assert 0.6 < mean(age <= 5 for age in days) < 0.7
        assert 0.14 < mean(age > 90 for age in days) < 0.2

    def test_sites_broken_into_look_honest(self) -> None:
        broken_into = said("garcia-bakery.example", is_spam=True)
        honest = said("town-hall.example", is_spam=False)

        assert mean(age > 90 for age in ages(broken_into)) > 0.9
        assert mean(one.threat_score for one in broken_into) < 0.02
        assert abs(mean(ages(broken_into)) / mean(ages(honest)) - 1) < 0.15

    def test_blacklists_know_a_minority(self) -> None:
        assert 0.1 < mean(one.threat_score for one in said("cheap-pills7.example", is_spam=True)) < 0.4
