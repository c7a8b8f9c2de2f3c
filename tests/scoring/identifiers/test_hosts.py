"""Domains that look like another one."""

from __future__ import annotations

import pytest

from scoring.identifiers import hosts


@pytest.mark.parametrize(
    ("domain", "is_alike"),
    [
        ("paypa1.com", True), ("paypai.com", True), ("pаypal.com", True), ("xn--pypal-4ve.com", True),
        ("p\u00e4ypal.com", True), ("paypal.com", False), ("paypal.net", False), ("pay-pal.com", False),
        ("xn--\u20ac.com", False), ("xn--99999999.com", False), ("", False),
    ],
)  # fmt: skip
def test_are_other_domains_of_the_same_skeleton(domain: str, is_alike: bool) -> None:
    found = hosts.found(frozenset({domain, "shop.example"}))

    assert hosts.holds(found, "paypal.com") is is_alike
    assert (hosts.anchor("paypal.com") in hosts.anchors(found)) is (is_alike or domain == "paypal.com")


def test_fold_letters_that_run_together() -> None:
    assert hosts.holds(hosts.found(frozenset({"arnazon.com"})), "amazon.com")
