"""Posts of ninety days with labels of known chance, multiplied in PostgreSQL. Import after `connect`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from uuid import uuid4

from django.db import connection

from lab._crowd import FIRST, example, multiply
from moderation.models import Case, Decision, Label, Post, Revision, Score, User
from moderation.models.decisions import DecisionSource, Verdict
from moderation.operations.quality import refresh

PAGES = (
    "/quality/",
    "/quality/?span=7d",
    "/quality/?span=90d",
    "/quality/?platform=bench&span=90d",
    "/quality/?unit=views",
)
_SECONDS = 80 * 86_400


def filled(*, decisions: int, labels: int) -> Iterator[str]:
    """Write so many posts with a decision each, some with labels; say how long estimating took."""
    case = example()
    own, then = f"{FIRST} + g", f"now() - g * interval '{_SECONDS / decisions} seconds'"
    revision = case.score.revision
    multiply(Post, case.post_id, decisions, id=own, external_id="'quality-' || g", received_at=then)
    multiply(
        Revision, revision.pk, decisions, id=own, post_id=own, received_at=then,
        language="(array['en','fr','de','ar'])[1 + g % 4]",
        views="CASE WHEN g % 53 = 0 THEN 100000 ELSE g % 307 END",
    )  # fmt: skip
    multiply(
        Score, case.score_id, decisions, id=own, revision_id=own, scored_at=then,
        spam_probability="(g % 997) / 997.0", is_audit_sample="true",
        audit_probability="0.02 + (g % 7) / 10.0",
    )  # fmt: skip
    first = _decision(case)
    multiply(
        Decision, first.pk, decisions, id=own, post_id=own, revision_id=own, score_id=own,
        case_id="null::bigint",
        decided_at=then, effective_at=then, verdict="CASE WHEN g % 997 > 700 THEN 'spam' ELSE 'not_spam' END",
    )  # fmt: skip
    label = Label.objects.create(
        decision=first,
        post=case.post,
        is_spam=True,
        similarity_group=uuid4(),
        labelled_at=datetime.now(UTC),
    )
    step = max(1, decisions // labels)
    number = f"{FIRST} + g * {step}"
    multiply(
        Label, label.pk, labels, id=own, decision_id=number, post_id=number, is_spam="g % 5 = 0"
    )  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute("analyze")
    began = time.perf_counter()
    total = refresh.refresh(at=datetime.now(UTC))
    yield f"{total} figures estimated from {labels} labels in {time.perf_counter() - began:.1f} s"


def _decision(case: Case) -> Decision:
    at = datetime.now(UTC)
    return Decision.objects.create(
        post=case.post,
        revision=case.score.revision,
        score=case.score,
        verdict=Verdict.SPAM,
        source=DecisionSource.MODERATOR,
        decided_by=User.objects.create_user("bench-quality"),
        decided_at=at,
        effective_at=at,
    )
