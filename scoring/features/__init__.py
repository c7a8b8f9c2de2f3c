"""The schema: every feature in order, the sub-model that reads it, and the vector of a record.

A file holds the features of one topic; a new file joins the tuple below and the line of its sub-model. A name
begins with its subject (context, social, journey, feedback), which more than one file may have.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from scoring.features import address, context, feedback, journey, similar_posts, social
from scoring.features.feature import Feature
from scoring.features.models import NO_MODELS, Models
from scoring.records import PostRecord

__all__ = [
    "FEATURES",
    "NAMES",
    "NO_MODELS",
    "SCHEMA_HASH",
    "SUB_MODEL_FEATURES",
    "Feature",
    "Models",
    "extract",
    "schema_hash",
]

FEATURES: tuple[Feature, ...] = (
    *address.FEATURES,
    *context.FEATURES,
    *social.FEATURES,
    *similar_posts.FEATURES,
    *journey.FEATURES,
    *feedback.FEATURES,
)
NAMES: tuple[str, ...] = tuple(feature.name for feature in FEATURES)

# Sub-model -> the features that it reads.
SUB_MODEL_FEATURES: dict[str, tuple[str, ...]] = {
    "ip_url": tuple(feature.name for feature in (*address.FEATURES, *context.FEATURES)),
    "behaviour": tuple(
        feature.name for feature in (*social.FEATURES, *similar_posts.FEATURES, *journey.FEATURES)
    ),
    "feedback": tuple(feature.name for feature in feedback.FEATURES),
}


def schema_hash(features: tuple[Feature, ...]) -> str:
    """Return the SHA-256 (64 hex digits) over names, units and versions in order; meanings may be reworded
    freely.
    """
    lines = (f"{feature.name}\t{feature.unit}\t{feature.version}" for feature in features)
    return hashlib.sha256("\n".join(lines).encode("utf-8")).hexdigest()


SCHEMA_HASH = schema_hash(FEATURES)


def extract(record: PostRecord, *, models: Models) -> NDArray[np.float64]:
    """Compute every feature of a record: float64 array (n_features,), NaN unknown, never infinite.

    `models` are those of the release; without them (NO_MODELS) the features that ask them are unknown.
    """
    return np.array([feature.value(record, models=models) for feature in FEATURES], dtype=np.float64)
