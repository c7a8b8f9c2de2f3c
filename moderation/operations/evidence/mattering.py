"""Whether evidence could change how posts are judged, and which posts were judged without it."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import F
from django.db.models.fields.json import KeyTransform

from moderation import scorer
from moderation.models import Evidence, Promotion, Revision, Score
from moderation.operations.evidence import leads, picture_model
from moderation.queries.records import record_evidence
from scoring.evidence import CAPTIONS
from scoring.evidence_model import EVIDENCE_FILE

_WORDS = frozenset(
    {
        *("title", "article", "text", "transcript", "forms", "downloads", "codes"),
        *("asks_password", "posts_elsewhere", "offers_download"),
    }
)
_SHOWN = frozenset({picture_model.PROBABILITY, "spam_probability"})
"""Facts of evidence, in rows and in records, that a release can read, and those that only one with an image
model can.
"""


def could_matter(row: Evidence) -> bool:
    """Return whether a fetched address could change how the posts with it are judged.

    It could if it leads to another domain, since rules about links hold for that, too, or if the live release
    reads what it found.
    """
    leads_elsewhere = any(leads.site(step["url"]) != row.site for step in row.chain)
    return leads_elsewhere or (row.facts is not None and _says(row.facts, read=_read()))


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
    return {
        pk
        for pk, pieces in by_revision.items()
        if pk in records
        and _telling(map(dataclasses.asdict, pieces), read=names) - _telling(records[pk] or (), read=names)
    }


def _telling(pieces: Iterable[Mapping[str, Any]], *, read: Collection[str]) -> set[str]:
    """Return the pieces of a record that could matter, each as a string to compare."""
    collected = (piece for piece in pieces if piece["role"] != CAPTIONS)
    return {
        json.dumps(_plain(piece, read=read), sort_keys=True)
        for piece in collected
        if _tells(piece, read=read)
    }


def _tells(piece: Mapping[str, Any], *, read: Collection[str]) -> bool:
    facts = {"transcript": piece["transcript"], **(piece["picture"] or {}), **(piece["page"] or {})}
    return bool(piece["leads_elsewhere"] or piece["hops"] or _says(facts, read=read))


def _plain(piece: Mapping[str, Any], *, read: Collection[str]) -> dict[str, Any]:
    # The image model may answer later: no news to a release that reads none.
    picture = piece["picture"] and {
        name: None if name in _SHOWN and name not in read else value
        for name, value in piece["picture"].items()
    }
    return {**piece, "picture": picture}


def _says(facts: Mapping[str, Any], *, read: Collection[str]) -> bool:
    return any(facts.get(name) for name in read)


def _read() -> Collection[str]:
    """Return which facts the live release reads. Its models are not loaded for that."""
    names = ("release__manifest__files", "release__manifest__image__model")
    files, image = Promotion.objects.order_by("-id").values_list(*names).first() or _shipped()
    if EVIDENCE_FILE not in files:
        return frozenset()
    return _WORDS if image is None else _WORDS | _SHOWN


def _shipped() -> tuple[Collection[str], str | None]:
    release = scorer.shipped()
    return release.files, release.image.model if release.image else None
