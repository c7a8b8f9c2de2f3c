"""`python -m scoring.training urls`: fit the URL model, split by registrable domain, and write its page."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import GroupKFold

from scoring.release import file_sha256
from scoring.splits import Split, split_of
from scoring.training import labelled_urls, url_card
from scoring.training.labelled_urls import LabelledUrl
from scoring.trees import Floats
from scoring.urls import BUCKET_BITS, UrlModel, grams_of, measures_of

URLS_MANIFEST = "urls.json"
SEED = 20_260
TARGET_FALSE_POSITIVES = 0.02

_FOLDS = 5
_STRENGTH = 10.0
_LARGEST_WEIGHT = 127


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """Quality on URLs of domains that the model never saw; rates at the shipped threshold, in [0, 1]."""

    urls: int
    domains: int
    bad: int
    benign_domains: int
    roc_auc: float
    pr_auc: float
    recall: float
    false_positive_rate: float
    recall_by_kind: dict[str, float]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--urls", type=Path, required=True, help="CSV with url, dom, cls (may be .gz)")
    parser.add_argument("--out", type=Path, required=True, help="folder of the release, scoring/starter")
    parser.add_argument("--card", type=Path, help="page whose URL part is rewritten, docs/models.md")
    parser.add_argument("--seed", type=int, default=SEED, help="the same seed gives the same model")


def main(arguments: argparse.Namespace) -> None:
    """Train, measure, write model, manifest and card."""
    urls = labelled_urls.load(arguments.urls)
    model, measured = train(urls, seed=arguments.seed)
    arguments.out.mkdir(parents=True, exist_ok=True)
    model.save(arguments.out)
    manifest = {
        "file": arguments.urls.name,
        "sha256": file_sha256(arguments.urls),
        "seed": arguments.seed,
        "urls": len(urls),
        "kinds": dict(sorted(Counter(one.kind for one in urls).items())),
        "review_from": model.review_from,
        "measured": {name: asdict(measures) for name, measures in measured.items()},
    }
    (arguments.out / URLS_MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    card = url_card.write(manifest)
    if arguments.card:
        url_card.insert(card, page=arguments.card)
    sys.stdout.write(card)


def train(urls: Sequence[LabelledUrl], *, seed: int) -> tuple[UrlModel, dict[str, Measures]]:
    """Fit on the domains outside the test part; measure there left out by folds, and on the test part.

    The threshold is the lowest that keeps false positives at 2 % of the left-out benign URLs, so that new
    domains may behave worse and still stay under 5 %. Raises ValueError if a part has URLs of one sort only.
    """
    known = [one for one in urls if split_of(one.domain) is not Split.TEST]
    unseen = [one for one in urls if split_of(one.domain) is Split.TEST]
    for part in (known, unseen):
        if len({one.is_bad for one in part}) < 2:
            raise ValueError(f"a part of {len(part)} URLs needs benign and bad ones: give more URLs")
    margins = _left_out_margins(known, seed=seed)
    slope, intercept = _platt(margins, urls=known)
    model = _fit(known, seed=seed, slope=slope, intercept=intercept)
    left_out = _logistic(slope * margins + intercept)
    review_from = float(np.quantile(left_out[~_is_bad(known)], 1.0 - TARGET_FALSE_POSITIVES))
    model = UrlModel(**{**vars(model), "review_from": review_from})
    tested = np.array([model.probability(one.url) for one in unseen])
    return model, {
        "known domains, left out by folds": _measures(left_out, urls=known, review_from=review_from),
        "test domains": _measures(tested, urls=unseen, review_from=review_from),
    }


def _fit(urls: Sequence[LabelledUrl], *, seed: int, slope: float, intercept: float) -> UrlModel:
    """Fit the line on URLs and their benign relatives; stretch its log-odds by slope and intercept."""
    rows = [*urls, *labelled_urls.relatives(urls, generator=np.random.default_rng(seed))]
    fitted = LogisticRegression(C=_STRENGTH, solver="liblinear", max_iter=1000, random_state=seed).fit(
        _matrix(rows), _is_bad(rows), sample_weight=_weights(rows)
    )
    weights = slope * fitted.coef_[0]
    grams, measured = weights[: 1 << BUCKET_BITS], weights[1 << BUCKET_BITS :]
    scale = float(np.abs(grams).max()) / _LARGEST_WEIGHT or 1.0
    return UrlModel(
        gram_weights=np.round(grams / scale).astype(np.int8),
        gram_scale=scale,
        measure_weights=measured.astype(np.float64),
        intercept=float(slope * fitted.intercept_[0] + intercept),
        review_from=0.5,
    )


def _left_out_margins(urls: Sequence[LabelledUrl], *, seed: int) -> Floats:
    """Return each URL's log-odds by a model that was fitted without its domain."""
    margins = np.empty(len(urls))
    domains = [one.domain for one in urls]
    folds = GroupKFold(n_splits=_FOLDS, shuffle=True, random_state=seed)
    for kept, left_out in folds.split(margins, groups=domains):
        model = _fit([urls[place] for place in kept], seed=seed, slope=1.0, intercept=0.0)
        margins[left_out] = [model.margin(urls[place].url) for place in left_out]
    return margins


