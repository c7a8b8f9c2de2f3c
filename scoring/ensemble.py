"""The tree models: three sub-models over features, and the main tree over their margins and the content
margin.

Nothing here is fitted (training/) or explained (explain.py). Margins are log-odds; the calibration that turns
the main margin into the spam probability comes from the release.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from scoring import trees
from scoring.release import Calibration, Corrupt, loading_json
from scoring.trees import Floats, Forest

ENSEMBLE_FILE = "ensemble.json"
SUB_MODELS = ("ip_url", "behaviour", "feedback")
MAIN_INPUTS = (*SUB_MODELS, "content")
_FORMAT = 1
# Content probabilities are cut here so that a saturated model still has a finite margin (about ±13.8).
_CONTENT_EDGE = 1e-6


@dataclass(frozen=True)
class Ensemble:
    """Sub-models and main tree; `features` names the columns of the feature rows they were trained on.

    The main margin is a line through the content margin plus a forest over all four. The line keeps the order
    of posts about which nothing but the text is known; a forest alone would lump them into a few steps.
    """

    features: tuple[str, ...]
    sub_models: Mapping[str, Forest]
    main: Forest
    content_slope: float
    content_centre: float

    def __post_init__(self) -> None:
        if self.main.inputs != MAIN_INPUTS or tuple(self.sub_models) != SUB_MODELS:
            raise ValueError(f"the main tree must read {MAIN_INPUTS}")
        for name in SUB_MODELS:
            self.columns(name)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read ensemble.json. Raises Corrupt if it is missing or not models that can be evaluated."""
        with loading_json(folder / ENSEMBLE_FILE, form=_FORMAT) as stored:
            return cls(
                features=tuple(stored["features"]),
                sub_models={name: trees.from_json(stored["sub_models"][name]) for name in SUB_MODELS},
                main=trees.from_json(stored["main"]),
                content_slope=float(stored["content_slope"]),
                content_centre=float(stored["content_centre"]),
            )

    def save(self, folder: Path) -> Path:
        """Write ensemble.json into an existing folder and return its path; the same models give the same
        bytes.
        """
        stored = {
            "format": _FORMAT,
            "features": list(self.features),
            "content_slope": self.content_slope,
            "content_centre": self.content_centre,
            "sub_models": {name: trees.to_json(forest) for name, forest in self.sub_models.items()},
            "main": trees.to_json(self.main),
        }
        path = folder / ENSEMBLE_FILE
        path.write_text(json.dumps(stored, separators=(",", ":"), allow_nan=False) + "\n", encoding="utf-8")
        return path

    def columns(self, sub_model: str) -> NDArray[np.intp]:
        """Return the feature columns that a sub-model reads. Raises ValueError for an unknown feature."""
        return _places(self.sub_models[sub_model].inputs, self.features)

    def main_inputs(self, features: Floats, *, content_probabilities: Floats) -> Floats:
        """Return the main tree's inputs, float64 (n, 4): three sub-model margins, then the content margin.

        `features` has shape (n, n_features), `content_probabilities` shape (n,); NaN where unknown.
        """
        columns = [self.sub_model_margins(name, features) for name in SUB_MODELS]
        return np.column_stack([*columns, content_margins(content_probabilities)])

    def sub_model_margins(self, name: str, features: Floats) -> Floats:
        """Evaluate a sub-model on feature rows (n, n_features); silent (NaN) where its whole family is
        unknown.
        """
        family = features[:, self.columns(name)]
        return np.where(np.isnan(family).all(axis=1), np.nan, self.sub_models[name].margins(family))

    def main_margins(self, main_inputs: Floats) -> Floats:
        """Return the main margin of each row of `main_inputs`, float64 (n,)."""
        return self.main.margins(main_inputs) + self.content_line(main_inputs[:, -1])

    def content_line(self, margins: Floats) -> Floats:
        """Return the straight part of the main margin, 0 where the content margin is unknown."""
        return self.content_slope * np.where(np.isnan(margins), 0.0, margins - self.content_centre)


def content_margins(probabilities: Floats) -> Floats:
    """Return the log-odds of content probabilities, cut at 1e-6 from 0 and 1; NaN stays NaN."""
    inside = np.clip(probabilities, _CONTENT_EDGE, 1.0 - _CONTENT_EDGE)
    margins: Floats = np.log(inside) - np.log1p(-inside)
    return margins


def calibrated(margins: Floats, *, calibration: Calibration) -> Floats:
    """Map main margins to spam probabilities in [0, 1] by the release's curve, which never falls."""
    if calibration.method == "platt":
        return probabilities_of(calibration.slope * margins + calibration.intercept)
    if calibration.method == "isotonic":
        return np.interp(margins, calibration.margins, calibration.probabilities)
    raise Corrupt(f"calibration method {calibration.method!r} is unknown")


def probabilities_of(margins: Floats) -> Floats:
    """Return the logistic function of log-odds; NaN stays NaN."""
    probabilities: Floats = 0.5 * (1.0 + np.tanh(0.5 * margins))
    return probabilities


@functools.lru_cache(maxsize=64)
def _places(names: tuple[str, ...], features: tuple[str, ...]) -> NDArray[np.intp]:
    return np.array([features.index(name) for name in names], dtype=np.intp)
