"""The product on one page: a record and the bans in force go in, a score with its reasons comes out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from scoring import features, routing
from scoring.blocklist import Ban, Blocklist
from scoring.content import Unavailable
from scoring.ensemble import MAIN_INPUTS, Ensemble, calibrated, probabilities_of
from scoring.explain import CONTENT_TEXT, Contribution, StackExplainer
from scoring.records import PostRecord
from scoring.release import Release, SchemaMismatch
from scoring.routing import Route, Routing
from scoring.trees import Floats


class ContentProtocol(Protocol):
    """What scoring asks of a content model."""

    def probabilities(self, texts: Sequence[str]) -> Floats:
        """Return spam probabilities, float64 (n,). Raises content.Unavailable if the model cannot be asked
        now.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreResult:
    """What the models said of a record, with all they looked at.

    base + the contributions' sum is the main margin (log-odds before calibration). A banned post has
    probability 1, route remove, and neither features nor contributions.
    """

    release_id: str
    schema_hash: str
    spam_probability: float
    content_probability: float | None
    sub_models: Mapping[str, float | None]
    base: float
    contributions: tuple[Contribution, ...]
    features: tuple[float, ...]
    routing: Routing
    expected_harm: float
    is_degraded: bool
    ban: Ban | None


class Scorer:
    """Scores records with one release; make one per process and share it.

    Raises release.SchemaMismatch or release.Corrupt when the release does not fit this code.
    """

    def __init__(self, *, release: Release, content: ContentProtocol) -> None:
        release.check_schema(features.SCHEMA_HASH)
        self._release = release
        self._content = content
        self._ensemble = Ensemble.load(release.folder)
        if self._ensemble.features != features.NAMES:
            raise SchemaMismatch(
                f"{release.folder}: the ensemble was trained on other features than its manifest says"
            )
        self._models = features.Models.load(release.folder, files=release.files)
        self._explainer = StackExplainer(self._ensemble)

    @property
    def release(self) -> Release:
        """The release that every score of this Scorer names."""
        return self._release

    @property
    def content(self) -> ContentProtocol:
        """The content model that this Scorer asks."""
        return self._content

    def score(self, record: PostRecord, *, blocklist: Blocklist) -> ScoreResult:
        """Score one record; the same record, bans and content probability always give the same result."""
        return self.score_many([record], blocklist=blocklist)[0]

    def score_many(self, records: Sequence[PostRecord], *, blocklist: Blocklist) -> list[ScoreResult]:
        """Score records with one call to the content model, results in their order.

        Banned posts run nothing else. If the content model is unavailable the rest are scored without it and
        marked degraded.
        """
        bans = [blocklist.match(record) for record in records]
        open_records = [record for record, ban in zip(records, bans, strict=True) if ban is None]
        judged = iter(self._judged(open_records) if open_records else [])
        return [
            next(judged) if ban is None else self._banned(record, ban)
            for record, ban in zip(records, bans, strict=True)
        ]

    def spam_probabilities(self, records: Sequence[PostRecord], *, content_probabilities: Floats) -> Floats:
        """Return spam probabilities, float64 (n,), when the content probabilities (NaN unknown) are known.

        Bans are not looked at, the content model is not asked and nothing is explained.
        """
        rows = np.stack([features.extract(record, models=self._models) for record in records])
        main_inputs = self._ensemble.main_inputs(rows, content_probabilities=content_probabilities)
        return calibrated(self._ensemble.main_margins(main_inputs), calibration=self._release.calibration)

    def _judged(self, records: Sequence[PostRecord]) -> list[ScoreResult]:
        rows = np.stack([features.extract(record, models=self._models) for record in records])
        content_probabilities, is_degraded = self._content_probabilities(records, rows=rows)
        main_inputs = self._ensemble.main_inputs(rows, content_probabilities=content_probabilities)
        margins = self._ensemble.main_margins(main_inputs)
        probabilities = calibrated(margins, calibration=self._release.calibration)
        shares = self._explainer.contributions(rows, main_inputs=main_inputs)
        sub_models = probabilities_of(main_inputs)
        sub_models[:, -1] = content_probabilities
        return [
            self._result(
                record,
                probability=float(probabilities[index]),
                sub_models=sub_models[index],
                row=rows[index],
                shares=shares[index],
                is_degraded=is_degraded,
            )
            for index, record in enumerate(records)
        ]

    def _content_probabilities(self, records: Sequence[PostRecord], *, rows: Floats) -> tuple[Floats, bool]:
        """Ask the content model once; NaN for a post without text, for one that the release's cascade lets
        pass without it, and for all when it is unavailable.
        """
        probabilities = np.full(len(records), np.nan)
        is_needed = self._needs_content(rows)
        asked = [index for index, record in enumerate(records) if is_needed[index] and record.text.strip()]
        if not asked:
            return probabilities, False
        try:
            probabilities[asked] = self._content.probabilities([records[index].text for index in asked])
        except Unavailable:
            return probabilities, True
        return probabilities, False

    def _needs_content(self, rows: Floats) -> NDArray[np.bool_]:
        """Tell which posts the cheap sub-models leave open; all, unless the release says otherwise."""
        cascade = self._release.cascade
        if not cascade.skips_content:
            return np.ones(len(rows), dtype=np.bool_)
        main_inputs = self._ensemble.main_inputs(rows, content_probabilities=np.full(len(rows), np.nan))
        cheap = calibrated(self._ensemble.main_margins(main_inputs), calibration=self._release.calibration)
        return (cheap >= cascade.ask_content_from) & (cheap < cascade.ask_content_below)

    def _result(
        self,
        record: PostRecord,
        *,
        probability: float,
        sub_models: Floats,
        row: Floats,
        shares: Floats,
        is_degraded: bool,
    ) -> ScoreResult:
        by_sub_model = dict(zip(MAIN_INPUTS, map(_known, sub_models), strict=True))
        values = (*row.tolist(), _unknown_as_nan(by_sub_model["content"]))
        names = (*features.NAMES, CONTENT_TEXT)
        route = routing.decide(
            probability=probability,
            thresholds=self._release.thresholds,
            is_degraded=is_degraded,
            draw=routing.draw(record, self._release.id),
        )
        seen = routing.NO_OPINION if route.is_audit_sample else probability
        return ScoreResult(
            release_id=self._release.id,
            schema_hash=self._release.schema_hash,
            spam_probability=probability,
            content_probability=by_sub_model["content"],
            sub_models=by_sub_model,
            base=self._explainer.base,
            contributions=tuple(map(Contribution, names, values, shares.tolist())),
            features=tuple(row.tolist()),
            routing=route,
            expected_harm=routing.expected_harm(record, probability=seen),
            is_degraded=is_degraded,
            ban=None,
        )

    def _banned(self, record: PostRecord, ban: Ban) -> ScoreResult:
        return ScoreResult(
            release_id=self._release.id,
            schema_hash=self._release.schema_hash,
            spam_probability=1.0,
            content_probability=None,
            sub_models=dict.fromkeys(MAIN_INPUTS, None),
            base=0.0,
            contributions=(),
            features=(),
            routing=Routing(route=Route.REMOVE, reason=None, audit_probability=0.0, is_audit_sample=False),
            expected_harm=routing.expected_harm(record, probability=1.0),
            is_degraded=False,
            ban=ban,
        )


def _known(probability: float) -> float | None:
    return None if math.isnan(probability) else float(probability)


def _unknown_as_nan(probability: float | None) -> float:
    return math.nan if probability is None else probability
