"""Write notes on a case or an author for the next reviewer."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from moderation.models import Author, AuthorNote, Case, CaseNote, User
from moderation.operations.audit import entries
from moderation.operations.cases import mentions
from moderation.operations.infrastructure import erasure_locks
from moderation.operations.refusals import Erased, NotAllowed


def write(*, case: Case, author: User, text: str, at: datetime) -> CaseNote:
    """Add a note; notes are never edited. Raises NotAllowed or Erased."""
    if not author.may_decide or (case.is_escalated and not author.may_lead):
        raise NotAllowed(_("Your role cannot work on this case."))
    with transaction.atomic():
        if not erasure_locks.posts(cases=case.pk):
            raise Erased("The post was erased.")
        row = CaseNote.objects.create(case=case, author=author, text=text, written_at=at)
        mentions.record(note=row)
        # Without the text: the audit log can never be erased.
        entries.add(
            action="case.noted", subject_kind="case", subject_id=case.pk, actor=author, at=at, note=row.pk
        )
    return row


def write_about(*, author_id: int, by: User, text: str, at: datetime) -> AuthorNote:
    """Add a note on an author; notes are never edited. Raises NotAllowed, Erased or Author.DoesNotExist."""
    if not by.may_decide:
        raise NotAllowed(_("This role does not decide cases."))
    with transaction.atomic():
        # Held against erasure, after which no words about them may come back.
        author = Author.objects.select_for_update(no_key=True).get(pk=author_id)
        if author.erased_at is not None:
            raise Erased(_("This account was erased."))
        row = AuthorNote.objects.create(author=author, written_by=by, text=text, written_at=at)
        # Without its words, as above.
        entries.add(
            action="author.noted", subject_kind="author", subject_id=author.pk, actor=by, at=at, note=row.pk
        )
    return row
