"""What a moderator did last, while it can be undone."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import BigIntegerField, Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Cast

from moderation.models import AuditEntry, BlindReview, Case, Decision, User, desk_settings
from moderation.models.cases import CaseReason
from moderation.queries import case_access
from moderation.queries.decisions import decision_pages


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip:
    """A case that was skipped, and until when the desk offers to undo it."""

    case: Case
    final_at: datetime


def undoable(*, moderator: User, at: datetime) -> BlindReview | Decision | Skip | None:
    """Return the latest act that one key undoes, if there is one; one query finds it, another reads it."""
    since = at - timedelta(seconds=desk_settings.current().undo_seconds)
    given = BlindReview.objects.filter(answered_by=moderator, answered_at__gt=since, settled_at__isnull=True)
    decisions = decision_pages.undoable(moderator=moderator, at=at)
    # Rows of cases keep no time. Of a second review, `skipped_by` also names who must not judge it.
    cases = Case.objects.filter(skipped_by__contains=[moderator.pk]).select_related("post__author")
    is_others = Q(reason__in=(CaseReason.SECOND, CaseReason.BLIND)) | case_access.kept_from(moderator)
    cases = cases.exclude(is_others)
    is_left = Exists(cases.filter(pk=Cast(OuterRef("subject_id"), BigIntegerField())))
    skips = AuditEntry.objects.filter(is_left, actor=moderator, action="case.skipped", at__gt=since)
    acts: tuple[QuerySet[Any, Any], ...] = (
        given.values_list("answered_at", "pk", Value("answer")),
        decisions.values_list("decided_at", "pk", Value("decision")),
        skips.values_list("at", Cast("subject_id", BigIntegerField()), Value("skip")),
    )
    first, *others = (rows.order_by() for rows in acts)
    done_at, pk, kind = first.union(*others, all=True).order_by("-answered_at").first() or (at, 0, "")
    if kind == "skip":
        case = cases.filter(pk=pk).first()
        return Skip(case=case, final_at=done_at + (at - since)) if case else None
    return (given if kind == "answer" else decisions).filter(pk=pk).first() if kind else None
