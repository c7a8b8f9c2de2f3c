"""Joins what was found behind a post to its main margin: towards spam only, and by steps that add up.

A line over steps of the features in features/collected.py, all rising. Harmless evidence adds nothing, so it
excuses no spam, and a post without evidence keeps its margin. Why is said in
docs/adr/0031-evidence-adds-and-never-excuses.md.
"""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np

from scoring.ensemble import content_margins, probabilities_of
from scoring.features import Evidence, collected
from scoring.platform_head import PlatformHead
from scoring.records import PostRecord
from scoring.release import Release, SchemaMismatch, loading_json
from scoring.routing import NO_OPINION
from scoring.trees import Floats

log = logging.getLogger(__name__)

EVIDENCE_FILE, READER_FILE = "evidence.json", "evidence.npz"
FILES = (EVIDENCE_FILE, READER_FILE)
EVIDENCE = "evidence"
_FORMAT = 1
_READ = frozenset(feature.name for feature in collected.READ)
_VERSIONS = {feature.name: feature.version for feature in collected.FEATURES}
_IS_PROOF = {feature.name: feature.evidence is Evidence.PROOF for feature in collected.FEATURES}


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """How a feature counts: each weight applies per unit from its knot to the next, the last up to `top`.

    Knots of probabilities are log-odds. No weight is negative.
    """

    knots: tuple[float, ...]
    top: float
    weights: tuple[float, ...]
    version: int = 1

    def __post_init__(self) -> None:
        edges = (*self.knots, self.top)
        if len(self.weights) != len(self.knots) or not np.isfinite([*edges, *self.weights]).all():
            raise ValueError(f"not steps: {self}")
        if any(np.diff(edges) <= 0.0) or min(self.weights, default=0.0) < 0.0:
            raise ValueError(f"steps that fall: {self}")

    def heights(self, values: Floats) -> Floats:
        """Return how far values (n,) reach into each step: float64 (n, n_knots), 0 where unknown."""
        lower, upper = np.array(self.knots), np.array((*self.knots[1:], self.top))
        reached: Floats = np.nan_to_num(np.clip(values[:, None], lower, upper) - lower, nan=0.0)
        return reached

    def said(self, values: Floats) -> Floats:
        """Return the contributions of values (n,), float64 (n,) of at least 0."""
        strengths: Floats = self.heights(values) @ np.array(self.weights)
        return strengths


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """Main margins of n posts with their evidence, float64 (n,), and what each feature added to them (n, 11).

    `rows` are the features' values (n, 11). `probabilities` are what evidence alone says, NaN where nothing
    in it speaks for spam.
    """

    margins: Floats
    shares: Floats
    rows: Floats
    probabilities: Floats

    def told(self, place: int) -> list[tuple[str, float, float]]:
        """Return name, value and share of each known feature of a post."""
        features = zip(collected.NAMES, self.rows[place].tolist(), self.shares[place].tolist(), strict=True)
        return [entry for entry in features if not np.isnan(entry[1])]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceModel:
    """Steps of features by name. `intercept` is the log-odds at which their sum begins to count, `suspicion`
    bounds what circumstances add to the rest, in log-odds. `reader` reads pages, pictures and captions, which
    are not written as posts are: a head on margin and vector of the content model that `content` identifies,
    empty for one on n-grams, of before. `trained` tells what both were fitted on.
    """

    steps: Mapping[str, Steps]
    intercept: float
    suspicion: float
    reader: PlatformHead
    content: str = ""
    trained: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def load(cls, release: Release) -> Self | None:
        """Read a release's model, None if it has none or if the reader learnt from another content model.

        Raises Corrupt or SchemaMismatch.
        """
        if EVIDENCE_FILE not in release.files:
            return None
        with loading_json(release.folder / EVIDENCE_FILE, form=_FORMAT) as stored:
            steps = {name: _steps(fields) for name, fields in stored["steps"].items()}
            model = cls(
                steps=steps,
                intercept=float(stored["intercept"]),
                suspicion=float(stored["suspicion"]),
                reader=PlatformHead.load(release.folder / READER_FILE),
                content=stored.get("content", ""),
                trained=stored["trained"],
            )
        for name, step in steps.items():
            if _VERSIONS.get(name) != step.version:
                raise SchemaMismatch(f"{release.folder}: this code computes {name} otherwise or not")
        if model.content not in {"", release.content_model}:
            log.warning("%s: evidence is ignored, its reader knows another content model", release.folder)
            return None
        return model

    def save(self, folder: Path) -> list[Path]:
        """Write the files into an existing folder and return their paths; the same model gives the same
        bytes.
        """
        stored = {
            "format": _FORMAT,
            "intercept": self.intercept,
            "suspicion": self.suspicion,
            "steps": {name: asdict(step) for name, step in self.steps.items()},
            "content": self.content,
            "trained": self.trained,
        }
        paths = [folder / name for name in FILES]
        paths[0].write_text(json.dumps(stored, indent=1, allow_nan=False) + "\n", encoding="utf-8")
        self.reader.save(paths[1])
        return paths

    def join(self, margins: Floats, *, rows: Floats) -> Joined:
        """Join features (n, 11) to main margins (n,): as odds of another way to be spam, which are added.

        Circumstances only support: they add at most `suspicion` to what the rest says.
        """
        strengths = self._said(rows)
        is_proof = np.array([_IS_PROOF[name] for name in collected.NAMES])
        proof = strengths[:, is_proof].sum(axis=1)
        total = strengths.sum(axis=1)
        by_proof = self._added(margins, said=proof)
        by_all = np.minimum(self._added(margins, said=total), by_proof + self.suspicion)
        shares = np.zeros_like(strengths)
        shares[:, is_proof] = _apportioned(by_proof, said=strengths[:, is_proof])
        shares[:, ~is_proof] = _apportioned(by_all - by_proof, said=strengths[:, ~is_proof])
        alone = probabilities_of(self.intercept + total)
        return Joined(
            margins=margins + by_all,
            shares=shares,
            rows=rows,
            probabilities=np.where(total > 0.0, alone, np.nan),
        )

    def _said(self, rows: Floats) -> Floats:
        columns = [
            self.steps[name].said(measured(rows[:, place], name=name))
            if name in self.steps
            else np.zeros(len(rows))
            for place, name in enumerate(collected.NAMES)
        ]
        return np.column_stack(columns)

    def _added(self, margins: Floats, *, said: Floats) -> Floats:
        added: Floats = np.log1p(np.exp(self.intercept - margins) * np.expm1(said))
        return added


