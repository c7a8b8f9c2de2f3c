"""Who may see a case, which cases are judged blindly, and who can no longer judge so."""

from django.db.models import Exists, OuterRef, Q, QuerySet, Value

from moderation.models import BlindReview, Case, CaseNote, Decision, GoldenItem, Post, Revision, desk_settings
from moderation.models.cases import BLIND_REASONS, CaseReason, CaseState
from moderation.models.named_queues import NamedQueue
from moderation.models.users import User


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
    """Return the condition of open cases that somebody must not learn of.

    These are blind reviews of posts that they know too much of to judge, and cases in queues of others alone.
    """
    is_known = Q(reason=CaseReason.BLIND, skipped_by__contains=[viewer.pk])
    return Q(is_known | elsewhere(viewer), state=CaseState.OPEN)


def waiting() -> QuerySet[Case]:
    """Return the open cases but for those of platforms that are switched off."""
    cases = Case.objects.filter(state=CaseState.OPEN)
    off = desk_settings.current().platforms_off
    return cases.exclude(platform__in=off) if off else cases


def are_hidden() -> bool:
    """Return whether cases wait that nobody sees, since their platforms are switched off."""
    off = desk_settings.current().platforms_off
    return bool(off) and Case.objects.filter(platform__in=off, state=CaseState.OPEN).exists()


def elsewhere(viewer: User, *, of: str = "", language: str = "language", reason: Value | None = None) -> Q:
    """Return the condition of open cases in any exclusive queue that is not the viewer's.

    Those of a platform that is off are nobody's. `of` leads from a row to its case; a row without one yet has
    its own `language` and `reason`.
    """
    # Remembered: to build the condition takes longer than many a query.
    desk = desk_settings.current()
    off = Q(**{f"{of}platform__in": desk.platforms_off}) if desk.platforms_off else Q(pk__in=())
    if viewer.may_lead or viewer.acts_by_key or not desk.has_exclusive_queues:
        return off
    queues = NamedQueue.objects.filter(
        Q(platform=None) | Q(platform=OuterRef(f"{of}platform")),
        Q(languages=[]) | Q(languages__contains=[OuterRef(f"{of}{language}")]),
        Q(reasons=[]) | Q(reasons__contains=[reason or OuterRef(f"{of}reason")]),
        is_exclusive=True,
    )
    return off | Q(Exists(queues.exclude(assignments__user=viewer)))


def is_blind(case: Case) -> bool:
    """Tell whether a case, loaded with its score, is to be decided without seeing what others said."""
    return case.state == CaseState.OPEN and (case.reason in BLIND_REASONS or case.score.is_audit_sample)


def pick(*, case_id: int, version: int, reason: str) -> str:
    """Name an open case with its version if it may be decided with others; "" where it is judged blindly."""
    return "" if reason in BLIND_REASONS else f"{case_id}:{version}"


def blind_cases() -> QuerySet[Case]:
    """Return the cases that are to be decided without seeing what others said."""
    waiting = Case.objects.filter(state=CaseState.OPEN)
    return waiting.filter(Q(reason__in=BLIND_REASONS) | Q(score__is_audit_sample=True))


def who_know(post: Post) -> list[int]:
    """Return the users who decided a post or one like it, judged it blindly, or wrote about it.

    Of a golden item also every lead: they read the list of these items.
    """
    groups = post.revisions.filter(grouped__isnull=False).values("grouped__similarity_group")
    near = Revision.objects.filter(grouped__similarity_group__in=groups).values("post")
    alike = Q(post=post) | Q(post__in=near)
    deciders = Decision.objects.filter(alike, decided_by__isnull=False).values_list("decided_by", flat=True)
    judges = BlindReview.objects.filter(alike, answered_by__isnull=False)
    writers = CaseNote.objects.filter(case__post=post).values_list("author", flat=True)
    people = {*deciders, *judges.values_list("answered_by", flat=True), *writers}
    if GoldenItem.objects.filter(post=post, retired_at__isnull=True).exists():
        people |= {user.pk for user in User.objects.filter(is_active=True) if user.may_lead}
    return sorted(people)
