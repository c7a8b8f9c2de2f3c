"""Two leads who act on policies in words at the same moment: one of them wins, the other is told."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest
from django.db import connections, transaction

from moderation.models import AuditEntry, Policy, User
from moderation.operations.infrastructure.advisory_locks import AdvisoryLock, take
from moderation.operations.policies import policy
from tests.moderation.conftest import Post_
from tests.moderation.instants import AT
from tests.moderation.operations.policies.conftest import Policies

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def at_once() -> Callable[..., list[str]]:
    """Run acts in threads that all wait for one lock first; return what became of each."""

    def run(*acts: Callable[[], object]) -> list[str]:
        with ThreadPoolExecutor(len(acts)) as pool:
            with transaction.atomic():
                take(AdvisoryLock.POLICIES)
                doing = [pool.submit(_told, act) for act in acts]
            return sorted(one.result(timeout=30) for one in doing)

    return run


def _told(act: Callable[[], object]) -> str:
    try:
        act()
    except Exception as refusal:  # noqa: BLE001 - which one it is the test says
        return type(refusal).__name__
    finally:
        connections.close_all()
    return "done"


def activated(made: Policy, actor: User, at: datetime, *, effect: str = "tag") -> Callable[[], object]:
    ends = at + timedelta(days=7)
    return lambda: policy.activate(
        policy_id=made.pk, effect=effect, threshold=0.5, expires_at=ends, actor=actor, at=at
    )


def test_one_activates_a_draft(
    tried: Policies, lead: User, other_moderator: User, at_once: Callable[..., list[str]]
) -> None:
    made = tried()

    told = at_once(activated(made, lead, AT), activated(made, other_moderator, AT))

    assert told == ["AlreadyActive", "done"]
    assert AuditEntry.objects.filter(action="policy.activated").count() == 1


def test_one_ends_a_policy(
    active: Policies, lead: User, other_moderator: User, at_once: Callable[..., list[str]]
) -> None:
    made = active()

    told = at_once(
        *(lambda who=who: policy.end(policy_id=made.pk, actor=who, at=AT) for who in (lead, other_moderator))
    )

    assert told == ["NotInForce", "done"]


def test_two_narrow_holds_are_counted_one_after_the_other(
    tried: Policies, post: Post_, lead: User, at_once: Callable[..., list[str]]
) -> None:
    for number in range(20):
        post(text="cats" if number < 2 else "dogs")
    first, second = tried("cats"), tried("cats")

    told = at_once(activated(first, lead, AT, effect="hold"), activated(second, lead, AT, effect="hold"))

    assert told == ["SecondPersonNeeded", "done"]
