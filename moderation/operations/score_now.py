"""Judge a post while its sender waits: stored first, then scored within a budget."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime

import structlog
from django.conf import settings
from django.db import OperationalError, connection, transaction

from moderation import enqueue, scorer
from moderation.models import Case, Decision, Platform, Score
from moderation.models.cases import CaseState
from moderation.models.posts import ScoreState
from moderation.operations.intake import ingest
from moderation.operations.intake.incoming_post import IncomingPost
from moderation.operations.intake.ingest import Accepted, Refused
from moderation.operations.scoring import score

log = structlog.get_logger(__name__)

POLL_SECONDS = 0.02


@dataclass(frozen=True, kw_only=True)
class Judged:
    """What is known of a post when the answer is due; without a score, the budget ran out first."""

    post: Accepted
    score: Score | None
    decision: Decision | None
    case: Case | None
    took_ms: int


def now(
    *, platform: Platform, post: IncomingPost, at: datetime, budget_ms: int = settings.VERDICT_BUDGET_MS
) -> Judged | Refused:
    """Store a post, score it like the tasks do, and return what came of it.

    The post is stored in any case. If the time is over before the content model has answered, its score is
    degraded and follows again later; if it is over before scoring began, a task scores the post.
    """
    began = time.monotonic()
    [answer] = ingest.accept(platform=platform, posts=[post], at=at, is_enqueued=False)
    if isinstance(answer, Refused):
        return answer
    ends = began + budget_ms / 1000
    if answer.score_state == ScoreState.PENDING:
        _score(answer, at=at, ends=ends)
    found = _found(answer)
    while found is None and time.monotonic() + POLL_SECONDS < ends:
        # A worker was quicker to take it: an earlier request with the same post.
        time.sleep(POLL_SECONDS)
        found = _found(answer)
    return Judged(
        post=answer,
        score=found,
        decision=_decision(answer) if found else None,
        case=Case.objects.filter(post=answer.post_id, state=CaseState.OPEN).first() if found else None,
        took_ms=round(1000 * (time.monotonic() - began)),
    )


def _score(answer: Accepted, *, at: datetime, ends: float) -> None:
    if time.monotonic() < ends:
        try:
            # A savepoint: whoever keeps the answer under a key still needs the transaction around it.
            with transaction.atomic():
                _limit_statements(max(1, round(1000 * (ends - time.monotonic()))))
                score.at_once(revision_id=answer.revision_id, at=at)
                _limit_statements(0)
        except (OperationalError, scorer.Loading) as late:
            # Others held a row for longer than the budget, or this process has just begun.
            log.info("verdict_late", revision=answer.revision_id, reason=type(late).__name__)
        except Exception:
            # As in a task: the sweep tries again, and gives up on a poisonous post by name.
            log.exception("verdict_failed", revision=answer.revision_id)
        else:
            return
    enqueue.scoring(revision_ids=[answer.revision_id])


def _limit_statements(milliseconds: int) -> None:
    """Let no lock that others hold outlast the budget; 0 lifts the limit. Ends with the transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('statement_timeout', %s, true)", (str(milliseconds),))


def _found(answer: Accepted) -> Score | None:
    return Score.objects.filter(revision=answer.revision_id).order_by("-generation").first()


def _decision(answer: Accepted) -> Decision | None:
    made = Decision.objects.filter(revision=answer.revision_id, reversal__isnull=True)
    return made.order_by("-decided_at", "-id").first()
