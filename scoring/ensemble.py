"""The tree models: three sub-models over features, and the main tree that adds their margins to content's.

Nothing here is fitted (training/) or explained (explain.py). Margins are log-odds; the calibration that turns
the main margin into the spam probability comes from the release. The bounds on how far evidence may excuse a
post are enforced here, whatever a release was trained on: docs/adr/0019-circumstances-do-not-excuse.md and
0034-links-have-a-share-of-their-own.md.
"""

import functools
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from scoring import trees
from scoring.release import Calibration, Corrupt, loading_json
from scoring.trees import Floats, Forest
from scoring.weak_evidence import ACCOUNT_AGE, EARNED, OF_LINKS, UNPROVEN

ENSEMBLE_FILE = "ensemble.json"
SUB_MODELS = ("ip_url", "behaviour", "feedback")
MAIN_INPUTS = (*SUB_MODELS, "content")
_FORMAT = 2
# Content probabilities are cut here so that a saturated model still has a finite margin (about ±13.8).
_CONTENT_EDGE = 1e-6
# Honest decisions that earn half of the excuse, and the next quarter; one of spam cancels five.
_HALFEARNED_BY = 3.0
_SPAM_UNDOES = 5.0
# Younger accounts, and those of unknown age, excuse nothing: their other traits cost a spammer nothing.
_GROWN_DAYS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How far evidence other than the text may move the main margin, in log-odds.

    `excuse` bounds what circumstances and missing evidence may take from a text that does not read as spam:
    account, past, copies, reactions, journey, no complaint. `earned` is what human decisions on honest posts
    may take away beyond it. `suspicion` bounds what circumstances alone may add to the evidence of decisions,
    complaints and links.
    """

    excuse: float
    earned: float
    suspicion: float

    def __post_init__(self) -> None:
        if not all(0.0 <= bound < np.inf for bound in (self.excuse, self.earned, self.suspicion)):
            raise ValueError(f"bounds must be numbers of at least 0: {self}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The trees' output for n posts, float64 (n,) each, in log-odds: margin = line + added + withheld.

    `main_inputs` (n, 4) are the sub-models' margins, NaN where one has no input, and content's. `line` is the
    margin without them, `added` their unbounded share, `withheld` what the bounds cut off: an excuse (> 0) or
    a suspicion (< 0).
    """

    main_inputs: Floats
    line: Floats
    added: Floats
    withheld: Floats

    @property
    def margins(self) -> Floats:
        """Return the bounded margins of the posts: log-odds before calibration, float64 (n,)."""
        return self.line + self.added + self.withheld


