"""Composition root: one Scorer per process, from the settings and the release on disk."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings

from scoring.content import ContentModel
from scoring.pipeline import Scorer
from scoring.release import MANIFEST, Release


@lru_cache(maxsize=1)
def release() -> Release:
    """Return the live release. Raises release.Corrupt: a worker must not start on a broken one."""
    return Release.load(Path(settings.RELEASE_DIR))


@lru_cache(maxsize=1)
def manifest() -> dict[str, Any]:
    """Return the live release's manifest as it stands on disk, checked by `release`."""
    stored: dict[str, Any] = json.loads((release().folder / MANIFEST).read_text())
    return stored


@lru_cache(maxsize=1)
def content() -> ContentModel:
    """Return this process's client of the content model; it connects at its first call, after any fork."""
    return ContentModel(
        url=settings.TRITON_URL,
        version=release().content.version,
        timeout_seconds=settings.TRITON_TIMEOUT_SECONDS,
    )


@lru_cache(maxsize=1)
def get() -> Scorer:
    """Return the process's scorer."""
    return Scorer(release=release(), content=content())
