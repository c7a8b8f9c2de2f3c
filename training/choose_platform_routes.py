"""A platform's own curve and thresholds, chosen on its random labels within statistical bounds."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import log_loss
from sklearn.model_selection import GroupKFold

from scoring import features
from scoring.ensemble import Ensemble, calibrated, content_margins, probabilities_of
from scoring.label_balance import ENOUGH_FOR_ROUTES, ENOUGH_OF_EACH
from scoring.release import Calibration, PlatformRoutes, Release, Thresholds
from scoring.routing import REMOVE_PRECISION
from scoring.trees import Floats
from training import calibrate, fit_head
from training.ensemble_rows import Material
from training.fit_head import Line
from training.labelled_lines import MOST_TRAINING_WEIGHT
from training.labelled_records import LabelledRecord

SLOPES, SHIFTS = (0.5, 2.0), (-2.0, 2.0)
"""Bounds of slope and shift of the platform's curve on the shared curve's log-odds."""
MOST_REVIEW_MOVED = 3.0
"""Bounds of the review threshold, as a fraction and a multiple of the shared one."""
_FOLDS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A platform's representative labels: log-odds by the shared curve and labels, of shape (n,).

    `weights` are the numbers of posts that each represents; near-duplicates share a group.
    """

    log_odds: Floats
    is_spam: NDArray[np.bool_]
    weights: Floats
    groups: NDArray[Any]

    @classmethod
    def of(cls, labelled: Sequence[LabelledRecord], *, margins: Floats, shared: Release) -> "Sample":
        """Take the labels with a weight.

        `margins` are their main margins, float64 (n,), from a head not fitted on them.
        """
        weights = np.array([post.weight for post in labelled])
        stands = weights > 0.0
        return cls(
            log_odds=content_margins(calibrated(margins, calibration=shared.calibration))[stands],
            is_spam=np.array([post.is_spam for post in labelled])[stands],
            weights=weights[stands],
            groups=np.array([post.group for post in labelled])[stands],
        )

    @property
    def fit_weights(self) -> Floats:
        """Weights up to MOST_TRAINING_WEIGHT; all together they are Kish's number of equal rows (1965)."""
        capped = np.minimum(self.weights, MOST_TRAINING_WEIGHT)
        equal: Floats = capped * (capped.sum() / (capped**2).sum())
        return equal


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The choice and its basis, as in the manifest."""

    routes: PlatformRoutes
    about: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        """Return the platform's part of a manifest."""
        return dataclasses.asdict(self.routes) | {"chosen_on": self.about}


def check(random: int) -> None:
    """Raise calibrate.TooFewRandom if there are too few random labels."""
    if random < ENOUGH_FOR_ROUTES:
        raise calibrate.TooFewRandom(
            f"{random} random labels, {ENOUGH_FOR_ROUTES} are needed for a curve and thresholds of its "
            "own: those of all platforms stay"
        )


def on_labels(
    labelled: Sequence[LabelledRecord],
    *,
    content_probabilities: Floats,
    random: int,
    base: Release,
) -> Choice:
    """Choose on labels of one platform, given the answers of a head that did not learn from them.

    `random` counts the platform's random labels, those of the test part, too. Raises release.SchemaMismatch.
    """
    base.check_schema(features.SCHEMA_HASH)
    models = features.Models.load(base.folder, files=base.files)
    rows = Material(labelled, content_probabilities, seed=0, models=models).rows()
    judgement = Ensemble.load(base.folder).judge(rows.features, content_probabilities=content_probabilities)
    choice = choose(Sample.of(labelled, margins=judgement.margins, shared=base), shared=base)
    return dataclasses.replace(choice, about={"random": random, **choice.about})


def choose(sample: Sample, *, shared: Release) -> Choice:
    """Return the better curve on held-out groups, the shared one or the platform's, with thresholds.

    Nothing is allowed or removed that the shared thresholds would send to a human, unless the labels prove
    by the 90 % confidence bound that calibrate's promises hold.
    """
    own = fit_head.line(sample.log_odds, is_spam=sample.is_spam, weights=sample.fit_weights, within=_WITHIN)
    losses = {"shared": _loss(sample, sample.log_odds), "own": _loss(sample, _left_out(sample))}
    line = own if losses["own"] < losses["shared"] else Line(slope=1.0, shift=0.0)
    probabilities = probabilities_of(line.through(sample.log_odds))
    thresholds = _thresholds(probabilities, sample, shared=shared.thresholds, line=line)
    removed = probabilities >= thresholds.remove_from
    bound = calibrate.share_bounds(sample.is_spam[removed], sample.weights[removed], side=-1)
    return Choice(
        routes=PlatformRoutes(
            calibration=corrected(shared.calibration, line=line),
            thresholds=thresholds,
        ),
        about={
            "posts": len(sample.is_spam),
            "spam": int(sample.is_spam.sum()),
            "log_losses": losses,
            "slope": round(line.slope, 3),
            "shift": round(line.shift, 3),
            "removed": int(removed.sum()),
            "removal_precision_at_least": round(float(bound[-1]), 4) if len(bound) else None,
        },
    )