@dataclass(frozen=True)
class Ensemble:
    """Sub-models and main tree; `features` names the columns of the feature rows they were trained on.

    The main margin of a post is its content margin plus the main tree's output for the three sub-models minus
    its output for `reference`, the features of a post about which nothing is known. So a bare post has
    exactly its content margin. Without content, `base_rate` (log-odds) replaces it.
    """

    features: tuple[str, ...]
    sub_models: Mapping[str, Forest]
    main: Forest
    reference: Floats
    base_rate: float
    bounds: Bounds

    def __post_init__(self) -> None:
        if self.main.inputs != SUB_MODELS or tuple(self.sub_models) != SUB_MODELS:
            raise ValueError(f"the main tree must read {SUB_MODELS}")
        if self.reference.shape != (len(self.features),):
            raise ValueError("the reference must have a value for each feature")
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
                reference=np.array(
                    [np.nan if value is None else float(value) for value in stored["reference"]]
                ),
                base_rate=float(stored["base_rate"]),
                bounds=Bounds(**stored["bounds"]),
            )

    def save(self, folder: Path) -> Path:
        """Write ensemble.json into an existing folder and return its path; the same models give the same
        bytes.
        """
        stored = {
            "format": _FORMAT,
            "features": list(self.features),
            "reference": [None if np.isnan(value) else value for value in self.reference.tolist()],
            "base_rate": self.base_rate,
            "bounds": asdict(self.bounds),
            "sub_models": {name: trees.to_json(forest) for name, forest in self.sub_models.items()},
            "main": trees.to_json(self.main),
        }
        path = folder / ENSEMBLE_FILE
        path.write_text(json.dumps(stored, separators=(",", ":"), allow_nan=False) + "\n", encoding="utf-8")
        return path

    def columns(self, sub_model: str) -> NDArray[np.intp]:
        """Return the feature columns that a sub-model reads. Raises ValueError for an unknown feature."""
        return _places(self.sub_models[sub_model].inputs, self.features)

    @functools.cached_property
    def silent_margins(self) -> Floats:
        """Return the sub-models' margins for a post about which nothing is known, float64 (3,)."""
        row = self.reference[None, :]
        return np.concatenate([self.sub_models[key].margins(row[:, self.columns(key)]) for key in SUB_MODELS])

    @functools.cached_property
    def _silence(self) -> float:
        """The main tree's output for a post about which nothing is known."""
        return float(self.main.margins(self.silent_margins[None, :])[0])

    def judge(self, features: Floats, *, content_probabilities: Floats) -> Judgement:
        """Evaluate everything.

        `features` has shape (n, n_features), `content_probabilities` shape (n,); NaN where unknown.
        """
        margins = self._sub_model_margins(features)
        content = content_margins(content_probabilities)
        line = np.where(np.isnan(content), self.base_rate, content)
        added = self._added(margins)
        suspected = self._with_links(features, suspected=self._suspected(features, added=added))
        bounded = np.maximum(-self.excuse(features, line=line), suspected)
        return Judgement(
            main_inputs=np.column_stack([margins, content]),
            line=line,
            added=added,
            withheld=bounded - added,
        )

    def opinions(
        self, judgement: Judgement, *, content_probabilities: Floats
    ) -> list[dict[str, float | None]]:
        """Return each post's probabilities by sub-model and by content alone.

        None for a silent model, or one at its base rate, which is no opinion.
        """
        answers = probabilities_of(judgement.main_inputs)
        answers[:, -1] = content_probabilities
        for place in range(len(SUB_MODELS)):
            alone = np.full((len(answers), len(SUB_MODELS)), np.nan)
            alone[:, place] = judgement.main_inputs[:, place]
            answers[self._added(alone) == 0.0, place] = np.nan
        rows = [[None if math.isnan(opinion) else opinion for opinion in row] for row in answers.tolist()]
        return [dict(zip(MAIN_INPUTS, row, strict=True)) for row in rows]

    def sub_model_margins(self, name: str, features: Floats) -> Floats:
        """Evaluate a sub-model on feature rows (n, n_features).

        NaN where all features that it reads equal those of a post about which nothing is known.
        """
        columns = self.columns(name)
        values, nothing = features[:, columns], self.reference[columns]
        return np.where(_equal(values, nothing).all(axis=1), np.nan, self.sub_models[name].margins(values))

    def excuse(self, features: Floats, *, line: Floats) -> Floats:
        """Return how far posts whose margins without the sub-models are `line` (n,) may be excused, float64
        (n,) ≥ 0 in log-odds.

        More if people confirmed honest posts of the author or of near-duplicates, never less.
        """
        grown = features[:, self.features.index(ACCOUNT_AGE)] >= _GROWN_DAYS
        return np.where(grown, self.most_excused(line), 0.0) + self.bounds.earned * self._earned(features)

    def most_excused(self, line: Floats) -> Floats:
        """Return the most that circumstances take from margins (n,): the whole bound below even odds, nothing
        above the bound.
        """
        return np.clip(self.bounds.excuse - line, 0.0, self.bounds.excuse)

    def _sub_model_margins(self, features: Floats) -> Floats:
        return np.column_stack([self.sub_model_margins(name, features) for name in SUB_MODELS])

    def _added(self, margins: Floats) -> Floats:
        """Return the main tree's output for sub-models' margins (n, 3) minus its output for unknown ones."""
        inputs = np.where(np.isnan(margins), self.silent_margins, margins)
        return np.asarray(self.main.margins(inputs) - self._silence)

    def _suspected(self, features: Floats, *, added: Floats) -> Floats:
        """Return the added margin, where circumstances add at most `bounds.suspicion` to proven evidence."""
        bounded = added.copy()
        # The trees are evaluated again only where the bound can apply.
        if len(high := np.flatnonzero(added > self.bounds.suspicion)):
            proven = self._added(self._sub_model_margins(self._without(UNPROVEN, features[high])))
            bounded[high] = np.minimum(added[high], np.maximum(0.0, proven) + self.bounds.suspicion)
        return bounded

    def _with_links(self, features: Floats, *, suspected: Floats) -> Floats:
        """Return the added margin, never below the one without links: anybody may link to an honest site."""
        rest = self._without(OF_LINKS, features)
        bounded = suspected.copy()
        if len(linked := np.flatnonzero(~_equal(features, rest).all(axis=1))):
            alone = self._suspected(rest[linked], added=self._added(self._sub_model_margins(rest[linked])))
            bounded[linked] = np.maximum(suspected[linked], alone)
        return bounded

    def _without(self, names: tuple[str, ...], features: Floats) -> Floats:
        """Return the rows with some features unknown."""
        # A kept release does not know features that came after it.
        columns = _places(tuple(name for name in names if name in self.features), self.features)
        silent = features.copy()
        silent[:, columns] = self.reference[columns]
        return silent

    def _earned(self, features: Floats) -> Floats:
        """Return the best of the subjects' shares in [0, 1)."""
        shares = np.zeros(len(features))
        for counts in EARNED.values():
            if not set(counts) <= set(self.features):
                continue
            # Unknown counts earn nothing, and take nothing away.
            honest, spam = np.nan_to_num(features[:, _places(counts, self.features)]).T
            clear = np.maximum(0.0, honest - _SPAM_UNDOES * spam)
            shares = np.maximum(shares, 1.0 - np.exp2(-clear / _HALFEARNED_BY))
        return shares


