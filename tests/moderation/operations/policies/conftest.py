"""A policy that was tried, and active ones."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from moderation.models import Policy, User
from moderation.operations.policies import policy, trial
from tests.moderation.fakes import FakeTopics

Policies = Callable[..., Policy]


@pytest.fixture
def tried(lead: User, fake_topics: FakeTopics, at: datetime) -> Policies:
    def write(words: str = "cats and dogs", **given: str) -> Policy:
        drafted = policy.draft(name=given.pop("name", "Pets"), words=words, actor=lead, at=at, **given)
        return trial.run(policy_id=drafted.pk, at=at)

    return write


@pytest.fixture
def active(tried: Policies, lead: User, at: datetime) -> Policies:
    def begin(words: str = "cats and dogs", *, effect: str = "tag", threshold: float = 0.5) -> Policy:
        made = tried(words, name=words.title())
        policy.activate(
            policy_id=made.pk,
            effect=effect,
            threshold=threshold,
            expires_at=at + timedelta(days=7),
            actor=lead,
            at=at,
        )
        made.refresh_from_db()
        return made

    return begin
