"""One feature of a record, by name."""

from __future__ import annotations

from scoring.features import FEATURES, NO_MODELS, Models, extract
from scoring.records import PostRecord

_PLACES = {feature.name: place for place, feature in enumerate(FEATURES)}


def value_of(name: str, record: PostRecord, *, models: Models = NO_MODELS) -> float:
    """Return the named feature as the vector holds it; NaN for unknown."""
    return float(extract(record, models=models)[_PLACES[name]])
