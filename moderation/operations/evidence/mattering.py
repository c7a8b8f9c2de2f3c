"""Whether evidence could change how posts are judged, and when those judged without it are judged again."""

import dataclasses
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F
from django.db.models.fields.json import KeyTransform

from moderation import prepared, scorer
from moderation.models import Evidence, Revision, Score
from moderation.operations import rescore
from moderation.operations.evidence import leads
from moderation.queries.records import record_evidence
from moderation.queries.rules import rules_in_force
from scoring.evidence import CAPTIONS
from scoring.evidence_model import EVIDENCE_FILE

_READ = frozenset(
    {
        *("title", "article", "text", "transcript", "forms", "downloads", "codes"),
        *("asks_password", "posts_elsewhere", "offers_download"),
    }
)
"""Facts of evidence, in rows and in records, that a release can read."""

_JOBS = """
SELECT j.revision_id, j.state = 'pending' AND j.lease_until IS NOT NULL, EXISTS (
  SELECT FROM moderation_revisionevidence x JOIN moderation_evidence e ON e.id = x.evidence_id
  WHERE x.revision_id = j.revision_id AND e.state IN ('waiting', 'fetching')
) FROM moderation_scoringjob j WHERE j.revision_id = ANY(%(ids)s)
"""
_READS = """
SELECT r.manifest -> 'files' ? %(file)s FROM moderation_promotion p
JOIN moderation_release r ON r.id = p.release_id ORDER BY p.id DESC LIMIT 1
"""

PATIENCE = timedelta(seconds=15)
"""How long a post waits for its other pieces before it is scored again; the sweep looks every 5 s."""


def could_matter(row: Evidence) -> bool:
    """Return whether a fetched address could change how the posts with it are judged.

    It could if it leads to another domain, since rules about links hold for that, too, if a rule lists the
    picture, or if the live release reads what it found.
    """
    if any(leads.site(step["url"]) != row.site for step in row.chain):
        return True
    in_force = row.picture_matches.filter(rule__activated_at__isnull=False, rule__lifted_at__isnull=True)
    return (row.facts is not None and _says(row.facts, read=_read())) or in_force.exists()


def unseen(revision_ids: Sequence[int], *, at: datetime) -> set[int]:
    """Return the latest revisions whose score lacks evidence that is known by now.

    For instance where others posted an address before: it was read before these posts came.
    """
    latest = Revision.objects.filter(pk__in=revision_ids, number=F("post__latest_revision"))
    by_revision = record_evidence.collected(revisions=list(latest.only("pk")), at=at).pieces
    if not by_revision:
        return set()
    scores = Score.objects.filter(revision__in=by_revision, generation=F("revision__scoring__generation"))
    records = dict(scores.values_list("revision", KeyTransform("evidence", "record")))
    names = _read()
    unseen_ids = {
        pk
        for pk, pieces in by_revision.items()
        if pk in records
        and _telling(map(dataclasses.asdict, pieces), read=names) - _telling(records[pk] or (), read=names)
    }
    listed = rules_in_force.listed(records, at=at)
    return unseen_ids | {pk for pk, _, _, hash_ in listed if hash_ not in str(records[pk])}


def score_again(due: Collection[int], *, carrying: Collection[int] = (), at: datetime) -> list[int]:
    """Score revisions again once none of their pieces is open, or patience ends; return those that it takes.

    Of those `carrying` a piece that has ended, the ones that waited for it are scored, too.
    """
    rows = prepared.rows(_JOBS, ids=list({*due, *carrying}))
    waiting = {pk for pk, _, waits in rows if waits}
    held = {pk for pk, is_held, _ in rows if is_held}
    taken_ids = rescore.again(waiting.intersection(due), at=at, until=at + PATIENCE)
    return taken_ids + rescore.again(held.union(due) - waiting, at=at)


def _telling(pieces: Iterable[Mapping[str, Any]], *, read: Collection[str]) -> set[str]:
    """Return the pieces of a record that could matter, each as a string to compare."""
    collected = (piece for piece in pieces if piece["role"] != CAPTIONS)
    return {json.dumps(piece, sort_keys=True) for piece in collected if _tells(piece, read=read)}


def _tells(piece: Mapping[str, Any], *, read: Collection[str]) -> bool:
    facts = {"transcript": piece["transcript"], **(piece["picture"] or {}), **(piece["page"] or {})}
    return bool(piece["leads_elsewhere"] or piece["hops"] or _says(facts, read=read))


def _says(facts: Mapping[str, Any], *, read: Collection[str]) -> bool:
    return any(facts.get(name) for name in read)


def _read() -> Collection[str]:
    """Return which facts the live release reads. Its models are not loaded for that."""
    reads = [has_file for (has_file,) in prepared.rows(_READS, file=EVIDENCE_FILE)]
    return _READ if any(reads or [EVIDENCE_FILE in scorer.shipped().files]) else frozenset()
