"""Decisions and answers on posts that become golden items."""

from __future__ import annotations

from datetime import datetime

from moderation.models import BlindReview, Case, Decision, User
from moderation.models.decisions import Verdict
from moderation.operations.cases import claims, review, shift
from moderation.operations.cases.shift import Choice

TEXTS = ("Has anybody seen my grey cat near the river?", "Who sells a used bicycle in the old town?")


def decided_by(case: Case, moderator: User, *, at: datetime) -> Decision:
    claims.claim(case_id=case.pk, moderator=moderator, at=at)
    return review.decide(
        case_id=case.pk, case_version=case.version, moderator=moderator, verdict=Verdict.SPAM, at=at
    )


def answered(case: Case, *, by: User, verdict: Verdict, at: datetime) -> BlindReview:
    claims.claim(case_id=case.pk, moderator=by, at=at)
    choice = Choice(verdict=verdict, case_version=case.version)
    assert shift.decide(case_id=case.pk, choice=choice, moderator=by, at=at).decision is None
    return BlindReview.objects.get(case=case)
