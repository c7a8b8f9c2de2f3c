"""The last layer for spam: logistic regression on the network's features of labelled pictures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.utils.class_weight import compute_sample_weight

from scoring.ensemble import probabilities_of
from scoring.splits import Split, split_of
from training import evaluate, platt
from training.evaluate import Floats, Quality
from training.image import backbone as backbones
from training.image.labelled_pictures import Labelled, normalised

if TYPE_CHECKING:
    from training.image.backbone import Backbone

LABELS = ("not spam", "spam")
LEAST = 8
"""Least pictures of each class in the train part; the other parts need one of each."""
_PENALTIES = (1e-3, 1e-2, 1e-1, 1.0)
_BATCH = 16


class TooFew(ValueError):
    """There are not enough pictures of both classes; the message counts them."""


@dataclass(frozen=True, kw_only=True)
class Fitted:
    """A network with two classes, its quality on the test part, pictures by part, and the penalty chosen."""

    backbone: Backbone
    quality: list[Quality]
    parts: dict[str, int]
    penalty: float


def fit(backbone: Backbone, labelled: Labelled, *, seed: int = 0) -> Fitted:
    """Fit a head to the train part, choose its penalty and calibrate it on the validation part.

    The network itself stays as it is. Raises TooFew.
    """
    labels = np.array([example.label for example in labelled.examples], dtype=np.float64)
    splits = np.array([split_of(example.group) for example in labelled.examples])
    for split in Split:
        _require(labels[splits == split], split=split)
    vectors = _features(backbone, labelled)
    train, validation, test = (splits == split for split in Split)
    mean, deviation = vectors[train].mean(axis=0), vectors[train].std(axis=0) + 1e-6
    scaled = (vectors - mean) / deviation

    models = {
        penalty: LogisticRegression(C=penalty, class_weight="balanced", max_iter=1000).fit(
            scaled[train], labels[train]
        )
        for penalty in _PENALTIES
    }
    of_penalty = {name: model.predict_proba(scaled[validation])[:, 1] for name, model in models.items()}
    weights = compute_sample_weight("balanced", labels[validation])
    penalty = min(
        of_penalty, key=lambda name: log_loss(labels[validation], of_penalty[name], sample_weight=weights)
    )
    best, probabilities = models[penalty], of_penalty[penalty]
    slope, intercept = platt.fit(labels[validation], probabilities, sources=["all"] * int(validation.sum()))

    # One matrix: scaling, regression and calibration, folded into the last layer.
    last_weights = slope * best.coef_[0] / deviation
    bias = float(slope * (best.intercept_[0] - (best.coef_[0] * mean / deviation).sum()) + intercept)
    examples = [example for example, is_test in zip(labelled.examples, test, strict=True) if is_test]
    answers = probabilities_of(vectors[test] @ last_weights + bias)
    return Fitted(
        backbone=replace(backbone, model=_with_head(backbone.model, last_weights, bias), labels=LABELS),
        quality=evaluate.by_source(examples, probabilities=answers, seed=seed),
        parts={split.value: int((splits == split).sum()) for split in Split},
        penalty=penalty,
    )


def _require(labels: Floats, *, split: Split) -> None:
    least = LEAST if split is Split.TRAIN else 1
    spam = int(labels.sum())
    if min(spam, len(labels) - spam) < least:
        raise TooFew(
            f"the {split} part has {spam} spam and {len(labels) - spam} other pictures,"
            f" it takes {least} of each"
        )


def _features(backbone: Backbone, labelled: Labelled) -> Floats:
    import torch

    batches = []
    for start in range(0, len(labelled.examples), _BATCH):
        some = labelled.pixels[start : start + _BATCH]
        pixels = normalised(some, preprocessing=backbone.preprocessing)
        batches.append(backbones.features(backbone, torch.from_numpy(pixels)).numpy())
    return np.asarray(np.concatenate(batches), dtype=np.float64)


def _with_head(model: Any, weights: Floats, bias: float) -> Any:
    """Return a copy of the network whose softmax over two classes is sigmoid(weights * features + bias)."""
    import copy

    import torch

    from training.image import resnet50

    copied = copy.deepcopy(model)
    last = torch.nn.Linear(resnet50.FEATURES, len(LABELS))
    with torch.no_grad():
        last.weight.copy_(torch.from_numpy(np.stack([np.zeros_like(weights), weights])))
        last.bias.copy_(torch.tensor([0.0, bias]))
    copied.fc = last
    return copied.eval()
