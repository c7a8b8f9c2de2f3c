"""Posts that never came in here, and the records that scoring would have frozen of each at its time.

They go through intake in temporary tables that hide the product's own, in a transaction that is rolled back:
nothing is stored, sent or counted, and nobody waits for a lock.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.apps import apps
from django.db import connection, transaction

from moderation.models import Label, Platform, Revision
from moderation.operations.posts import ingest
from moderation.operations.posts.incoming_post import IncomingPost
from moderation.operations.similarity import text_groups
from moderation.queries.records import records
from scoring.records import PostRecord

_CHUNK = 500
_NOBODYS = -1
"""Id of the platform while it is there: intake locks by it, and no platform that is kept has it."""

_HIDE = "CREATE TEMPORARY TABLE {table} (LIKE {table} INCLUDING ALL) ON COMMIT DROP"


@dataclass(frozen=True, slots=True, kw_only=True)
class PastPost:
    """A post and whether it was spam, None if unknown; `is_judged` if a person said so, by `decided_at`."""

    post: IncomingPost
    is_spam: bool | None
    is_judged: bool
    decided_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PastRecord:
    """The record at the instant of posting, and the group of near-duplicates."""

    record: PostRecord
    group: str


def records_of(posts: Sequence[PastPost], *, platform: str, told: Callable[[int], None]) -> list[PastRecord]:
    """Return a record for each post, in their order, which is that of time; `told` how many are made.

    Their `external_id` differ. Histories count these posts alone, with the verdicts given before the instant.
    Call outside a transaction; the database's user may create temporary tables.
    """
    with _nothing_kept():
        place = Platform.objects.create(
            pk=_NOBODYS, slug=platform, name=platform, created_at=posts[0].post.posted_at
        )
        revisions: list[Revision] = []
        for start in range(0, len(posts), _CHUNK):
            chunk = posts[start : start + _CHUNK]
            for past in chunk:
                ingest.store(platform=place, posts=[past.post], at=past.post.posted_at)
            revisions += _compared(chunk)
        with connection.cursor() as cursor:
            # Nothing else gathers statistics of temporary tables, and plans would be poor.
            cursor.execute(
                "ANALYZE moderation_post, moderation_revision, moderation_revisiongroup, moderation_postlink,"
                " moderation_label"
            )
        made = []
        for number, revision in enumerate(revisions):
            if number % _CHUNK == 0:
                told(number)
            record = records.record_at(revision=revision, at=revision.post.posted_at)
            made.append(PastRecord(record=record, group=str(revision.similarity_group)))
    told(len(made))
    return made


def _compared(chunk: Sequence[PastPost]) -> list[Revision]:
    """Compare stored posts with those before, label them, and return their revisions in order."""
    names = {past.post.external_id: past for past in chunk}
    rows = Revision.objects.select_related("post__platform", "post__author", "grouped")
    found = {row.post.external_id: row for row in rows.filter(post__external_id__in=names)}
    revisions = [found[name] for name in names]
    text_groups.backfill(revisions=revisions)
    Label.objects.bulk_create(
        [
            Label(
                # Of no decision: temporary tables have no foreign keys.
                decision_id=revision.post_id,
                post=revision.post,
                is_spam=past.is_spam,
                similarity_group=revision.similarity_group,
                labelled_at=past.decided_at,
            )
            for revision, past in zip(revisions, chunk, strict=True)
            if past.is_judged and past.is_spam is not None and revision.similarity_group
        ]
    )
    return revisions


@contextmanager
def _nothing_kept() -> Iterator[None]:
    """Hide every table of the product behind an empty one of this transaction, and roll it back."""
    connection.ensure_connection()
    session: Any = connection.connection
    threshold, session.prepare_threshold = session.prepare_threshold, None
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                for model in apps.get_app_config("moderation").get_models(include_auto_created=True):
                    cursor.execute(_HIDE.format(table=connection.ops.quote_name(model._meta.db_table)))  # noqa: SLF001 - documented
            yield
            transaction.set_rollback(True)
    finally:
        # A statement prepared before would still mean the table that is hidden.
        session.prepare_threshold = threshold