def content_margins(probabilities: Floats) -> Floats:
    """Return the log-odds of content probabilities, cut at 1e-6 from 0 and 1; NaN stays NaN."""
    inside = np.clip(probabilities, _CONTENT_EDGE, 1.0 - _CONTENT_EDGE)
    # log1p(-p), since 1 - p has lost the digits of a small p before its logarithm is taken.
    margins: Floats = np.log(inside) - np.log1p(-inside)
    return margins


def calibrated(margins: Floats, *, calibration: Calibration) -> Floats:
    """Map main margins to spam probabilities in [0, 1] by the release's monotone curve."""
    if calibration.method == "platt":
        return probabilities_of(calibration.slope * margins + calibration.intercept)
    if calibration.method == "isotonic":
        # np.interp is flat outside the knots, so the result stays in [0, 1].
        return np.interp(margins, calibration.margins, calibration.probabilities)
    raise Corrupt(f"calibration method {calibration.method!r} is unknown")


def probabilities_of(margins: Floats) -> Floats:
    """Return the logistic function of log-odds; NaN stays NaN."""
    # By tanh: 1 / (1 + exp(-x)) overflows for large negative margins.
    probabilities: Floats = 0.5 * (1.0 + np.tanh(0.5 * margins))
    return probabilities


def _equal(one: Floats, other: Floats) -> NDArray[np.bool_]:
    # NaN equals nothing, itself included: two unknown values have to be asked for by name.
    same: NDArray[np.bool_] = (one == other) | (np.isnan(one) & np.isnan(other))
    return same


@functools.lru_cache(maxsize=64)
def _places(names: tuple[str, ...], features: tuple[str, ...]) -> NDArray[np.intp]:
    return np.array([features.index(name) for name in names], dtype=np.intp)
