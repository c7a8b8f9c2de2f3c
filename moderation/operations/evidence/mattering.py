"""Whether posts are judged otherwise with some evidence than without it, and which were judged without."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import F
from django.db.models.fields.json import KeyTransform

from moderation import scorer
from moderation.models import Evidence, Promotion, Revision, Score
from moderation.queries.records import record_evidence
from scoring import links
from scoring.evidence import CAPTIONS
from scoring.evidence_model import EVIDENCE_FILE

_OFFERS = ("asks_password", "posts_elsewhere", "offers_download")


def could_matter(row: Evidence) -> bool:
    """Return whether posts that carry an address could be judged otherwise now that it was fetched.

    Rules about links hold for the domains that a link leads to, too: so what leads to another domain than its
    own could matter. What is said there could if the live release reads it.
    """
    return any(_site(step["url"]) != row.site for step in row.chain) or (_says_something(row) and _is_read())


def unseen(revision_ids: Sequence[int], *, at: datetime) -> set[int]:
    """Return the latest revisions whose score was made without something that is known by now.

    So it is where others posted an address before: their page was read before these posts came.
    """
    latest = Revision.objects.filter(pk__in=revision_ids, number=F("post__latest_revision"))
    known = record_evidence.collected(revisions=list(latest.only("pk")), at=at).pieces
    if not known:
        return set()
    scores = Score.objects.filter(revision__in=known, generation=F("revision__generation"))
    seen = dict(scores.values_list("revision", KeyTransform("evidence", "record")))
    is_read = _is_read()
    return {
        pk
        for pk, pieces in known.items()
        if pk in seen
        and _telling(map(dataclasses.asdict, pieces), is_read=is_read)
        - _telling(seen[pk] or (), is_read=is_read)
    }


def _telling(pieces: Iterable[Mapping[str, Any]], *, is_read: bool) -> set[str]:
    """Return the pieces of a record that could matter, each as one word to compare by."""
    collected = (one for one in pieces if one["role"] != CAPTIONS)
    return {json.dumps(_plain(one), sort_keys=True) for one in collected if _tells(one, is_read=is_read)}


def _tells(piece: Mapping[str, Any], *, is_read: bool) -> bool:
    facts = {"transcript": piece["transcript"], **(piece["picture"] or {}), **(piece["page"] or {})}
    says = any(facts.get(name) for name in ("title", "article", "text", "codes", "transcript", *_OFFERS))
    return bool(piece["leads_elsewhere"] or piece["hops"] or (is_read and says))


def _plain(piece: Mapping[str, Any]) -> dict[str, Any]:
    # The image model may answer later, and no feature reads what it says.
    picture = piece["picture"] and {**piece["picture"], "spam_probability": None}
    return {**piece, "picture": picture}


def _says_something(row: Evidence) -> bool:
    """Return whether a feature could be known of it: without words, forms, files and codes nothing speaks."""
    facts = row.facts or {}
    return any(facts.get(name) for name in ("title", "article", "text", "forms", "downloads", "codes"))


def _is_read() -> bool:
    """Return whether the live release looks at evidence. Its models are not loaded for that."""
    promoted = Promotion.objects.order_by("-id").values_list("release__manifest__files", flat=True).first()
    return EVIDENCE_FILE in (scorer.shipped().files if promoted is None else promoted)


def _site(url: str) -> str:
    found = links.links_in("", extra=[url])
    return (found[0].domain or found[0].host) if found else ""
