"""Imports of past moderators' actions: taken in, begun, deleted. `history_job` carries them out.

Their posts are rows of their own, which nothing else reads: no queue, no webhook, no figure of the desk.
"""

import shutil
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO

from django.conf import settings
from django.db import transaction
from django.db.models import Count
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Trim
from django.utils.translation import gettext as _

from integrations import past_file
from integrations.connectors import CONNECTORS
from integrations.models import HistoryImport, HistoryState, Integration, PastLine
from integrations.past_file import FIELDS, MEANINGS, Columns, Unreadable
from moderation.models import Platform, User
from moderation.operations.audit import entries
from moderation.operations.refusals import Refusal
from moderation.queries.cases import pace

KEPT = timedelta(days=90)
"""Afterwards the posts are deleted; the report stays."""

PATIENCE = timedelta(minutes=10)
"""So long the message of an import is trusted to find a worker; then it may be begun again."""

_CHUNK = 2_000

_audit = entries.writer("history", name="name")


class NotReady(Refusal):
    """The columns of the import were chosen before, or some are missing."""


def take(*, name: str, file: IO[bytes], actor: User | None, at: datetime) -> HistoryImport:
    """Keep the lines of a file until its columns are chosen. Raises Unreadable."""
    with transaction.atomic():
        row = HistoryImport.objects.create(name=Path(name).name[:200], imported_by=actor, imported_at=at)
        names: dict[str, None] = {}
        waiting: list[PastLine] = []
        for line, given in past_file.rows(name, file):
            names.update(dict.fromkeys(given))
            waiting.append(PastLine(history=row, line=line, given=given))
            if len(waiting) == _CHUNK:
                row.posts += len(PastLine.objects.bulk_create(waiting))
                waiting = []
        row.posts += len(PastLine.objects.bulk_create(waiting))
        if not row.posts:
            raise Unreadable(_("The file has no posts."))
        row.columns = list(names)[: past_file.MOST_COLUMNS]
        row.mapping = asdict(Columns(names=past_file.guessed(row.columns)))
        row.save(update_fields=["posts", "columns", "mapping"])
        _audit("history.imported", row, actor=actor, at=at, posts=row.posts)
    return row


def ask(*, integration: Integration, actor: User | None, at: datetime) -> HistoryImport:
    """Keep an import that a worker reads from a connected platform and judges."""
    seconds, actions = (
        round(pace.case_time(at=at).seconds or Columns.seconds),
        {name: name for name in MEANINGS},
    )
    columns = Columns(names={part: part for part in FIELDS}, actions=actions, seconds=seconds)
    row = HistoryImport(platform=integration.platform, columns=list(FIELDS), imported_by=actor)
    row.name = f"{CONNECTORS[integration.kind].title}: {integration.base_url}"[:200]
    row.mapping = {**asdict(columns), "integration": integration.pk}
    row.state, row.imported_at, row.lease_until = HistoryState.WAITING, at, at + PATIENCE
    with transaction.atomic():
        row.save()
        _audit("history.imported", row, actor=actor, at=at, integration=integration.pk)
    return row


def actions_of(row: HistoryImport, column: str) -> list[str]:
    """Return the commonest values of a column, in their order."""
    values = row.past_lines.order_by().values_list(Trim(KeyTextTransform(column, "given")))
    counted = values.annotate(all=Count("pk")).order_by("-all")[: past_file.MOST_VALUES]
    return [value or "" for value, _count in counted]


def begin(
    *, history_id: int, columns: Columns, platform: Platform | None, actor: User | None, at: datetime
) -> None:
    """Let a worker judge an import whose columns are chosen. Raises NotReady."""
    if any(not columns.names.get(part) for part in past_file.NEEDED):
        raise NotReady(_("Choose the columns of text, time and action."))
    with transaction.atomic():
        row = HistoryImport.objects.select_for_update(of=("self",)).get(pk=history_id)
        if row.is_open(at=at):
            raise NotReady(_("It is in progress."))
        row.mapping, row.platform, row.state = asdict(columns), platform, HistoryState.WAITING
        row.error, row.report, row.step, row.lease_until = "", None, "", at + PATIENCE
        row.save()
        _audit("history.begun", row, actor=actor, at=at)


def remove(*, history_id: int, actor: User | None, at: datetime) -> None:
    """Delete an import with all its posts and its report; a worker on it notices and ends."""
    with transaction.atomic():
        row = HistoryImport.objects.get(pk=history_id)
        _audit("history.removed", row, actor=actor, at=at)
        row.delete()
    shutil.rmtree(folder_of(history_id), ignore_errors=True)


def forget(*, at: datetime) -> None:
    """Delete the posts of old imports and what was quoted of lines left out; their reports stay."""
    old = HistoryImport.objects.filter(imported_at__lt=at - KEPT)
    PastLine.objects.filter(history__in=old).delete()
    old.exclude(left_out=[]).update(left_out=[])


def folder_of(history_id: int) -> Path:
    """Return the folder in which an import learns."""
    return Path(settings.LEARNING_DIR) / f"history-{history_id}"
