"""Posts that carry pictures, as if these had been fetched: rows with facts, and files in the store."""

import io
from typing import Any

from django.db import transaction
from django.utils import timezone
from PIL import Image, ImageDraw

from moderation.models import Case, Evidence, RevisionEvidence
from moderation.models.evidence import EvidenceKind, EvidenceRole, EvidenceState
from moderation.operations.infrastructure import kept_files
from moderation.operations.similarity import listed_pictures, picture_groups


def webp(words: str = "Pay now", size: tuple[int, int] = (640, 360)) -> bytes:
    """Draw a thumbnail with some words on it."""
    picture = Image.new("RGB", size, "#fbe9d0")
    draw = ImageDraw.Draw(picture)
    draw.rectangle((20, 20, size[0] - 20, size[1] // 2), fill="#b3261e")
    draw.text((40, 40), words, fill="white", font_size=48)
    written = io.BytesIO()
    picture.save(written, format="WEBP")
    return written.getvalue()


def facts(**more: Any) -> dict[str, Any]:
    """Facts of a picture without words and codes, but for what is given."""
    plain = {"format": "PNG", "width": 900, "height": 300, "is_animated": False, "codes": [], "text": ""}
    return plain | {"text_engine": "rapidocr"} | more


def carry(case: Case, url: str, *, role: str = EvidenceRole.MEDIA, **fields: Any) -> Evidence:
    """Join what was fetched at an address to a case's post, as a picture if nothing else is given."""
    now, count = timezone.now(), Evidence.objects.count()
    row = {
        "kind": EvidenceKind.PICTURE,
        "state": EvidenceState.FETCHED,
        "site": "pictures.example",
        "hour": now,
        "enqueued_at": now,
        "since": now,
        "due_at": now,
        "fetched_at": now,
    }
    found = Evidence.objects.create(url=url, url_digest=f"digest {count}", **row | fields)
    RevisionEvidence.objects.create(revision=case.score.revision, evidence=found, role=role, position=count)
    return found


def carry_picture(case: Case, url: str = "http://pictures.example/a.png", **more: Any) -> Evidence:
    """Join a picture that was read and kept; `more` are its facts."""
    with transaction.atomic():
        kept: dict[str, Any] = {
            "picture_group": picture_groups.of(more, at=timezone.now()),
            "facts": facts(**more),
        }
        found = carry(case, url, thumbnail=kept_files.keep(webp()), **kept)
        listed_pictures.match(found)
    return found
