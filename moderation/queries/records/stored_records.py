"""Frozen records as scores store them: without what the revision holds anyway, and without defaults.

So a text and a journey are stored once, and what erases them there erases them here.
"""

import json
from contextlib import suppress
from typing import Any

from moderation.models import Score
from scoring.records import InvalidRecord, PostRecord, plain

WHOLE = """CASE WHEN s.record ? 'version' THEN jsonb_build_object(
  'platform', f.slug, 'external_id', p.external_id, 'posted_at', p.posted_at, 'revision', r.number,
  'at', s.scored_at, 'text', r.text, 'language', r.language, 'author', r.author_snapshot,
  'ip', host(r.ip), 'ip_asn', r.ip_asn, 'journey',
  (SELECT coalesce(jsonb_agg(jsonb_build_object('name', step -> 0, 'at_ms', step -> 1) ORDER BY number), '[]')
   FROM jsonb_array_elements(r.journey::jsonb) WITH ORDINALITY AS j(step, number))
) || s.record ELSE s.record END"""
"""What `whole` returns, of a score s, its revision r, the post p and its platform f."""
RELATED = "revision__post__platform"
"""What a score is loaded with, so that its record can be read."""

_OF_REVISION = {
    *("platform", "external_id", "revision", "at", "posted_at"),
    *("text", "language", "author", "ip", "ip_asn", "journey"),
}


def kept(record: PostRecord) -> dict[str, Any]:
    """Return the JSON of what a score keeps of its record."""
    values: Any = plain(record, is_lean=True)
    return {name: values[name] for name in values.keys() - _OF_REVISION} | {"version": record.version}


def whole(score: Score) -> dict[str, Any]:
    """Return the JSON of a score's record, of an erased one what is left. The score comes with RELATED."""
    if "version" not in score.record:
        return dict(score.record)
    revision, post = score.revision, score.revision.post
    return {
        "platform": post.platform.slug,
        "external_id": post.external_id,
        "revision": revision.number,
        "at": score.scored_at.isoformat(),
        "posted_at": post.posted_at.isoformat(),
        "text": revision.text,
        "language": revision.language,
        "author": revision.author_snapshot,
        "ip": revision.ip,
        "ip_asn": revision.ip_asn,
        "journey": [{"name": name, "at_ms": at_ms} for name, at_ms in json.loads(revision.journey)],
        **score.record,
    }


def read(score: Score) -> PostRecord:
    """Return the record of a score that was loaded with RELATED. Raises InvalidRecord."""
    return PostRecord.from_json(whole(score))


def readable(score: Score) -> PostRecord | None:
    """Return the same, None if it was erased or is of another version."""
    with suppress(InvalidRecord):
        return read(score)
    return None