def told(release: Release) -> list[str]:
    """Describe each platform's curve and thresholds beside the shared ones, or why it has none."""
    shared, lines = release.thresholds, []
    for platform, routes in release.platforms.items():
        about, own = release.manifest["platforms"][platform]["chosen_on"], routes.thresholds
        curve = "the shared curve" if routes.calibration == release.calibration else "a curve of its own"
        lines.append(
            f"{platform}: {curve} and own thresholds from {about['random']} random labels among "
            f"{about['posts']} ({about['spam']} spam): held from {own.review_from:.3f} "
            f"({shared.review_from:.3f} shared), removed from {own.remove_from:.3f} "
            f"({shared.remove_from:.3f} shared)"
        )
    refused = release.training.get("platforms_refused", {})
    return [*lines, *(f"{platform}: NO CURVE OF ITS OWN {why}" for platform, why in refused.items())]


def corrected(shared: Calibration, *, line: Line) -> Calibration:
    """Return the shared curve with a line through its log-odds; it rises wherever the shared one does."""
    if shared.method == "platt":
        return Calibration(
            method="platt",
            slope=line.slope * shared.slope,
            intercept=line.slope * shared.intercept + line.shift,
        )
    knots = line.through(content_margins(np.array(shared.probabilities)))
    return Calibration(
        method=shared.method, margins=shared.margins, probabilities=probabilities_of(knots).tolist()
    )


_WITHIN = (SLOPES, SHIFTS)


def _left_out(sample: Sample) -> Floats:
    """Return each label's log-odds by a line fitted without its group."""
    log_odds = np.empty(len(sample.log_odds))
    folds = min(_FOLDS, len(set(sample.groups)))
    weights = sample.fit_weights
    for train, test in GroupKFold(n_splits=folds).split(log_odds, groups=sample.groups):
        line = fit_head.line(
            sample.log_odds[train], is_spam=sample.is_spam[train], weights=weights[train], within=_WITHIN
        )
        log_odds[test] = line.through(sample.log_odds[test])
    return log_odds


def _loss(sample: Sample, log_odds: Floats) -> float:
    answers = probabilities_of(log_odds)
    return float(log_loss(sample.is_spam, answers, labels=[False, True], sample_weight=sample.fit_weights))


def _thresholds(probabilities: Floats, sample: Sample, *, shared: Thresholds, line: Line) -> Thresholds:
    proven = calibrate.choose_thresholds(probabilities, is_spam=sample.is_spam, weights=sample.weights)
    at_review, at_removal = probabilities_of(
        line.through(content_margins(np.array([shared.review_from, shared.remove_from])))
    ).tolist()
    review_from = _review_from(
        probabilities, sample, shared=shared, most=max(proven.review_from, min(shared.review_from, at_review))
    )
    remove_from = min(proven.remove_from, max(shared.remove_from, at_removal))
    if _is_contradicted(probabilities >= remove_from, sample):
        remove_from = proven.remove_from
    return Thresholds(review_from=review_from, remove_from=remove_from, audit_rate=shared.audit_rate)


def _review_from(probabilities: Floats, sample: Sample, *, shared: Thresholds, most: float) -> float:
    """Return where the worse of two shares, spam let through and others held, is least, and not above `most`;
    `most` itself if one class is too small.
    """
    highest = min(most, shared.review_from * MOST_REVIEW_MOVED, calibrate.REVIEW_CEILING)
    if min(sample.is_spam.sum(), (~sample.is_spam).sum()) < ENOUGH_OF_EACH:
        return min(highest, shared.review_from)
    lowest = min(highest, shared.review_from / MOST_REVIEW_MOVED)
    inside = probabilities[(probabilities > lowest) & (probabilities < highest)]
    candidates = np.unique(np.concatenate([[lowest, highest], inside]))
    worse = calibrate.worse_shares(
        probabilities, is_spam=sample.is_spam, weights=sample.weights, thresholds=candidates
    )
    return float(candidates[np.argmin(worse)])


def _is_contradicted(removed: NDArray[np.bool_], sample: Sample) -> bool:
    """Return whether, by the 90 % confidence bound, fewer of the removed posts are spam than promised."""
    if not removed.any():
        return False
    most = calibrate.share_bounds(sample.is_spam[removed], sample.weights[removed], side=1)[-1]
    return bool(most < REMOVE_PRECISION)
