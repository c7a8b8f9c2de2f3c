"""The short-circuit by banned domain."""

from __future__ import annotations

from scoring.blocklist import Ban, Blocklist
from scoring.records import Link
from tests.scoring.random_records import record

GOOD = Link(url="https://good.example/", host="good.example", domain="good.example")
BAD = Link(url="https://sub.bad.example/x", host="sub.bad.example", domain="bad.example")
ADDRESS = Link(url="http://10.1.2.3/", host="10.1.2.3", domain="")
BLOCKLIST = Blocklist({"bad.example": Ban(7, "bad.example"), "10.1.2.3": Ban(8, "10.1.2.3")})


class TestMatch:
    def test_names_the_ban_of_the_first_banned_link(self) -> None:
        assert BLOCKLIST.match(record(links=(GOOD, BAD, ADDRESS))) == Ban(7, "bad.example")

    def test_bans_addresses_by_host(self) -> None:
        assert BLOCKLIST.match(record(links=(ADDRESS,))) == Ban(8, "10.1.2.3")

    def test_lets_other_links_pass(self) -> None:
        assert BLOCKLIST.match(record(links=(GOOD,))) is None

    def test_does_not_ban_a_name_in_the_text(self) -> None:
        assert BLOCKLIST.match(record(text="bad.example is banned", links=())) is None


class TestHostsAndAddresses:
    HOST = Ban(9, "pay.bad.example", "host")
    NETWORK = Ban(10, "203.0.113.0/24", "address")

    def test_the_narrowest_name_wins(self) -> None:
        deep = Link(url="https://a.pay.bad.example/", host="a.pay.bad.example", domain="bad.example")
        both = Blocklist({"bad.example": Ban(7, "bad.example"), "pay.bad.example": self.HOST})

        assert both.match(record(links=(deep,))) == self.HOST
        assert both.match(record(links=(BAD,))) == Ban(7, "bad.example")

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
