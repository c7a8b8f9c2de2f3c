"""The trained models that features ask: small, packed into the release, read once."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from scoring.journeys import JOURNEYS_FILE, JourneyModel
from scoring.urls import URLS_FILE, UrlModel

MODEL_FILES = (URLS_FILE, JOURNEYS_FILE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """What a release knows of URLs and journeys; a feature whose model is missing is unknown."""

    urls: UrlModel | None = None
    journeys: JourneyModel | None = None

    @classmethod
    def load(cls, folder: Path, *, files: Collection[str]) -> Self:
        """Read those of a release's files that are feature models. Raises Corrupt if one is damaged."""
        return cls(
            urls=UrlModel.load(folder) if URLS_FILE in files else None,
            journeys=JourneyModel.load(folder) if JOURNEYS_FILE in files else None,
        )


NO_MODELS = Models()
