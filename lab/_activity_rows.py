"""A month of posts, decisions and audit entries, multiplied in PostgreSQL. Import after `connect`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime

from django.db import connection

from lab._crowd import FIRST, example, multiply
from moderation.models import AuditEntry, Case, Decision, HourlyCount, Post, User
from moderation.models.decisions import DecisionSource, Verdict
from moderation.operations import activity
from moderation.operations.audit import entries

_USERS = 12
_MONTH_SECONDS = 30 * 86_400


def filled(*, posts: int, cases: int) -> Iterator[str]:
    """Write so many posts with a decision each, a tenth of them by people; say how long counting took."""
    case, at = example(), datetime.now(UTC)
    users = [User.objects.create_user(f"bench-{number}") for number in range(_USERS)]
    own, then = f"{FIRST} + g", f"now() - g * interval '{_MONTH_SECONDS / posts} seconds'"
    by = f"CASE WHEN g % 10 = 0 THEN {users[0].pk} + g / 10 % {_USERS} END"
    multiply(Post, case.post_id, posts, id=own, external_id="'month-' || g", received_at=then)
    multiply(Case, case.pk, cases, id=own, post_id=own, opened_at="now() - g * interval '1 second'")
    multiply(
        Decision, _decision(case, at=at).pk, posts, id=own, post_id=own, decided_at=then, effective_at=then,
        decided_by_id=by, source="CASE WHEN g % 10 = 0 THEN 'moderator' ELSE 'automatic' END",
        verdict="CASE WHEN g % 7 = 0 THEN 'spam' ELSE 'not_spam' END",
        reason="CASE WHEN g % 10 <> 0 THEN '' WHEN g % 50000 = 0 THEN 'rare' ELSE 'scam' END",
    )  # fmt: skip
    entry = entries.entry(
        action="decision.created", subject_kind="decision", subject_id="1", actor=None, at=at
    )
    entry.save()
    acts = "CASE WHEN g % 50000 = 0 THEN 'rule.lifted' ELSE 'decision.created' END"
    multiply(AuditEntry, entry.pk, posts, id=own, at=then, actor_id=by, action=acts)
    with connection.cursor() as cursor:
        cursor.execute("analyze")
    yield _counted()


def pages() -> tuple[str, ...]:
    """Return the addresses to be measured."""
    user = User.objects.get(username="bench-3").pk
    return (
        "/today/",
        "/today/?span=week",
        "/today/?span=month",
        "/decisions/",
        f"/decisions/?whose={user}",
        "/decisions/?whose=filter",
        "/decisions/?reason=rare",
        "/audit/",
        f"/audit/?by={user}",
        "/audit/?action=rule.lifted",
        "/audit/?by=system",
        "/appeals/",
    )


def _decision(case: Case, *, at: datetime) -> Decision:
    return Decision.objects.create(
        post=case.post,
        revision=case.score.revision,
        score=case.score,
        verdict=Verdict.SPAM,
        source=DecisionSource.AUTOMATIC,
        decided_at=at,
        effective_at=at,
    )


def _counted() -> str:
    """Count all hours as the sweep does, run after run; say how long that took."""
    began, slowest, runs, before = time.perf_counter(), 0.0, 0, -1
    while (hours := HourlyCount.objects.count()) != before:
        before, start = hours, time.perf_counter()
        activity.count(at=datetime.now(UTC))
        slowest, runs = max(slowest, time.perf_counter() - start), runs + 1
    last = time.perf_counter()
    activity.count(at=datetime.now(UTC))
    return (
        f"history counted in {last - began:.1f} s and {runs} runs, the slowest {slowest:.2f} s; "
        f"a run that has only the last hours to count {time.perf_counter() - last:.2f} s"
    )
