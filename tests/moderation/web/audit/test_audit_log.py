"""The audit log as leads read it."""

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
        [("", False), ("by=people", False), ("by=everyone", True), ("by=system", True),
         ("by=1234567", False), ("by=nonsense", False), ("by=everyone&action=nonsense", True),
         ("action=rule.lifted", True), ("action=rule.drafted", False), ("about=rule:7", True),
         ("about=rule:8", False), ("about=rule", True), ("since=2026-03-05&until=2026-03-05", True),
         ("since=2026-03-06", False), ("until=2026-03-04", False),
         ("by=everyone&until=9999-12-31&since=0001-01-01", True),
         ("by=everyone&about=%00&action=%00", True)],
    )  # fmt: skip
    def test_finds(self, lead_desk: Client, write: Write, query: str, is_found: bool) -> None:
        write(details={"value": "evil.example"})

        assert ("evil.example" in lead_desk.get(f"/audit/?{query}").content.decode()) is is_found

    def test_finds_by_person(self, lead_desk: Client, write: Write, moderator: User, lead: User) -> None:
        write(actor=moderator, details={"value": "evil.example"})

        assert "evil.example" in lead_desk.get(f"/audit/?by={moderator.pk}").content.decode()
        assert "evil.example" not in lead_desk.get(f"/audit/?by={lead.pk}").content.decode()
        assert "evil.example" not in lead_desk.get("/audit/?by=system").content.decode()

    @pytest.mark.parametrize("by", ["people", "everyone"])
    def test_pages_without_gaps_or_repeats(
        self, lead_desk: Client, write: Write, moderator: User, lead: User, by: str
    ) -> None:
        AuditEntry.objects.all().delete()
        for number in range(120):
            actor = (moderator, lead, None)[number % 3]
            write(subject_id=f"n{number}n", at=AT + timedelta(seconds=number // 10), actor=actor)

        pages = [lead_desk.get(f"/audit/?by={by}")]
        while cursor := pages[-1].context["page"].next_cursor:
            pages.append(lead_desk.get(f"/audit/?by={by}&cursor={cursor}"))

        entries = AuditEntry.objects.order_by("-at", "-pk").exclude(actor=None if by == "people" else 0)
        shown = [line.entry.pk for answer in pages for line in answer.context["page"].rows]
        assert shown == list(entries.values_list("pk", flat=True))

    def test_says_how_far_the_chain_reaches(self, lead_desk: Client, write: Write) -> None:
        write()
        chain.seal(at=AT)
        write(at=AT + timedelta(hours=1))

        body = lead_desk.get("/audit/?by=everyone").content.decode()

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

        body = lead_desk.get("/audit/?by=system").content.decode()

        assert "W" * 250 in body
        assert "<script>alert" not in body
        assert "W" * 400 not in body

    def test_needs_the_same_few_queries_for_any_number_of_rows(
        self, lead_desk: Client, write: Write, moderator: User
    ) -> None:
        lead_desk.get("/audit/")
        write(actor=moderator)
        assert len(asked(lead_desk, "/audit/")) <= 10
        for _ in range(20):
            write(actor=moderator)

        assert len(asked(lead_desk, "/audit/")) <= 10


def test_every_act_has_words() -> None:
    found = set()
    for path in (*Path("moderation/operations").rglob("*.py"), *Path("integrations").rglob("*.py")):
        found |= set(re.findall(r'(?:action=|_audit\(\s*)"([a-z_]+\.[a-z_]+)"', path.read_text()))

    assert len(found) > 30
    assert found <= set(ACTIONS)
