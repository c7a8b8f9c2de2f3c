"""Labels as lines of an export file. PostgreSQL streams them, and stored JSON is copied without parsing.

Parsing and serialising every record in Python would take most of the time of an export.
"""

import dataclasses
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, LiteralString

from django.db import connection

from moderation.queries import keyset
from moderation.queries.keyset import Key, Page
from moderation.queries.labels import label_json
from moderation.queries.labels.label_json import LabelValues
from moderation.queries.labels.labels import LabelFilter, standing
from moderation.queries.records.stored_records import WHOLE
from scoring.explain import CONTENT_TEXT
from scoring.features import NAMES, SCHEMA_HASH

_MASKED = """jsonb_set(
  jsonb_set(w.record, '{ip}',
    CASE WHEN w.record ->> 'ip' IS NULL THEN 'null' ELSE '"0.0.0.0"' END::jsonb, false),
  '{author,email_domain}',
  CASE WHEN w.record #>> '{author,email_domain}' IS NULL THEN 'null' ELSE '"hidden.invalid"' END::jsonb,
  false)"""
"""A record without its sender. That an address and an e-mail domain were sent stays known: features
distinguish it. Members that the record lacks, as an erased one does, are not added.
"""

_COLUMNS = (
    ("name", "f.slug || '/' || p.external_id || '/' || r.number", "text"),
    ("text", "r.text", "text"),
    ("language", "r.language", "text"),
    ("is_spam", "l.is_spam", "bool"),
    ("group", "l.similarity_group", "text"),
    ("schema_hash", "s.schema_hash", "text"),
    ("decided_by", "u.username", "text"),
    ("decided_at", "d.decided_at", "timestamptz"),
    ("reason", "d.reason", "text"),
    ("release", "s.release_id", "text"),
    ("spam_probability", "s.spam_probability", "float8"),
    ("is_degraded", "s.is_degraded", "bool"),
    ("is_random", "s.is_audit_sample OR s.is_review_sample OR c.draw_id IS NOT NULL", "bool"),
    (
        "audit_probability",
        """coalesce(CASE WHEN c.draw_id IS NOT NULL THEN c.audit_probability END, s.review_probability,
           c.audit_probability, s.audit_probability)""",
        "float8",
    ),
    ("decision_id", "d.id", "int8"),
    (
        "sample",
        """CASE WHEN c.draw_id IS NOT NULL THEN 'draw' WHEN s.is_audit_sample THEN 'audit'
           WHEN s.is_review_sample THEN 'review'
           WHEN EXISTS (SELECT FROM moderation_shadowscore h WHERE h.case_id = c.id) THEN 'disagreement'
           ELSE '' END""",
        "text",
    ),
    ("lane", "coalesce(c.lane, '')", "text"),
    ("content_score", "translate(encode(s.content_score, 'base64'), E'\\n', '')", "text"),
    ("content_model", "s.content_model", "text"),
    ("subject", "p.subject", "text"),
    # JSON that stays as it is stored
    (
        "contributions",
        "CASE WHEN s.schema_hash = %(schema)s THEN '' ELSE s.contributions::text END",
        "text",
    ),
    ("features", "s.features::text", "text"),
    ("content", "coalesce(s.content_probability::text, 'null')", "text"),
    ("record", f"CASE WHEN %(has_addresses)s THEN w.record ELSE {_MASKED} END::text", "text"),
    # what is counted, and where the next statement goes on
    (
        "is_by_complaint",
        """coalesce(c.reason IN ('complaints', 'appealed', 'second'), false)
           OR EXISTS (SELECT FROM moderation_reversal v WHERE v.replacement_id = d.id)""",
        "bool",
    ),
    ("labelled_at", "l.labelled_at", "timestamptz"),
    ("label_id", "l.id", "int8"),
)
_EXPRESSIONS = ", ".join(expression for _, expression, _ in _COLUMNS)
_VALUES = tuple(field.name for field in dataclasses.fields(LabelValues))
_NAMES = tuple(name for name, _, _ in _COLUMNS)
_DECISION = _NAMES.index("decision_id")
_KINDS = tuple(kind for _, _, kind in _COLUMNS)
_STANDING = f"""
  SELECT {_EXPRESSIONS}
  FROM moderation_label l
  JOIN moderation_decision d ON d.id = l.decision_id
  JOIN moderation_score s ON s.id = d.score_id
  JOIN moderation_revision r ON r.id = d.revision_id
  JOIN moderation_post p ON p.id = l.post_id
  JOIN moderation_platform f ON f.id = p.platform_id
  CROSS JOIN LATERAL (SELECT {WHOLE} AS record) w
  LEFT JOIN moderation_user u ON u.id = d.decided_by_id
  LEFT JOIN moderation_case c ON c.id = d.case_id
  WHERE l.retracted_at IS NULL AND p.erased_at IS NULL
"""  # noqa: S608 - our own column names
"""Every valid label, in columns of these _KINDS; more conditions may follow."""
_LINES = f"""
COPY (
  {_STANDING}
    AND (l.labelled_at, l.id) > (%(since)s, %(after)s) AND l.labelled_at < %(until)s
    AND (%(platform)s::bigint IS NULL OR p.platform_id = %(platform)s)
    -- What can still be undone has no number, and nobody would be told that it was.
    AND EXISTS (SELECT FROM moderation_feedentry e WHERE e.decision_id = l.decision_id
                AND e.stream = 'labels' AND NOT e.is_retraction AND e.number IS NOT NULL)
  ORDER BY l.labelled_at, l.id LIMIT %(chunk)s
) TO STDOUT
"""
_LIVE: LiteralString = f"""
COPY ({_STANDING} AND d.id = ANY(%(decisions)s) ORDER BY l.labelled_at, l.id) TO STDOUT
"""
_FEATURES = ", ".join(f'"{name}": %s' for name in NAMES) + f', "{CONTENT_TEXT}": %s'
_CONTRIBUTION = re.compile(r'\[("[^"]*"), ([^,\]]+), [^,\]]+\]')
"""[name, value, contribution]: for other schemas only these hold the names."""
CHUNK = 5_000


