"""The last layer for spam: logistic regression on the network's features of labelled pictures."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from scoring.splits import Split, split_of
from training import labelled_lines
from training.image.backbone import FOR_SPAM, Backbone, pixels
from training.labelled_lines import Malformed

log = logging.getLogger(__name__)

_PENALTY = 0.1


class TooFew(ValueError):
    """One of the parts lacks pictures of a class."""


def fit(backbone: Backbone, folder: Path) -> tuple[Backbone, dict[str, Any]]:
    """Replace the last layer by one fitted to four fifths of the pictures; return what it is worth, too.

    A line of manifest.jsonl has `file`, `label` (1 spam or unsafe, 0 neither) and may have `group`, whose
    pictures stay together. A file that is no picture is left out. Raises Malformed, TooFew.
    """
    import torch

    rows = list(_rows(backbone, folder))
    features = np.array([vector for vector, _, _ in rows])
    labels, is_fitted = (np.array([row[place] for row in rows], dtype=bool) for place in (1, 2))
    for part, them in (("fitted", labels[is_fitted]), ("held out", labels[~is_fitted])):
        if them.all() or not them.any():
            raise TooFew(f"of {len(them)} pictures that are {part}, {them.sum()} are spam: it takes both")
    regression = LogisticRegression(C=_PENALTY, class_weight="balanced", max_iter=1000)
    regression.fit(features[is_fitted], labels[is_fitted])
    margins = regression.decision_function(features[~is_fitted])

    last = torch.nn.Linear(features.shape[1], len(FOR_SPAM))
    with torch.no_grad():  # softmax over the two is the regression's own probability
        last.weight.copy_(torch.from_numpy(regression.coef_ * [[0.0], [1.0]]))
        last.bias.copy_(torch.from_numpy(regression.intercept_ * [0.0, 1.0]))
    backbone.model.classifier[-1] = last
    return replace(backbone, labels=FOR_SPAM), {
        "pictures": len(rows),
        "held_out": len(margins),
        "roc_auc": float(roc_auc_score(labels[~is_fitted], margins)),
        "accuracy": float(((margins > 0) == labels[~is_fitted]).mean()),
    }


def _rows(backbone: Backbone, folder: Path) -> Iterator[tuple[Any, int, bool]]:
    """Yield the features of each picture, its label, and whether it is fitted."""
    import torch

    for line in labelled_lines.lines(folder / "manifest.jsonl"):
        file, label = (line.stored.get(name) for name in ("file", "label"))
        if not isinstance(file, str) or label not in (0, 1):
            raise Malformed(f"{line.where}: `file` must be a name, `label` 0 or 1")
        try:
            square = pixels((folder / file).read_bytes(), preprocessing=backbone.preprocessing)
        except (OSError, ValueError) as wrong:
            log.warning("left out: %s: %s", file, wrong)
            continue
        with torch.inference_mode():
            pooled = backbone.model.resnet(torch.from_numpy(square[None])).pooler_output
        yield pooled.flatten().numpy(), label, split_of(str(line.stored.get("group") or file)) is Split.TRAIN
