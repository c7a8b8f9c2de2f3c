"""Answers to blind reviews, and the texts of posts that become golden items."""

from __future__ import annotations

from datetime import datetime

from moderation.models import BlindReview, Case, User
from moderation.models.decisions import Verdict
from moderation.operations.cases import claims, shift
from moderation.operations.cases.shift import Choice

TEXTS = ("Has anybody seen my grey cat near the river?", "Who sells a used bicycle in the old town?")


def answered(case: Case, *, by: User, verdict: Verdict, at: datetime, **more: object) -> BlindReview:
    claims.claim(case_id=case.pk, moderator=by, at=at)
    choice = Choice(verdict=verdict, case_version=case.version, **more)  # type: ignore[arg-type]  # of a Choice
    assert shift.decide(case_id=case.pk, choice=choice, moderator=by, at=at).decision is None
    return BlindReview.objects.get(case=case)
