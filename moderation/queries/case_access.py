"""Who may see a case, and which cases are judged blindly."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from moderation.models import BlindReview, Case, Post, User
from moderation.models.cases import BLIND_REASONS, CaseReason, CaseState


def visible(viewer: User) -> QuerySet[Case]:
    """Return the cases that somebody may see: those that wait for a lead are for leads.

    A blind review is seen by those who may judge it or have done so, and by leads once it is closed.
    """
    cases = Case.objects.exclude(kept_from(viewer))
    if viewer.may_lead:
        return cases
    answered = BlindReview.objects.filter(answered_by=viewer).values("case")
    others = Q(reason=CaseReason.BLIND) & ~Q(state=CaseState.OPEN) & ~Q(pk__in=answered)
    return cases.filter(Q(is_escalated=False) | ~Q(state=CaseState.OPEN)).exclude(others)


def kept_from(viewer: User) -> Q:
    """Return the condition of open blind reviews that somebody may not judge: who knows too much of them
    must not learn that they are judged.
    """
    return Q(reason=CaseReason.BLIND, state=CaseState.OPEN, skipped_by__contains=[viewer.pk])


def is_blind(case: Case) -> bool:
    """Tell whether a case, loaded with its score, is to be decided without seeing what others said."""
    return case.state == CaseState.OPEN and (case.reason in BLIND_REASONS or case.score.is_audit_sample)


def pick(*, case_id: int, version: int, reason: str) -> str:
    """Name an open case with its version if it may be decided with others; "" where it is judged blindly."""
    return "" if reason in BLIND_REASONS else f"{case_id}:{version}"


def has_blind_case(post: Post, viewer: User) -> bool:
    """Tell whether any case of a post is to be decided so, but for a blind review kept from the viewer."""
    return blind_cases().filter(post=post).exclude(kept_from(viewer)).exists()


def blind_cases() -> QuerySet[Case]:
    """Return the cases that are to be decided without seeing what others said."""
    waiting = Case.objects.filter(state=CaseState.OPEN)
    return waiting.filter(Q(reason__in=BLIND_REASONS) | Q(score__is_audit_sample=True))
