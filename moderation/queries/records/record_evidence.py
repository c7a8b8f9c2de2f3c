"""What had been collected about revisions strictly before an instant, and where their links led."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any

from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Left

from moderation.models import Revision, RevisionEvidence
from moderation.models.evidence import EvidenceRole
from moderation.queries.records.record_links import Hops, passed
from scoring.evidence import (
    CAPTIONS,
    MOST_CHARACTERS,
    MOST_CODES,
    MOST_PIECES,
    MOST_TITLE,
    EvidencePiece,
    PageRead,
    PictureRead,
)

_FACTS = "evidence__facts"
_CHAIN = ("revision_id", "role", "is_changed", "evidence__url", "evidence__url_digest", "evidence__chain")
_ENDED = ("evidence__state", "evidence__site", "evidence__final_host", "evidence__final_domain")
# Read apart in the database: the whole of the facts is up to a hundred times as long.
_TEXTS = {
    name: Left(KeyTextTransform(name, _FACTS), most)
    for name, most in (("title", MOST_TITLE), ("article", MOST_CHARACTERS), ("text", MOST_CHARACTERS))
}
_WORDS = {name: KeyTextTransform(name, _FACTS) for name in ("format", "pdq", "text_engine", "source")}
_PARTS = {
    f"{name}_": KeyTransform(name, _FACTS)
    for name in (
        *("forms", "downloads", "codes", "pdq_quality"),
        *("differs_for_browser", "differs_from_preview"),
    )
}


@dataclass(frozen=True, slots=True)
class Collected:
    """By revision what was collected, and the hops of its links."""

    pieces: Mapping[int, tuple[EvidencePiece, ...]] = field(default_factory=dict)
    hops: Hops = field(default_factory=dict)


def collected(*, revisions: Sequence[Revision], at: datetime) -> Collected:
    """Return what was fetched for these revisions before `at`, in one query; none if there are none."""
    if not revisions:
        return Collected()
    rows = (
        RevisionEvidence.objects.filter(revision__in=revisions, evidence__fetched_at__lt=at)
        .order_by("revision_id", "position", "evidence__fetched_at", "id")
        .values(*_CHAIN, *_ENDED, **_TEXTS, **_WORDS, **_PARTS)
    )
    pieces: dict[int, list[EvidencePiece]] = defaultdict(list)
    hops: Hops = {}
    for row in _last(rows.iterator()):
        of_revision = pieces[row["revision_id"]]
        if len(of_revision) < MOST_PIECES:
            of_revision.append(_piece(row))
        others = passed(row["evidence__chain"])
        if row["role"] in (EvidenceRole.LINK, EvidenceRole.BROWSER) and others:
            link = row["revision_id"], _link_digest(row)
            hops[link] = tuple(dict.fromkeys((*hops.get(link, ()), *others)))
    return Collected({pk: tuple(items) for pk, items in pieces.items()}, hops)


def _last(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return each address's last fetch, and earlier ones that showed another page.

    A browser's fetch is left out where it shows the same page.
    """
    last: dict[tuple[int, str], int] = {}
    entries: list[dict[str, Any] | None] = []
    for row in rows:
        if row["role"] == EvidenceRole.BROWSER and row["differs_for_browser_"] is False:
            continue
        name = (row["revision_id"], row["evidence__url_digest"])
        if name in last and not row["is_changed"]:
            entries[last[name]] = None
        last[name] = len(entries)
        entries.append(row)
    return [row for row in entries if row is not None]


def _link_digest(row: Mapping[str, Any]) -> str:
    """Return the digest of the link itself; what is opened as a browser has another one."""
    if row["role"] == EvidenceRole.BROWSER:
        return sha256(row["evidence__url"].encode()).hexdigest()
    return str(row["evidence__url_digest"])


def captions(revision: Revision) -> tuple[EvidencePiece, ...]:
    """Return the captions that the platform sent with a revision; they need not be fetched."""
    texts = (" ".join(words for _, _, words in transcript["cues"]) for transcript in revision.transcripts)
    return tuple(EvidencePiece(role=CAPTIONS, transcript=words[:MOST_CHARACTERS]) for words in texts if words)


def _piece(row: Mapping[str, Any]) -> EvidencePiece:
    end = row["evidence__final_domain"] or row["evidence__final_host"]
    is_picture = row["format"] is not None
    # A page that was read has a text, if an empty one; of a file that was offered instead only that is known.
    is_speech = row["source"] is not None
    is_page = not (is_picture or is_speech) and (row["text"] is not None or row["downloads_"] is not None)
    return EvidencePiece(
        role=row["role"],
        state=row["evidence__state"],
        hops=max(0, len(row["evidence__chain"]) - 1),
        host=row["evidence__final_host"],
        domain=row["evidence__final_domain"],
        leads_elsewhere=end != row["evidence__site"] if end else None,
        page=_page(row) if is_page else None,
        picture=_picture(row) if is_picture else None,
        transcript=row["text"] if is_speech else None,
    )


def _page(row: Mapping[str, Any]) -> PageRead:
    forms = row["forms_"] or ()
    return PageRead(
        title=row["title"] or "",
        article=row["article"] or "",
        text=row["text"] or "",
        asks_password=any(form.get("asks_password", False) for form in forms),
        posts_elsewhere=any(form.get("posts_elsewhere", False) for form in forms),
        sends_password_elsewhere=any(
            form.get("asks_password", False) and form.get("posts_elsewhere", False) for form in forms
        ),
        offers_download=bool(row["downloads_"]),
        differs_for_browser=row["differs_for_browser_"],
        differs_from_preview=row["differs_from_preview_"],
    )


def _picture(row: Mapping[str, Any]) -> PictureRead:
    codes = [str(code.get("text", ""))[:MOST_TITLE] for code in row["codes_"] or ()]
    return PictureRead(
        # Without an engine the text is unknown, which is not the same as none.
        text=row["text"] or "" if row["text_engine"] else None,
        codes=tuple(codes[:MOST_CODES]),
        pdq=row["pdq"] or "",
        pdq_quality=row["pdq_quality_"] or 0,
    )