def rows_of(records: Sequence[PostRecord], *, read: Floats) -> Floats:
    """Return the features of records, float64 (n, 11); `read` (n, 3) is what the content model said."""
    return np.stack([collected.row(record, read=row) for record, row in zip(records, read, strict=True)])


def read_before(contributions: Sequence[Sequence[Any]]) -> Floats:
    """Return the readings of evidence in a score's contributions (name, value, share), float64 (3,)."""
    values = {name: value for name, value, _ in contributions if name in _READ}
    answers = [values.get(feature.name) for feature in collected.READ]
    return np.array([np.nan if value is None else float(value) for value in answers])


def measured(values: Floats, *, name: str) -> Floats:
    """Return a feature's values on the scale of its steps: log-odds of what was read, others as they are."""
    return content_margins(values) if name in _READ else values


def rests_on_evidence(opinions: Mapping[str, float | None]) -> bool:
    """Return whether the evidence of a spam post calls it spam and its words do not.

    `opinions` are the parts' own probabilities. Nothing is assumed of words without an opinion.
    """
    words, evidence = opinions.get("content"), opinions.get(EVIDENCE)
    return words is not None and evidence is not None and words < NO_OPINION <= evidence


def without(margins: Floats) -> Joined:
    """Return margins as a release without such a model does: evidence is ignored."""
    nothing = np.full((len(margins), len(collected.NAMES)), np.nan)
    return Joined(
        margins=margins,
        shares=np.zeros_like(nothing),
        rows=nothing,
        probabilities=np.full(len(margins), np.nan),
    )


def _steps(stored: Mapping[str, Any]) -> Steps:
    return Steps(
        knots=tuple(map(float, stored["knots"])),
        top=float(stored["top"]),
        weights=tuple(map(float, stored["weights"])),
        version=int(stored["version"]),
    )


def _apportioned(added: Floats, *, said: Floats) -> Floats:
    """Split the added margin (n,) in proportion to the features' contributions (n, k)."""
    total = said.sum(axis=1, keepdims=True)
    shares: Floats = np.where(total > 0.0, added[:, None] * said / np.where(total > 0.0, total, 1.0), 0.0)
    return shares
