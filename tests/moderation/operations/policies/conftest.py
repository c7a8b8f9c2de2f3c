"""A policy that was tried, and active ones."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from moderation.models import Policy, User
from moderation.operations.policies import policy, trial
from tests.moderation.fakes import FakeTopics
from tests.moderation.instants import AT

Policies = Callable[..., Policy]


@pytest.fixture
def tried(lead: User, fake_topics: FakeTopics) -> Policies:
    def write(words: str = "cats and dogs", **given: str) -> Policy:
        drafted = policy.draft(name=given.pop("name", "Pets"), words=words, actor=lead, at=AT, **given)
        return trial.run(policy_id=drafted.pk, at=AT)

    return write


@pytest.fixture
def active(tried: Policies, lead: User) -> Policies:
    def begin(words: str = "cats and dogs", *, effect: str = "tag", threshold: float = 0.5) -> Policy:
        made = tried(words, name=words.title())
        policy.activate(
            policy_id=made.pk,
            effect=effect,
            threshold=threshold,
            expires_at=AT + timedelta(days=7),
            actor=lead,
            at=AT,
        )
        made.refresh_from_db()
        return made

    return begin
