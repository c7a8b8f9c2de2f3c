"""Tell people that a note on a case names them, or their role."""

from __future__ import annotations

import re
from datetime import datetime

from django.db import transaction

from moderation.models import CaseNote, Mention, User
from moderation.models.users import DECIDERS
from moderation.operations.audit import entries
from moderation.operations.infrastructure import transactions
from moderation.queries.cases import mention_pages

MOST = 10
"""Names in one note that are heeded."""
_NAME = re.compile(r"(?<![\w@.+-])@([\w@.+-]+)")


@transactions.required
def record(*, note: CaseNote) -> None:
    """Store whom a note names: `@lead` a role that decides cases, `@mona` a person of such a role.

    Whoever wrote it is told of nothing by their own name. Call inside the transaction that wrote the note.
    """
    named = list(dict.fromkeys(found.rstrip(".-+").casefold() for found in _NAME.findall(note.text)))[:MOST]
    if not named:
        return
    roles = [role for role in named if role in DECIDERS]
    people = [
        user
        for user in User.objects.filter(is_active=True, role__in=DECIDERS).order_by("pk")
        if user.username.casefold() in named and user.pk != note.author_id and user.role not in roles
    ]
    Mention.objects.bulk_create(
        [
            *(Mention(note=note, role=role) for role in roles),
            *(Mention(note=note, user=one) for one in people),
        ]
    )


def settle(*, mention_id: int, by: User, at: datetime) -> Mention:
    """Say that a mention is done; a second time changes nothing.

    Raises Mention.DoesNotExist, also where it is none of this user's.
    """
    with transaction.atomic():
        own = mention_pages.of(by).select_for_update(of=("self",))
        mention = own.get(pk=mention_id)
        if mention.done_at is None:
            mention.done_at, mention.done_by = at, by
            mention.save(update_fields=("done_at", "done_by"))
            entries.add(
                action="mention.settled",
                subject_kind="case",
                subject_id=mention.note.case_id,
                actor=by,
                at=at,
                note=mention.note_id,
            )
    return mention
