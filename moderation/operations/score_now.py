"""Score a post while its sender waits: stored first, then scored within a time budget."""

import time
from dataclasses import dataclass
from datetime import datetime

import structlog
from django.conf import settings
from django.db import OperationalError, connection, transaction

from moderation import enqueue, scorer
from moderation.models import Case, Decision, Platform, Score
from moderation.models.cases import CaseReason, CaseState
from moderation.models.posts import ScoreState
from moderation.operations.posts import ingest
from moderation.operations.posts.incoming_post import IncomingPost
from moderation.operations.posts.ingest import Accepted, Refused
from moderation.operations.scoring import score
from moderation.queries.records import stored_records

log = structlog.get_logger(__name__)

POLL_SECONDS = 0.02


@dataclass(frozen=True, kw_only=True)
class ScoredNow:
    """The result when the answer is due; without a score if the budget ran out first."""

    post: Accepted
    score: Score | None
    decision: Decision | None
    case: Case | None
    took_ms: int


def run(*, platform: Platform, post: IncomingPost, at: datetime) -> ScoredNow | Refused:
    """Store a post, score it like the tasks do, and return what came of it.

    The post is stored in any case. If the budget ends before the content model has answered, the score is
    degraded and the post is rescored later; if it ends before scoring began, a task scores the post.
    """
    began = time.monotonic()
    [answer] = ingest.store(platform=platform, posts=[post], at=at)
    if isinstance(answer, Refused):
        return answer
    ends = began + settings.SCORE_NOW_BUDGET_MS / 1000
    if answer.score_state == ScoreState.PENDING:
        _score(answer, at=at, ends=ends)
    result = _found(answer)
    while result is None and time.monotonic() + POLL_SECONDS < ends:
        # A worker has already claimed it: an earlier request sent the same post.
        time.sleep(POLL_SECONDS)
        result = _found(answer)
    return ScoredNow(
        post=answer,
        score=result,
        decision=_decision(answer) if result else None,
        case=_case(answer) if result else None,
        took_ms=round(1000 * (time.monotonic() - began)),
    )


def _case(answer: Accepted) -> Case | None:
    cases = Case.objects.filter(post=answer.post_id, state=CaseState.OPEN)
    return cases.exclude(reason=CaseReason.BLIND).first()


def _score(answer: Accepted, *, at: datetime, ends: float) -> None:
    if time.monotonic() < ends:
        try:
            # A savepoint: the idempotency key's answer is stored in the surrounding transaction.
            with transaction.atomic():
                _limit_statements(max(1, round(1000 * (ends - time.monotonic()))))
                score.at_once(revision_id=answer.revision_id, at=at)
                # Else the rest of the surrounding transaction would run under it. After a failure the
                # rollback to the savepoint takes it back.
                _limit_statements(0)
        except (OperationalError, scorer.Loading) as late:
            # A row lock was held longer than the budget, or this process has just started.
            log.info("score_late", revision=answer.revision_id, reason=type(late).__name__)
        except Exception:
            # As in a task: the sweep retries, and marks a post that keeps failing as dead.
            log.exception("score_now_failed", revision=answer.revision_id)
        else:
            return
    enqueue.first_scoring(revision_ids=[answer.revision_id])


def _limit_statements(milliseconds: int) -> None:
    """Set the statement timeout to the budget, so that no lock wait exceeds it; 0 removes it.

    Ends with the transaction.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('statement_timeout', %s, true)", (str(milliseconds),))


def _found(answer: Accepted) -> Score | None:
    scores = Score.objects.select_related(stored_records.RELATED).filter(revision=answer.revision_id)
    return scores.order_by("-generation").first()


def _decision(answer: Accepted) -> Decision | None:
    decisions = Decision.objects.filter(post=answer.post_id, revision=answer.revision_id, reversal=None)
    return decisions.order_by("-decided_at", "-id").first()
