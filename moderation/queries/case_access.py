"""Who may see a case, which cases are judged blindly, and who can no longer judge so."""

from django.db.models import Q, QuerySet

from moderation.models import BlindReview, Case, CaseNote, Decision, GoldenItem, Post, Revision, User
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
    """Return the condition of open blind reviews that somebody may not judge: users who know too much of a
    post must not learn that it is judged.
    """
    return Q(reason=CaseReason.BLIND, state=CaseState.OPEN, skipped_by__contains=[viewer.pk])


def is_blind(case: Case) -> bool:
    """Tell whether a case, loaded with its score, is to be decided without seeing what others said."""
    return case.state == CaseState.OPEN and (case.reason in BLIND_REASONS or case.score.is_audit_sample)


def pick(*, case_id: int, version: int, reason: str) -> str:
    """Name an open case with its version if it may be decided with others; "" where it is judged blindly."""
    return "" if reason in BLIND_REASONS else f"{case_id}:{version}"


def has_blind_case(post: Post, viewer: User) -> bool:
    """Tell whether any case of a post is to be decided blindly, except a review kept from the viewer."""
    return blind_cases().filter(post=post).exclude(kept_from(viewer)).exists()


def blind_cases() -> QuerySet[Case]:
    """Return the cases that are to be decided without seeing what others said."""
    waiting = Case.objects.filter(state=CaseState.OPEN)
    return waiting.filter(Q(reason__in=BLIND_REASONS) | Q(score__is_audit_sample=True))


def who_know(post: Post) -> list[int]:
    """Return the users who decided a post or one like it, judged it blindly, or wrote about it.

    Of a golden item also every lead: they read the list of these items.
    """
    groups = post.revisions.exclude(similarity_group=None).values("similarity_group")
    near = Revision.objects.filter(similarity_group__in=groups).values("post")
    alike = Q(post=post) | Q(post__in=near)
    deciders = Decision.objects.filter(alike, decided_by__isnull=False).values_list("decided_by", flat=True)
    judges = BlindReview.objects.filter(alike, answered_by__isnull=False)
    writers = CaseNote.objects.filter(case__post=post).values_list("author", flat=True)
    people = {*deciders, *judges.values_list("answered_by", flat=True), *writers}
    if GoldenItem.objects.filter(post=post, retired_at__isnull=True).exists():
        people |= {user.pk for user in User.objects.filter(is_active=True) if user.may_lead}
    return sorted(people)
