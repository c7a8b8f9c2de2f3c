"""Mixing decisions and simulated records in a fit: the simulated ones are a prior."""

import dataclasses
from collections import Counter
from collections.abc import Sequence
from typing import Any

from training.labelled_lines import MOST_TRAINING_WEIGHT, Origin
from training.labelled_records import LabelledRecord

PRIOR_WEIGHT = 500.0
"""All simulated records together count as this many decisions."""


def mixed(labelled: Sequence[LabelledRecord]) -> list[LabelledRecord]:
    """Return the records with the weights that they have in a fit.

    A decision counts by its weight, up to MOST_TRAINING_WEIGHT, and decisions count 1 on average. All
    simulated records together count PRIOR_WEIGHT. The scale is that of the simulated records, if there are
    any, so that regularisation means the same with and without decisions.
    """
    capped = [min(post.weight, MOST_TRAINING_WEIGHT) for post in labelled]
    decided_weights = [weight for post, weight in zip(labelled, capped, strict=True) if _is_decided(post)]
    if not decided_weights:
        return list(labelled)
    simulated = sum(post.weight for post in labelled if not _is_decided(post))
    scale = (simulated / PRIOR_WEIGHT if simulated else 1.0) * len(decided_weights) / sum(decided_weights)
    return [
        dataclasses.replace(post, weight=scale * weight) if _is_decided(post) else post
        for post, weight in zip(labelled, capped, strict=True)
    ]


def fitted_on(labelled: Sequence[LabelledRecord]) -> dict[str, Any]:
    """Count the posts of a fit, for its manifest: simulated ones, and decided ones by platform."""
    decisions = [post for post in labelled if _is_decided(post)]
    return {
        "simulated": len(labelled) - len(decisions),
        "prior_weight": PRIOR_WEIGHT,
        "decided": {
            platform: {
                "posts": count,
                "spam": sum(post.is_spam for post in decisions if post.platform == platform),
                "random": sum(post.is_random for post in decisions if post.platform == platform),
            }
            for platform, count in sorted(Counter(post.platform for post in decisions).items())
        },
    }


def _is_decided(one: LabelledRecord) -> bool:
    return one.origin is Origin.DECIDED