def _platt(margins: Floats, *, urls: Sequence[LabelledUrl]) -> tuple[float, float]:
    model = LogisticRegression(C=1e6).fit(margins[:, None], _is_bad(urls), sample_weight=_weights(urls))
    return float(model.coef_[0, 0]), float(model.intercept_[0])


def _matrix(urls: Sequence[LabelledUrl]) -> csr_matrix:
    """Return the n-gram buckets, each URL's row of length one, and the measures beside them."""
    grams = [grams_of(one.url) for one in urls]
    starts = np.concatenate([[0], np.cumsum([len(buckets) for buckets in grams])])
    values = np.concatenate([np.full(len(buckets), len(buckets) ** -0.5) for buckets in grams])
    buckets = csr_matrix((values, np.concatenate(grams), starts), shape=(len(urls), 1 << BUCKET_BITS))
    return hstack([buckets, np.array([measures_of(one.url) for one in urls])]).tocsr()


def _weights(urls: Sequence[LabelledUrl]) -> Floats:
    """Weigh both sorts alike, and a domain by the root of its URLs: they are one author's habit."""
    counts = Counter(one.domain for one in urls)
    weights = np.array([counts[one.domain] ** -0.5 for one in urls])
    for sort in (_is_bad(urls), ~_is_bad(urls)):
        weights[sort] *= len(urls) / 2.0 / weights[sort].sum()
    return weights


def _measures(probabilities: Floats, *, urls: Sequence[LabelledUrl], review_from: float) -> Measures:
    is_bad, flagged = _is_bad(urls), probabilities >= review_from
    kinds = np.array([one.kind for one in urls])
    return Measures(
        urls=len(urls),
        domains=len({one.domain for one in urls}),
        bad=int(is_bad.sum()),
        benign_domains=len({one.domain for one in urls if not one.is_bad}),
        roc_auc=float(roc_auc_score(is_bad, probabilities)),
        pr_auc=float(average_precision_score(is_bad, probabilities)),
        recall=float(flagged[is_bad].mean()),
        false_positive_rate=float(flagged[~is_bad].mean()),
        recall_by_kind={
            str(kind): float(flagged[kinds == kind].mean())
            for kind in np.unique(kinds)
            if kind != labelled_urls.BENIGN
        },
    )


def _is_bad(urls: Sequence[LabelledUrl]) -> NDArray[np.bool_]:
    return np.array([one.is_bad for one in urls])


def _logistic(margins: Floats) -> Floats:
    probabilities: Floats = 0.5 * (1.0 + np.tanh(0.5 * margins))
    return probabilities
