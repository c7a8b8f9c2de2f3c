"""Pictures that rules list: read from a file, stored with a rule, compared with those that posts show.

Every hash that a rule lists is compared with each picture once, in one scan of the table; what is found is
kept, so that scoring, dry runs and precision look up rows.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence

from django.db import connection
from django.utils.translation import gettext as _

from moderation.evidence import pdq
from moderation.models import Evidence, ListedPicture, PictureMatch, Rule
from moderation.operations.infrastructure import advisory_locks, transactions
from moderation.operations.infrastructure.advisory_locks import AdvisoryLock
from moderation.operations.similarity import picture_groups
from moderation.queries.rules import targets

MOST = 100_000
"""Hashes of one list: comparing a picture with so many takes some 0.1 s."""

# Hashes become bits once (OFFSET 0), not for each way that the picture can be turned.
_NEAR = """
SELECT DISTINCT p.rule_id FROM (
  SELECT l.rule_id, ('x' || l.hash)::bit(256) AS bits FROM moderation_listedpicture l
  JOIN moderation_rule r ON r.id = l.rule_id AND r.lifted_at IS NULL OFFSET 0
) p WHERE least({}) <= %s
"""
_DISTANCE = "bit_count(p.bits # ('x' || %s)::bit(256))"
_BATCH = 5_000
_HASH = re.compile(r"[0-9a-f]{64}")
COLUMNS = ("hash", "category", "note")
"""The columns of a list as CSV."""

_LONGEST_CATEGORY, _LONGEST_NOTE = 100, 500


class NotAList(Exception):
    """A line of a file cannot be read, or there are none or too many."""


def read(data: bytes) -> list[ListedPicture]:
    """Read a file of hashes, one a line or CSV of `hash,category,note`, each once, as rows to store.

    Raises NotAList, with the line and what is wrong there.
    """
    try:
        lines = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True)
        listed = {one.hash: one for one in _listed(lines)}
    except UnicodeDecodeError:
        raise NotAList(_("The file is no text in UTF-8.")) from None
    except csv.Error as error:
        raise _wrong(lines.line_num, str(error)) from None
    if not listed:
        raise NotAList(_("The file has no hashes."))
    return list(listed.values())


def _listed(lines: Iterable[list[str]]) -> Iterator[ListedPicture]:
    for line, cells in enumerate(lines, start=1):
        row = [cell.strip() for cell in cells]
        if not any(row) or (line == 1 and row[0].lower() == COLUMNS[0]):
            continue
        value, category, note, *more = (*row, "", "")
        if not _HASH.fullmatch(value.lower()):
            raise _wrong(line, _("“%(text)s” is no PDQ hash of 64 hex digits") % {"text": value[:70]})
        if any(more) or len(category) > _LONGEST_CATEGORY or len(note) > _LONGEST_NOTE:
            raise _wrong(line, _("more than a hash, a category of 100 and a note of 500 characters"))
        if line > MOST + 1:
            raise _wrong(line, _("a list has at most %(most)d hashes") % {"most": MOST})
        yield ListedPicture(hash=value.lower(), category=category, note=note)


def _wrong(line: int, words: str) -> NotAList:
    return NotAList(_("Line %(line)d: %(words)s.") % {"line": line, "words": words})


@transactions.required
def add(rule: Rule, pictures: Sequence[ListedPicture]) -> None:
    """Store what a new rule lists, and which of the pictures that were read before are copies of it."""
    for one in pictures:
        one.rule = rule
    ListedPicture.objects.bulk_create(pictures, batch_size=_BATCH, ignore_conflicts=True)
    # What is read meanwhile is either seen here or, when the lock is free again, compared with these rows.
    advisory_locks.take(AdvisoryLock.PICTURES)
    _note([(rule.pk, pk) for pk in targets.copies([one.hash for one in pictures])])


@transactions.required
def match(row: Evidence) -> None:
    """Note which rules list a picture that was just read, drafts among them.

    Call with the lock that `picture_groups.of` takes.
    """
    if row.picture_group_id is None:
        return
    hashes = picture_groups.hashes(row.facts)
    with connection.cursor() as cursor:
        cursor.execute(_NEAR.format(", ".join([_DISTANCE] * len(hashes))), (*hashes, pdq.SAME_PICTURE))
        _note([(rule, row.pk) for (rule,) in cursor.fetchall()])


def _note(pairs: Sequence[tuple[int, int]]) -> None:
    rows = [PictureMatch(rule_id=rule, evidence_id=evidence) for rule, evidence in pairs]
    PictureMatch.objects.bulk_create(rows, ignore_conflicts=True)
