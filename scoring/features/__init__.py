"""The schema: every feature in order, the sub-model that reads it, and the vector of a record.

A file holds the features of one topic and names its sub-model; a new file joins TOPICS. A feature's name
begins with its subject (context, social, journey, feedback), which more than one file may have. The features
of `collected` are in no vector: they come after a post's first score; scoring/evidence_model.py joins them.
"""

import hashlib

import numpy as np
from numpy.typing import NDArray

from scoring.features import address, collected, feedback, journey, link_looks, links, similar_posts, social
from scoring.features.feature import NO_MODELS, Evidence, Feature, Models
from scoring.records import PostRecord

__all__ = [
    "ALL_FEATURES",
    "FEATURES",
    "NAMES",
    "NO_MODELS",
    "SCHEMA_HASH",
    "SUB_MODEL_FEATURES",
    "TOPICS",
    "Evidence",
    "Feature",
    "Models",
    "extract",
    "names_of",
    "schema_hash",
]

# In the order of the sub-models; the columns of stored vectors are in this order, too.
TOPICS = (address, links, link_looks, social, similar_posts, journey, feedback)
FEATURES: tuple[Feature, ...] = tuple(feature for topic in TOPICS for feature in topic.FEATURES)
NAMES: tuple[str, ...] = tuple(feature.name for feature in FEATURES)

# Includes evidence, which a release may use without other trees.
ALL_FEATURES = (*FEATURES, *collected.FEATURES)

# Sub-model -> the features that it may read.
SUB_MODEL_FEATURES: dict[str, tuple[str, ...]] = {
    sub_model: tuple(
        feature.name for topic in TOPICS if sub_model == topic.SUB_MODEL for feature in topic.FEATURES
    )
    for sub_model in dict.fromkeys(topic.SUB_MODEL for topic in TOPICS)
}


def names_of(evidence: Evidence) -> tuple[str, ...]:
    """Return the names of the features with this level of proof."""
    return tuple(feature.name for feature in FEATURES if feature.evidence is evidence)


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
