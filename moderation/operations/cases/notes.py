"""Notes on a case or an author for the next reviewer, and the people and roles that they mention."""

import re
from datetime import datetime

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from moderation.models import Author, AuthorNote, Case, CaseNote, Mention, User
from moderation.models.notifications import NotificationKind
from moderation.models.users import DECIDERS
from moderation.operations.audit import entries
from moderation.operations.infrastructure import transactions
from moderation.operations.notifications import notify
from moderation.operations.refusals import Erased, NotAllowed
from moderation.queries.cases import mention_pages

_audit = entries.writer("case", subject_id="case_id", note="pk")
_audit_author = entries.writer("author", subject_id="author_id", note="pk")
MOST = 10
"""Names in one note that count."""
_NAME = re.compile(r"(?<![\w@.+-])@([\w@.+-]+)")


def write(*, case: Case, author: User, text: str, at: datetime) -> CaseNote:
    """Add a note; notes are never edited. Raises NotAllowed or Erased."""
    if not author.may_decide or (case.is_escalated and not author.may_lead):
        raise NotAllowed(_("Your role cannot work on this case."))
    with transaction.atomic():
        if not transactions.lock_posts(cases=case.pk):
            raise Erased("The post was erased.")
        row = add(case=case, author=author, text=text, at=at)
        # Without the text: the audit log can never be erased.
        _audit("case.noted", row, actor=author, at=at)
    return row


def write_about(*, author_id: int, by: User, text: str, at: datetime) -> None:
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
        _audit_author("author.noted", row, actor=by, at=at)


@transactions.required
def add(*, case: Case, author: User, text: str, at: datetime) -> CaseNote:
    """Store a note and whom it names: `@lead` a role that decides cases, `@mona` a person of such a role.

    The author's own name does not count. Call inside the transaction of the act that the note explains.
    """
    note = CaseNote.objects.create(case=case, author=author, text=text, written_at=at)
    names = list(dict.fromkeys(name.rstrip(".-+").casefold() for name in _NAME.findall(text)))[:MOST]
    if not names:
        return note
    roles = [role for role in names if role in DECIDERS]
    people = [
        user
        for user in User.objects.filter(is_active=True, role__in=DECIDERS).order_by("pk")
        if user.username.casefold() in names and user != author and user.role not in roles
    ]
    Mention.objects.bulk_create(
        [
            *(Mention(note=note, role=role) for role in roles),
            *(Mention(note=note, user=user) for user in people),
        ]
    )
    named = Q(role__in=roles) & ~Q(pk=author.pk) | Q(pk__in=[user.pk for user in people])
    notify.write(kind=NotificationKind.MENTION, subject=note.pk, people=named, at=at)
    return note


def settle(*, mention_id: int, by: User, at: datetime) -> None:
    """Mark a mention as done; a second time changes nothing.

    Raises Mention.DoesNotExist, also if it is not this user's.
    """
    with transaction.atomic():
        own = mention_pages.of(by).select_for_update(of=("self",))
        mention = own.get(pk=mention_id)
        if mention.done_at is None:
            mention.done_at, mention.done_by = at, by
            mention.save(update_fields=("done_at", "done_by"))
            _audit("mention.settled", mention.note, actor=by, at=at)
