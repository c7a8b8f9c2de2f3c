"""Leave a note on a case, for whoever looks at it next."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from moderation.models import Case, CaseNote, User
from moderation.operations.audit import entries
from moderation.operations.infrastructure import erasure_locks
from moderation.operations.refusals import Erased, NotAllowed


def write(*, case: Case, author: User, text: str, at: datetime) -> CaseNote:
    """Add a note; notes are never edited. Raises NotAllowed or Erased."""
    if not author.may_decide or (case.is_escalated and not author.may_lead):
        raise NotAllowed(_("This role does not work on this case."))
    with transaction.atomic():
        if not erasure_locks.posts(cases=case.pk):
            raise Erased("The post was erased.")
        row = CaseNote.objects.create(case=case, author=author, text=text, written_at=at)
        # Without its words: the audit log can never be erased.
        entries.add(
            action="case.noted", subject_kind="case", subject_id=case.pk, actor=author, at=at, note=row.pk
        )
    return row
