"""Trained models that features use: small, part of the release, loaded once."""

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
    """The URL and journey models of a release; a feature whose model is missing is unknown."""

    urls: UrlModel | None = None
    journeys: JourneyModel | None = None

    @classmethod
    def load(cls, folder: Path, *, files: Collection[str]) -> Self:
        """Load the feature models among a release's files. Raises Corrupt if one is damaged."""
        return cls(
            urls=UrlModel.load(folder) if URLS_FILE in files else None,
            journeys=JourneyModel.load(folder) if JOURNEYS_FILE in files else None,
        )


NO_MODELS = Models()
