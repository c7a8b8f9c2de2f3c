"""Bans of domains: one live at a time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import pytest

from moderation.models import AuditEntry, Ban, User
from moderation.operations import ban

Later = Callable[[float], datetime]


class TestImpose:
    def test_bans_the_registrable_domain_of_a_host(self, lead: User, at: datetime) -> None:
        imposed = ban.impose(value=" Shop.Pills.Example ", reason="pharmacy", actor=lead, at=at)

        assert imposed.value == "pills.example"
        assert AuditEntry.objects.get().action == "ban.imposed"

    def test_refuses_a_second_live_ban(self, lead: User, later: Later) -> None:
        ban.impose(value="pills.example", reason="pharmacy", actor=lead, at=later(0))

        with pytest.raises(ban.AlreadyBanned):
            ban.impose(value="pills.example", reason="again", actor=lead, at=later(1))

    def test_replaces_an_expired_one(self, lead: User, later: Later) -> None:
        ban.impose(value="pills.example", reason="pharmacy", actor=lead, at=later(0), expires_at=later(10))

        ban.impose(value="pills.example", reason="again", actor=lead, at=later(10))

        assert Ban.objects.filter(lifted_at__isnull=True).get().reason == "again"

    @pytest.mark.parametrize("domain", ["", "com", "not a domain", "co.uk"])
    def test_refuses_what_is_no_domain(self, lead: User, at: datetime, domain: str) -> None:
        with pytest.raises(ban.NotBannable):
            ban.impose(value=domain, reason="", actor=lead, at=at)


class TestLift:
    def test_lifts_once(self, lead: User, later: Later) -> None:
        imposed = ban.impose(value="pills.example", reason="pharmacy", actor=lead, at=later(0))

        ban.lift(ban_id=imposed.pk, actor=lead, at=later(1))

        with pytest.raises(ban.NotBanned):
            ban.lift(ban_id=imposed.pk, actor=lead, at=later(2))
