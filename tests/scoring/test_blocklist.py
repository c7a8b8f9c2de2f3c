"""Which rule decides on a post: bans, holds and allowances of links and senders."""

from typing import Any

import pytest

from scoring.blocklist import Blocklist, Effect, Rule
from scoring.evidence import MEDIA, EvidencePiece, PictureRead
from scoring.records import AuthorSnapshot, Link
from tests.scoring.random_records import record

GOOD = Link(url="https://good.example/", host="good.example", domain="good.example")
BAD = Link(url="https://sub.bad.example/x", host="sub.bad.example", domain="bad.example")
ADDRESS = Link(url="http://10.1.2.3/", host="10.1.2.3", domain="")
BLOCKLIST = Blocklist({"bad.example": Rule(7, "bad.example"), "10.1.2.3": Rule(8, "10.1.2.3")})


class TestMatch:
    def test_names_the_ban_of_the_first_banned_link(self) -> None:
        assert BLOCKLIST.match(record(links=(GOOD, BAD, ADDRESS))) == Rule(7, "bad.example")

    def test_bans_addresses_by_host(self) -> None:
        assert BLOCKLIST.match(record(links=(ADDRESS,))) == Rule(8, "10.1.2.3")

    def test_lets_other_links_pass(self) -> None:
        assert BLOCKLIST.match(record(links=(GOOD,))) is None

    def test_does_not_ban_a_name_in_the_text(self) -> None:
        assert BLOCKLIST.match(record(text="bad.example is banned", links=())) is None


class TestHostsAndAddresses:
    HOST = Rule(9, "pay.bad.example", "host")
    NETWORK = Rule(10, "203.0.113.0/24", "address")

    def test_the_narrowest_name_wins(self) -> None:
        deep = Link(url="https://a.pay.bad.example/", host="a.pay.bad.example", domain="bad.example")
        both = Blocklist({"bad.example": Rule(7, "bad.example"), "pay.bad.example": self.HOST})

        assert both.match(record(links=(deep,))) == self.HOST
        assert both.match(record(links=(BAD,))) == Rule(7, "bad.example")

    def test_a_host_does_not_reach_its_neighbours(self) -> None:
        hosts = Blocklist({"pay.bad.example": self.HOST})
        neighbour = Link(url="https://xpay.bad.example/", host="xpay.bad.example", domain="bad.example")

        assert hosts.match(record(links=(BAD, neighbour))) is None

    def test_looks_at_the_sender(self) -> None:
        senders = Blocklist(addresses=(self.NETWORK,))

        assert senders.match(record(ip="203.0.113.200", links=())) == self.NETWORK
        assert senders.match(record(ip="203.0.114.1", links=())) is None
        assert senders.match(record(ip="2001:db8::1", links=())) is None
        assert senders.match(record(ip=None, links=())) is None


class TestPictures:
    def test_a_listed_picture_is_as_strict_as_its_rule(self) -> None:
        ban, hold = Rule(11, "Scams", "pictures"), Rule(12, "aa", "picture", Effect.HOLD)
        listed = Blocklist(pictures={"aa": hold, "bb": ban})
        shown = [EvidencePiece(role=MEDIA, picture=PictureRead(pdq=pdq)) for pdq in ("", "cc", "aa", "bb")]

        assert listed.match(record(evidence=tuple(shown[:2]))) is None
        assert listed.match(record(evidence=tuple(shown[:3]))) == hold
        assert listed.match(record(evidence=tuple(shown))) == ban


class TestEffects:
    ALLOWED = Rule(1, "good.example", effect=Effect.ALLOW)
    HOLD = Rule(2, "new.example", effect=Effect.HOLD)
    BAN = Rule(3, "bad.example")
    NEW = Link(url="https://new.example/", host="new.example", domain="new.example")
    OTHER = Link(url="https://other.example/", host="other.example", domain="other.example")
    NAMES = Blocklist({rule.value: rule for rule in (ALLOWED, HOLD, BAN)})

    @pytest.mark.parametrize(
        ("links", "decides"),
        [
            ((GOOD,), ALLOWED),
            ((GOOD, NEW), HOLD),
            ((NEW, GOOD, BAD), BAN),
            ((OTHER, NEW), HOLD),
            ((OTHER,), None),
            ((GOOD, OTHER), None),
        ],
    )
    def test_the_strictest_decides(self, links: tuple[Link, ...], decides: Rule | None) -> None:
        assert self.NAMES.match(record(links=links)) == decides

    def test_an_allowed_host_is_not_reached_by_its_domains_ban(self) -> None:
        host = Rule(4, "sub.bad.example", "host", Effect.ALLOW)

        assert Blocklist({"bad.example": self.BAN, host.value: host}).match(record(links=(BAD,))) == host

    def test_of_ranges_the_narrowest_speaks(self) -> None:
        range_, one = Rule(5, "203.0.113.0/24", "address"), Rule(6, "203.0.113.7", "address", Effect.ALLOW)
        senders = Blocklist(addresses=(range_, one))

        assert senders.match(record(ip="203.0.113.7", links=())) == one
        assert senders.match(record(ip="203.0.113.8", links=())) == range_

    def test_an_author_is_narrower_than_an_address_but_not_than_a_link(self) -> None:
        author = Rule(7, "acme/rosa", "author", Effect.ALLOW)
        rules = Blocklist(
            {"bad.example": self.BAN},
            addresses=(Rule(5, "203.0.113.0/24", "address"),),
            authors={"acme/rosa": author},
        )
        by_rosa: dict[str, Any] = {
            "platform": "acme",
            "author": AuthorSnapshot(external_id="rosa"),
            "ip": "203.0.113.7",
        }

        assert rules.match(record(links=(), **by_rosa)) == author
        assert rules.match(record(links=(self.OTHER,), **by_rosa)) == author
        assert rules.match(record(links=(BAD,), **by_rosa)) == self.BAN
        assert rules.match(record(links=(), **by_rosa | {"platform": "other"})).kind == "address"  # type: ignore[union-attr]  # a rule of the range