@dataclass(frozen=True, slots=True)
class LabelLine:
    """One line, and the fields that the manifest counts."""

    line: bytes
    decision_id: int
    is_spam: bool
    split: str
    release: str
    decided_at: str
    language: str = ""
    is_random: bool = False
    is_by_complaint: bool = False
    is_presumed: bool = False
    is_retraction: bool = False


def lines(
    *,
    wanted: LabelFilter,
    has_weights: bool = True,
    has_addresses: bool = True,
    pause: Callable[[], None] | None = None,
) -> Iterator[LabelLine]:
    """Yield labels that can no longer be undone, oldest first; memory does not grow with their number.

    One statement for every few thousand, so that no snapshot grows old. Between statements the connection is
    free and `pause` is called; while a line is being processed the connection is busy.
    """
    values: dict[str, object] = {
        "since": wanted.since or datetime.min.replace(tzinfo=UTC),
        # No label has the id 0: one of the very instant `since` is beyond (since, 0).
        "after": 0,
        "until": wanted.until or datetime.max.replace(tzinfo=UTC),
        "platform": wanted.platform_id,
        "chunk": CHUNK,
        "schema": SCHEMA_HASH,
        "has_addresses": has_addresses,
    }
    while True:
        count = 0
        for count, row in enumerate(_rows(values), start=1):  # noqa: B007 - counted for after the loop
            label = line(row, has_weights=has_weights)
            if not wanted.splits or label.split in wanted.splits:
                yield label
            values["since"], values["after"] = row[-2:]
        if pause is not None:
            pause()
        if count < CHUNK:
            return


def page(*, wanted: LabelFilter, after: Key | None, limit: int) -> Page[dict[str, Any]]:
    """Return labels as JSON, the oldest first."""
    labels = standing(wanted=wanted).only("labelled_at", "decision_id")
    return keyset.page(labels, order=("labelled_at", "pk"), after=after, limit=limit).of(
        lambda rows: json_of(decision_ids=[row.decision_id for row in rows]).values()
    )


def json_of(*, decision_ids: Sequence[int]) -> dict[int, dict[str, Any]]:
    """Return the valid labels of these decisions, the oldest first, without those of erased posts."""
    found = live(decision_ids)
    return {pk: json.loads(label.line) for pk, label in found.items()}


def live(
    decision_ids: Sequence[int], *, has_weights: bool = True, has_addresses: bool = True
) -> dict[int, LabelLine]:
    """Return the lines of the valid labels of these decisions, the oldest first."""
    values = {"decisions": list(decision_ids), "schema": SCHEMA_HASH, "has_addresses": has_addresses}
    with connection.cursor() as cursor, cursor.copy(_LIVE, values) as copy:
        copy.set_types(_KINDS)
        return {row[_DECISION]: line(row, has_weights=has_weights) for row in copy.rows()}


def _rows(values: dict[str, object]) -> Iterator[tuple[Any, ...]]:
    statement: LiteralString = _LINES
    with connection.cursor() as cursor, cursor.copy(statement, dict(values)) as copy:
        copy.set_types(_KINDS)
        yield from copy.rows()


def line(row: tuple[Any, ...], *, has_weights: bool) -> LabelLine:
    """Return the line of a row of COLUMNS."""
    named = dict(zip(_NAMES, row, strict=True))
    values = LabelValues(**{name: named[name] for name in _VALUES})
    return LabelLine(
        line=label_json.line(
            values,
            features=_features(named["features"], named["contributions"], named["content"]),
            record=named["record"],
            has_weights=has_weights,
        ),
        decision_id=values.decision_id,
        is_spam=values.is_spam,
        split=values.split,
        release=values.release,
        decided_at=values.decided_at.isoformat(),
        language=values.language,
        is_random=values.is_random,
        is_by_complaint=named["is_by_complaint"] and not values.is_random,
        is_presumed=values.audit_probability >= 1.0 and not values.is_random,
    )


def _features(values: str, contributions: str, content: str) -> str:
    """Return the members of the object that holds the features by name, null where unknown."""
    if contributions:
        return _CONTRIBUTION.sub(r"\1: \2", contributions)[1:-1]
    if values == "{}":  # banned: no features were computed
        return ""
    # The text of an array of PostgreSQL, {1.5,NaN}: JSON has no NaN.
    return _FEATURES % (*values[1:-1].replace("NaN", "null").split(","), content)
