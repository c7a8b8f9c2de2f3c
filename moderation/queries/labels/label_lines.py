"""Labels as the lines of an export file. PostgreSQL streams them, and JSON that is stored stays as it is.

Reading every record into Python and writing it out again would be most of the time of an export.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, LiteralString

from django.db import connection

from moderation.queries.labels.labels import LABEL_SCHEMA_VERSION, LabelFilter, weight_of
from scoring.explain import CONTENT_TEXT
from scoring.features import NAMES, SCHEMA_HASH
from scoring.splits import split_of

_COLUMNS = (
    ("f.slug || '/' || p.external_id || '/' || r.number", "text"),
    ("r.text", "text"),
    ("r.language", "text"),
    ("l.is_spam", "bool"),
    ("l.similarity_group", "text"),
    ("CASE WHEN s.schema_hash = %(schema)s THEN '' ELSE s.contributions::text END", "text"),
    ("s.features::text", "text"),
    ("coalesce(s.content_probability::text, 'null')", "text"),
    ("s.schema_hash", "text"),
    ("s.record::text", "text"),
    ("u.username", "text"),
    ("d.decided_at", "timestamptz"),
    ("d.reason", "text"),
    ("s.release_id", "text"),
    ("s.spam_probability", "float8"),
    ("s.is_degraded", "bool"),
    ("s.is_audit_sample OR c.draw_id IS NOT NULL", "bool"),
    ("coalesce(c.audit_probability, s.audit_probability)", "float8"),
    ("d.id", "int8"),
    ("CASE WHEN c.draw_id IS NOT NULL THEN 'draw' WHEN s.is_audit_sample THEN 'audit' ELSE '' END", "text"),
    (
        """coalesce(c.reason IN ('complaints', 'appealed', 'second'), false)
           OR EXISTS (SELECT FROM moderation_reversal v WHERE v.replacement_id = d.id)""",
        "bool",
    ),
    ("l.labelled_at", "timestamptz"),
    ("l.id", "int8"),
)
_EXPRESSIONS = ", ".join(expression for expression, _ in _COLUMNS)
KINDS = tuple(kind for _, kind in _COLUMNS)
STANDING = f"""
  SELECT {_EXPRESSIONS}
  FROM moderation_label l
  JOIN moderation_decision d ON d.id = l.decision_id
  JOIN moderation_score s ON s.id = d.score_id
  JOIN moderation_revision r ON r.id = d.revision_id
  JOIN moderation_post p ON p.id = l.post_id
  JOIN moderation_platform f ON f.id = p.platform_id
  LEFT JOIN moderation_user u ON u.id = d.decided_by_id
  LEFT JOIN moderation_case c ON c.id = d.case_id
  WHERE l.retracted_at IS NULL AND p.erased_at IS NULL
"""  # noqa: S608 - our own column names
"""Every label that stands, in columns of these KINDS; more conditions may follow."""
_LINES = f"""
COPY (
  {STANDING}
    AND (l.labelled_at, l.id) > (%(since)s, %(after)s) AND l.labelled_at < %(until)s
    AND (%(platform)s::bigint IS NULL OR p.platform_id = %(platform)s)
    -- What can still be undone has no number, and nobody would be told that it was.
    AND EXISTS (SELECT FROM moderation_feedentry e WHERE e.decision_id = l.decision_id
                AND e.stream = 'labels' AND NOT e.is_retraction AND e.number IS NOT NULL)
  ORDER BY l.labelled_at, l.id LIMIT %(chunk)s
) TO STDOUT
"""
_FEATURES = ", ".join(f'"{name}": %s' for name in NAMES) + f', "{CONTENT_TEXT}": %s'
_CONTRIBUTION = re.compile(r'\[("[^"]*"), ([^,\]]+), [^,\]]+\]')
"""[name, value, contribution]: of other schemas only these know the names."""
CHUNK = 5_000


@dataclass(frozen=True, slots=True)
class LabelLine:
    """One line, and what a manifest counts of it."""

    line: bytes
    is_spam: bool
    split: str
    release: str
    decided_at: str
    language: str = ""
    is_random: bool = False
    is_by_complaint: bool = False
    is_retraction: bool = False


def lines(
    *, wanted: LabelFilter, has_weights: bool = True, pause: Callable[[], None] | None = None
) -> Iterator[LabelLine]:
    """Yield labels oldest first that nobody can undo any more; memory does not grow with their number.

    A statement for every few thousand, so that no snapshot grows old. Between them the connection is free,
    and `pause` is called; while a line is being looked at it is not.
    """
    values: dict[str, object] = {
        "since": wanted.since or datetime.min.replace(tzinfo=UTC),
        "after": 0,
        "until": wanted.until or datetime.max.replace(tzinfo=UTC),
        "platform": wanted.platform_id,
        "chunk": CHUNK,
        "schema": SCHEMA_HASH,
    }
    while True:
        found = 0
        for found, row in enumerate(_rows(values), start=1):  # noqa: B007 - counted for after the loop
            label = line(row, has_weights=has_weights)
            if not wanted.splits or label.split in wanted.splits:
                yield label
            values["since"], values["after"] = row[-2:]
        if pause is not None:
            pause()
        if found < CHUNK:
            return


def _rows(values: dict[str, object]) -> Iterator[tuple[Any, ...]]:
    statement: LiteralString = _LINES
    with connection.cursor() as cursor, cursor.copy(statement, dict(values)) as copy:
        copy.set_types(KINDS)
        yield from copy.rows()


def line(row: tuple[Any, ...], *, has_weights: bool) -> LabelLine:
    """Return the line of a row of COLUMNS."""
    name, text, language, is_spam, group, contributions, features, content, schema_hash, *rest = row
    record, username, decided_at, reason, release, spam_probability, is_degraded, is_audit, *rest = rest
    split, moment = split_of(group).value, decided_at.isoformat()
    before = {
        "schema_version": LABEL_SCHEMA_VERSION,
        "id": name,
        "text": text,
        "lang": language,
        "label": int(is_spam),
        "group": group,
        "split": split,
    }
    if has_weights:
        before["weight"] = weight_of(audit_probability=rest[0], is_audit_sample=is_audit)
    provenance = {
        "decided_by": username,
        "decided_at": moment,
        "reason": reason,
        "release": release,
        "spam_probability": spam_probability,
        "is_degraded": is_degraded,
        "is_audit_sample": is_audit,
        "audit_probability": rest[0],
        "decision_id": str(rest[1]),
        "sample": rest[2],
    }
    text_of_line = (
        f'{_json(before)[:-1]}, "features": {{{_features(features, contributions, content)}}},'
        f' "schema_hash": "{schema_hash}", "record": {record}, "provenance": {_json(provenance)}}}\n'
    )
    return LabelLine(
        line=text_of_line.encode(),
        is_spam=is_spam,
        split=split,
        release=release,
        decided_at=moment,
        language=language,
        is_random=is_audit,
        is_by_complaint=rest[3] and not is_audit,
    )


def _features(values: str, contributions: str, content: str) -> str:
    """Return the members of the object that holds the features by name, null where unknown."""
    if contributions:
        return _CONTRIBUTION.sub(r"\1: \2", contributions)[1:-1]
    if values == "{}":  # a banned domain: nothing was computed
        return ""
    return _FEATURES % (*values[1:-1].replace("NaN", "null").split(","), content)


_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
