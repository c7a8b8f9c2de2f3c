"""Who may see a case, and which cases are judged blindly."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from moderation.models import Case, Post, User
from moderation.models.cases import BLIND_REASONS, CaseState


def visible(viewer: User) -> QuerySet[Case]:
    """Return the cases that somebody may see: those that wait for a lead are for leads."""
    if viewer.may_lead:
        return Case.objects.all()
    return Case.objects.filter(Q(is_escalated=False) | ~Q(state=CaseState.OPEN))


def is_blind(case: Case) -> bool:
    """Tell whether a case, loaded with its score, is to be decided without seeing what others said."""
    return case.state == CaseState.OPEN and (case.reason in BLIND_REASONS or case.score.is_audit_sample)


def pick(*, case_id: int, version: int, reason: str) -> str:
    """Name an open case with its version if it may be decided with others; "" where it is judged blindly."""
    return "" if reason in BLIND_REASONS else f"{case_id}:{version}"


def has_blind_case(post: Post) -> bool:
    """Tell whether any case of a post is to be decided so, whoever may see it."""
    waiting = Case.objects.filter(post=post, state=CaseState.OPEN)
    return waiting.filter(Q(reason__in=BLIND_REASONS) | Q(score__is_audit_sample=True)).exists()
