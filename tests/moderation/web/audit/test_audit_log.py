"""The audit log as leads read it."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from moderation.models import AuditEntry, User
from moderation.operations.audit import chain
from moderation.queries import audit
from moderation.web.audit.audit_actions import ACTIONS
from tests.moderation.web.conftest import asked

AT = datetime(2026, 3, 5, 12, tzinfo=UTC)
Write = Callable[..., AuditEntry]


@pytest.fixture
def write(db: None) -> Write:
    """Write an entry, as operations do."""

    def entry(**given: Any) -> AuditEntry:
        values = {"action": "rule.lifted", "subject_kind": "rule", "subject_id": "7", "actor": None, "at": AT}
        return AuditEntry.objects.create(**(values | given))

    return entry


class TestPage:
    @pytest.mark.parametrize(
        ("query", "is_found"),
        [
            ("", True),
            ("by=system", True),
            ("by=1234567", True),
            ("by=nonsense", True),
            ("action=nonsense", True),
            ("action=rule.lifted", True),
            ("action=rule.drafted", False),
            ("about=rule:7", True),
            ("about=rule:8", False),
            ("about=rule", True),
            ("since=2026-03-05&until=2026-03-05", True),
            ("since=2026-03-06", False),
            ("until=2026-03-04", False),
            ("until=9999-12-31&since=0001-01-01", True),
            ("about=%00&action=%00", True),
        ],
    )
    def test_finds(self, lead_desk: Client, write: Write, query: str, is_found: bool) -> None:
        write(details={"value": "evil.example"})

        assert ("evil.example" in lead_desk.get(f"/audit/?{query}").content.decode()) is is_found

    def test_finds_by_person(self, lead_desk: Client, write: Write, moderator: User, lead: User) -> None:
        write(actor=moderator, details={"value": "evil.example"})

        assert "evil.example" in lead_desk.get(f"/audit/?by={moderator.pk}").content.decode()
        assert "evil.example" not in lead_desk.get(f"/audit/?by={lead.pk}").content.decode()
        assert "evil.example" not in lead_desk.get("/audit/?by=system").content.decode()

    def test_pages_without_gaps_or_repeats(self, lead_desk: Client, write: Write) -> None:
        for number in range(60):
            write(subject_id=f"n{number}n", at=AT + timedelta(seconds=number // 10))

        first = lead_desk.get("/audit/?action=rule.lifted")
        rest = lead_desk.get(f"/audit/?action=rule.lifted&cursor={first.context['page'].next_cursor}")

        shown = [line.entry.pk for answer in (first, rest) for line in answer.context["page"].rows]
        assert shown == list(AuditEntry.objects.order_by("-at", "-pk").values_list("pk", flat=True))

    def test_says_how_far_the_chain_reaches(self, lead_desk: Client, write: Write) -> None:
        write()
        chain.seal(at=AT)
        write(at=AT + timedelta(hours=1))

        body = lead_desk.get("/audit/").content.decode()

        assert f"1:{chain.head().hash}" in body
        assert "1 newer entry is not sealed yet." in body
        assert "not yet" in body

    def test_counts_what_waits_to_a_bound(
        self, lead_desk: Client, write: Write, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(audit, "_COUNTED", 2)
        write()
        chain.seal(at=AT)
        for _ in range(3):
            write(at=AT + timedelta(hours=1))

        assert "More than 2 newer entries are not sealed yet." in lead_desk.get("/audit/").content.decode()

    def test_shows_hostile_details_inert(self, lead_desk: Client, write: Write) -> None:
        write(details={"reason": "<script>alert(1)</script>\u202e" + "W" * 900})

        body = lead_desk.get("/audit/").content.decode()

        assert "<script>alert" not in body
        assert "W" * 400 not in body

    def test_needs_the_same_few_queries_for_any_number_of_rows(
        self, lead_desk: Client, write: Write, moderator: User
    ) -> None:
        lead_desk.get("/audit/")
        write(actor=moderator)
        assert len(asked(lead_desk, "/audit/")) <= 9
        for _ in range(20):
            write(actor=moderator)

        assert len(asked(lead_desk, "/audit/")) <= 9


def test_every_act_has_words() -> None:
    found = set()
    for path in Path("moderation/operations").rglob("*.py"):
        found |= set(re.findall(r'(?:action=|_audit\(\s*)"([a-z_]+\.[a-z_]+)"', path.read_text()))

    assert len(found) > 30
    assert found <= set(ACTIONS)
