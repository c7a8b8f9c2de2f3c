"""Address features, by table."""

import dataclasses

import pytest

from scoring.features import address
from scoring.features.address import is_persistent_spammer
from scoring.records import History
from tests.scoring.features.values import SPAMMY, value_of
from tests.scoring.random_records import record

FROM_IP = record(
    ip="192.0.2.7", ip_history=SPAMMY, ip_network_history=History(), ip_asn=64496, ip_asn_history=SPAMMY
)


class TestAddress:
    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("context.ip_spam_share", 6.5 / 12), ("context.ip_network_spam_share", 0.1),
            ("context.ip_as_spam_share", 6.5 / 12), ("context.ip_is_persistent_spammer", 1),
            ("context.ip_spam_days", 3), ("context.ip_authors", 6), ("context.ip_posts_24h", 9),
            ("context.ip_complaints", 5), ("context.ip_days_known", 3 - 1 / 24),
        ],
    )  # fmt: skip
    def test_of_a_known_address(self, name: str, value: float) -> None:
        assert value_of(name, FROM_IP) == pytest.approx(value)

    @pytest.mark.parametrize("name", [feature.name for feature in address.FEATURES])
    def test_a_new_address_is_as_good_as_none(self, name: str) -> None:
        sent, unsent = value_of(name, record(ip="192.0.2.8", ip_asn=64496)), value_of(name, record())

        assert sent == unsent or name == "context.ip_days_known"

    def test_a_new_address_is_known_for_no_time(self) -> None:
        assert value_of("context.ip_days_known", record(ip="192.0.2.8")) == 0.0


class TestIsPersistentSpammer:
    def test_is_named_for_spam_on_several_days(self) -> None:
        assert is_persistent_spammer(SPAMMY)

    @pytest.mark.parametrize(
        "change",
        [
            {"confirmed_spam": 4, "recent_spam": 4.0},
            {"spam_days": 1},
            {"recent_not_spam": 3.0},
            {"recent_spam": 0.4, "recent_not_spam": 0.0},
        ],
        ids=["too few", "one bad evening", "honest posts beside", "long ago"],
    )
    def test_is_not_named_for_less(self, change: dict[str, float]) -> None:
        assert not is_persistent_spammer(dataclasses.replace(SPAMMY, **change))  # type: ignore[arg-type]
