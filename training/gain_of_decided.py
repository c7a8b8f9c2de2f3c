"""Whether decisions improve the URL model: measured on held-out decided domains, and on listed ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from scoring.trees import Floats
from training import fit_urls, measure_urls
from training.fit_urls import Material
from training.labelled_urls import LabelledUrl

LEAST_GAINED = 0.02
"""Least gain in ROC-AUC on decided domains left out."""
MOST_LOST = 0.005
"""Most ROC-AUC lost on the test part of the lists."""


class NoGain(ValueError):
    """Decisions that do not make the model better on domains left out, or make it worse on those of lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """ROC-AUC on decided domains that were left out, and on the test part of the lists; a domain counts
    once.
    """

    roc_auc: float
    listed_roc_auc: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """The effect of decisions; `domains` and `bad` count the domains learnt."""

    domains: int
    bad: int
    urls: int
    without: Quality
    with_decisions: Quality

    def check(self) -> None:
        """Raise NoGain unless the model is better with decisions."""
        before, after = self.without, self.with_decisions
        # Not by log loss: additional labels make a model less confident, which alone lowers the loss.
        if after.roc_auc < before.roc_auc + LEAST_GAINED:
            raise NoGain(
                f"ROC-AUC {after.roc_auc:.3f} on {self.domains} decided domains left out, "
                f"{before.roc_auc:.3f} without decisions: train without --labels"
            )
        if after.listed_roc_auc < before.listed_roc_auc - MOST_LOST:
            raise NoGain(
                f"ROC-AUC {after.listed_roc_auc:.4f} on the test part of the lists, "
                f"{before.listed_roc_auc:.4f} without decisions: train without --labels"
            )


def measure(
    material: Material,
    *,
    left_out: Floats,
    line: LogisticRegression,
    unseen: Sequence[LabelledUrl],
    seed: int,
) -> Gain:
    """Compare a line on all of the material with one that saw neither the decisions nor their domains.

    `left_out` are the log-odds of the material's rows by lines without their domains; `unseen` is the test
    part of the lists. Raises NoGain.
    """
    is_decided = np.array([row.part == "decided" for row in material.rows])
    urls = [row.url for row in material.rows if row.part == "decided"]
    names = {url.domain for url in urls}
    others = np.flatnonzero([row.url.domain not in names for row in material.rows])
    without = fit_urls.fit(material, places=others, seed=seed)
    tested = Material.of([fit_urls.Row(url) for url in unseen]).matrix
    gain = Gain(
        domains=len(names),
        bad=len({url.domain for url in urls if url.is_bad}),
        urls=len(urls),
        without=_quality(
            without.decision_function(material.matrix[is_decided]),
            listed=without.decision_function(tested),
            urls=urls,
            unseen=unseen,
        ),
        with_decisions=_quality(
            left_out[is_decided], listed=line.decision_function(tested), urls=urls, unseen=unseen
        ),
    )
    gain.check()
    return gain


def _quality(
    margins: Floats, *, listed: Floats, urls: Sequence[LabelledUrl], unseen: Sequence[LabelledUrl]
) -> Quality:
    is_bad, weights = measure_urls.bad_of(urls), measure_urls.domain_weights(urls)
    return Quality(
        roc_auc=float(roc_auc_score(is_bad, margins, sample_weight=weights)),
        listed_roc_auc=float(
            roc_auc_score(
                measure_urls.bad_of(unseen), listed, sample_weight=measure_urls.domain_weights(unseen)
            )
        ),
    )
