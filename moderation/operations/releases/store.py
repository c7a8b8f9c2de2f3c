"""Store releases: a row that scores refer to, and the files needed to score again."""

import json
import shutil
import tempfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import structlog
from django.conf import settings

from moderation import scorer
from moderation.models import Release
from scoring import release as releases
from scoring.pins import manifest_id
from scoring.release import MANIFEST

log = structlog.get_logger(__name__)


def release(used: releases.Release, *, at: datetime) -> Release:
    """Return the row of a release; the first use creates it and keeps the files. Idempotent."""
    row, is_new = Release.objects.get_or_create(
        pk=used.id, defaults={"manifest": used.manifest, "first_used_at": at}
    )
    if is_new:
        try:
            files(used)
        except OSError as failure:
            # Scoring continues; only a later replay would miss the files, and the manifest says which.
            log.warning("release_not_kept", release=used.id[:12], reason=failure.strerror)
    return row


def files(used: releases.Release, *, manifest: Mapping[str, Any] | None = None) -> Path:
    """Copy a release's manifest and files to the kept releases, atomically. Idempotent.

    With another `manifest` they make another release. Raises OSError if the folder cannot be written.
    """
    place = settings.RELEASES_DIR / (used.id if manifest is None else manifest_id(manifest))
    if place.is_dir():
        return place
    settings.RELEASES_DIR.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=settings.RELEASES_DIR, prefix=".") as staging:
        made = Path(staging) / place.name
        for name in (MANIFEST, *used.files):
            (made / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(used.folder / name, made / name)
        if manifest is not None:
            (made / MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")
        try:
            made.rename(place)
        except OSError:
            if not place.is_dir():  # another process was faster
                raise
    return place


def id_of(beginning: str) -> str:
    """Return the id of the one kept release, or the shipped one, that begins so. Raises scorer.NotKept."""
    found = {one for one in (*ids(), scorer.shipped().id) if one.startswith(beginning)}
    if len(found) != 1:
        raise scorer.NotKept(f"{len(found)} kept releases begin with {beginning!r}")
    return found.pop()


def ids() -> set[str]:
    """Return the ids of the releases whose files are kept."""
    return {place.name for place in settings.RELEASES_DIR.glob("*/") if not place.name.startswith(".")}
