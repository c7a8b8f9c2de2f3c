"""Signed-in browsers of every role."""

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from moderation.models import Case, Decision, Reason, User
from moderation.models.decisions import Verdict
from moderation.models.users import Role
from moderation.operations.cases import claims
from moderation.web import provenance
from tests.moderation.conftest import Case_, Decided, judge

DeskOf = Callable[[User], Client]
HTMX = {"HX-Request": "true"}
REVIEW_PAGE = {"HX-Request": "true", "Review-Page": "1"}
"""What the review page's own script says of itself."""


def flat(html: str) -> str:
    """Return HTML with single spaces, and none beside a tag: its layout is not what a test is about."""
    return re.sub(r"\s*([<>])\s*", r"\1", re.sub(r"\s+", " ", html))


def asked(desk: Client, address: str, query: dict[str, str] | None = None, **given: Any) -> list[str]:
    """Return what a page asks the database. What is remembered for minutes is asked the first time alone."""
    with CaptureQueriesContext(connection) as queries:
        desk.get(address, query, **given)
    return [one["sql"] for one in queries.captured_queries]


def read(desk: Client, address: str, **given: Any) -> str:
    """Return a page with its white space made one."""
    answer = desk.get(address, **given)
    assert answer.status_code == 200, address
    return re.sub(r"\s+", " ", answer.content.decode())


@pytest.fixture(autouse=True)
def one_reading_of_what_is_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no half minute end between two requests of a test: counts of queries would differ by two."""
    monkeypatch.setattr(provenance, "_CACHED_SECONDS", 1e9)


@pytest.fixture
def now() -> datetime:
    return timezone.now()


@pytest.fixture
def people(db: None) -> dict[str, User]:
    """One person of each role."""
    return {role.value: User.objects.create_user(role.value, role=role) for role in Role}


def _signed_in(user: User) -> Client:
    desk = Client()
    desk.force_login(user)
    provenance.current()  # the first page of a process asks for it: counts of queries would differ by two
    return desk


@pytest.fixture
def desk(moderator: User) -> Client:
    """A moderator's browser."""
    return _signed_in(moderator)


@pytest.fixture
def lead_desk(lead: User) -> Client:
    """A lead's desk."""
    return _signed_in(lead)


@pytest.fixture
def ml_desk(db: None) -> Client:
    return _signed_in(User.objects.create_user("ml_engineer", role=Role.ML_ENGINEER))


@pytest.fixture
def admin_desk(admin: User) -> Client:
    return _signed_in(admin)


@pytest.fixture
def desk_of() -> DeskOf:
    """Sign anybody in."""
    return _signed_in


@pytest.fixture
def case_in_front(open_case: Case_, moderator: User) -> Case:
    """A case that the moderator holds now, by the real clock."""
    return claims.claim(case_id=open_case().pk, moderator=moderator, at=timezone.now())


@pytest.fixture
def decide(desk: Client) -> Callable[..., Any]:
    """Send a decision on a case as the page does."""

    def send(case: Case, verdict: str = "spam", **extra: Any) -> Any:
        form = {"verdict": verdict, "case_version": case.version}
        return desk.post(f"/review/{case.pk}/decide/", form | extra, headers=REVIEW_PAGE)

    return send


@pytest.fixture
def decided(moderator: User) -> Decided:
    """Decide a case by the real clock."""

    def act(case: Case, *, verdict: str = "spam", by: User | None = None) -> Decision:
        return judge(case, by or moderator, verdict=Verdict(verdict), at=timezone.now())

    return act


@pytest.fixture
def reasons(db: None) -> dict[str, Reason]:
    """Return the standard reasons by code, also where a test before this one emptied the tables."""
    rows: tuple[tuple[str, str, int, str, bool, list[str]], ...] = (
        ("scam", "Scam or fraud", 1, "spam", False, ["complaint:scam"]),
        ("other_spam", "Other spam", 6, "spam", True, []),
        ("ordinary", "Ordinary post", 7, "not_spam", False, []),
    )
    Reason.objects.all().delete()
    names = ("code", "title", "digit", "verdict", "needs_note", "signals")
    return {row[0]: Reason.objects.create(**dict(zip(names, row, strict=True))) for row in rows}


@pytest.fixture
def linked(open_case: Case_) -> Case:
    """A case that links to a host of shop.example, sent from an address."""
    return open_case(text="see https://www.shop.example/a", ip="203.0.113.7", at=timezone.now())
