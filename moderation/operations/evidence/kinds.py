"""What reads an answer: a page, a picture or a recording, as a browser would take it."""

from __future__ import annotations

from moderation.models.evidence import EvidenceKind
from moderation.operations.evidence.answers import SOUNDS, Answer

_PAGES = ("text/html", "application/xhtml+xml", "text/plain")
_PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8", b"BM")
_BOX, _BRANDS = slice(4, 12), (b"ftypavif", b"ftypavis")


def of(answer: Answer, *, expected: str) -> str | None:
    """Return what reads an answer, None if nothing does. Without a header its first bytes decide.

    Where a picture is expected they always do, as in a browser: stores send pictures as files of no kind, and
    so does who hides them.
    """
    content_type = answer.content_type.partition(";")[0].strip().lower()
    if (expected == EvidenceKind.PICTURE or not content_type) and _begins_as_picture(answer.body):
        return "picture"
    if answer.file_name:
        return None
    if content_type in _PAGES or (not content_type and answer.body.lstrip()[:1] == b"<"):
        return "page"
    if content_type.startswith("image/") and not content_type.startswith("image/svg"):
        return "picture"
    return "speech" if content_type.startswith(SOUNDS) else None


def _begins_as_picture(body: bytes) -> bool:
    is_webp = body[:4] == b"RIFF" and body[8:12] == b"WEBP"
    return is_webp or body[_BOX] in _BRANDS or body.startswith(_PICTURES)
