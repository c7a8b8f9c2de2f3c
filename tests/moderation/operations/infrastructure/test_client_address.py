"""Who asks: only what our own proxies wrote is believed, and a customer's IPv6 network counts as one."""

from typing import Any

import pytest

from moderation.operations.infrastructure import client_address


@pytest.mark.parametrize(
    ("proxies", "passed", "seen"),
    [
        (0, "203.0.113.9", "192.0.2.1"),
        (1, "203.0.113.9", "203.0.113.9"),
        (1, "6.6.6.6, 203.0.113.9", "203.0.113.9"),
        (2, "6.6.6.6, 203.0.113.9, 10.0.0.2", "203.0.113.9"),
        (2, "203.0.113.9", "192.0.2.1"),
        (1, "", "192.0.2.1"),
    ],
)
def test_believes_only_our_own_proxies(rf: Any, settings: Any, proxies: int, passed: str, seen: str) -> None:
    settings.PROXIES = proxies
    request = rf.get("/", REMOTE_ADDR="192.0.2.1", headers={"X-Forwarded-For": passed})

    assert client_address.address(request) == seen


class TestNetwork:
    @pytest.mark.parametrize(
        ("address", "network"),
        [
            ("192.0.2.7", "192.0.2.7"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
            ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
            ("fe80::1%eth0", "fe80::/64"),
        ],
    )
    def test_is_what_one_customer_has(self, address: str, network: str) -> None:
        assert client_address.network(address) == network

    def test_of_nonsense_is_a_short_digest(self) -> None:
        assert client_address.network("x" * 10_000) == client_address.network("x" * 10_000)
        assert len(client_address.network("\udcff\n")) < 30
