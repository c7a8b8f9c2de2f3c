"""Signed-in browsers of every role."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Case, User
from moderation.models.people import Role
from moderation.operations import review

HTMX = {"HX-Request": "true"}


@pytest.fixture
def people(db: None) -> dict[str, User]:
    """One person of each role."""
    return {role.value: User.objects.create_user(role.value, role=role) for role in Role}


def _signed_in(user: User) -> Client:
    desk = Client()
    desk.force_login(user)
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
def desk_of() -> Callable[[User], Client]:
    """Sign anybody in."""
    return _signed_in


@pytest.fixture
def case_in_front(open_case: Callable[..., Case], moderator: User) -> Case:
    """A case that the moderator holds now, by the real clock."""
    return review.claim(case_id=open_case().pk, moderator=moderator, at=timezone.now())


@pytest.fixture
def decide(desk: Client) -> Callable[..., Any]:
    """Send a decision on a case as the page does."""

    def send(case: Case, verdict: str = "spam", **extra: Any) -> Any:
        form = {"verdict": verdict, "case_version": case.version}
        return desk.post(f"/review/{case.pk}/decide/", form, headers=HTMX, **extra)

    return send
