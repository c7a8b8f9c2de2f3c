"""Fit the URL model: a line over n-grams and measures, every domain and every kind of written link alike.

Lists hold hundreds of URLs of one site; a model that counts URLs learns the sites. So a domain weighs the
same however many of its URLs are listed.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from scoring.ngrams import BUCKETS
from scoring.trees import Floats
from scoring.urls import UrlModel, grams_of, measures_of
from training import measure_urls
from training.labelled_urls import LabelledUrl

SHARES = {"bad": 0.9, "scam": 0.1, "benign": 0.45, "documented": 0.2, "everyday": 0.35}
"""Shares of the bad weight (listed URLs, written scams) and the benign (listed, documented, everyday)."""

_FOLDS = 5
_STRENGTH = 2.0
_LARGEST_WEIGHT = 127


@dataclass(frozen=True, slots=True)
class Row:
    """A URL to fit on; `part` is "listed", or another one of SHARES."""

    url: LabelledUrl
    part: str = "listed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """Rows, and the model's inputs for each."""

    rows: Sequence[Row]
    matrix: csr_matrix
    is_bad: NDArray[np.bool_]

    @classmethod
    def of(cls, rows: Sequence[Row]) -> "Material":
        """Read the rows' n-grams, each row of length one, and the measures beside them."""
        urls = [row.url for row in rows]
        grams = [grams_of(url.url) for url in urls]
        starts = np.concatenate([[0], np.cumsum([len(buckets) for buckets in grams])])
        values = np.concatenate([np.full(len(buckets), len(buckets) ** -0.5) for buckets in grams])
        buckets = csr_matrix((values, np.concatenate(grams), starts), shape=(len(urls), BUCKETS))
        matrix = hstack([buckets, np.array([measures_of(url.url) for url in urls])]).tocsr()
        return cls(rows=rows, matrix=matrix, is_bad=measure_urls.bad_of(urls))


def left_out_margins(material: Material, *, seed: int) -> Floats:
    """Return each row's log-odds by a line that was fitted without its domain, everyday links included."""
    margins = np.empty(len(material.rows))
    domains = [row.url.domain for row in material.rows]
    folds = GroupKFold(n_splits=_FOLDS, shuffle=True, random_state=seed)
    for train, left_out in folds.split(margins, groups=domains):
        line = fit(material, places=train, seed=seed)
        margins[left_out] = line.decision_function(material.matrix[left_out])
    return margins


def fit(material: Material, *, places: NDArray[np.intp], seed: int) -> LogisticRegression:
    """Fit the line on the rows at these places."""
    line = LogisticRegression(C=_STRENGTH, solver="liblinear", max_iter=1000, random_state=seed)
    rows = [material.rows[place] for place in places]
    return line.fit(material.matrix[places], material.is_bad[places], sample_weight=weights(rows))


def weights(rows: Sequence[Row]) -> Floats:
    """Weigh both sorts alike; domains alike, kinds of written links alike. Their mean weight is 1."""
    parts = np.array([_part(row) for row in rows])
    keys = [row.url.pattern or row.url.domain for row in rows]
    counts = Counter(zip(parts, keys, strict=True))
    weighed = np.array([1.0 / counts[part, key] for part, key in zip(parts, keys, strict=True)])
    for sort in (("bad", "scam"), ("benign", "documented", "everyday")):
        present = {part: SHARES[part] for part in sort if part in parts}
        for part, share in present.items():
            mask = parts == part
            weighed[mask] *= 0.5 * share / sum(present.values()) * len(rows) / weighed[mask].sum()
    return weighed


def platt(margins: Floats, *, urls: Sequence[LabelledUrl]) -> tuple[float, float]:
    """Return slope and intercept that turn left-out log-odds into probabilities, domains weighing alike."""
    line = LogisticRegression(C=1e6).fit(
        margins[:, None], measure_urls.bad_of(urls), sample_weight=measure_urls.domain_weights(urls)
    )
    return float(line.coef_[0, 0]), float(line.intercept_[0])


def packed(line: LogisticRegression, *, slope: float, intercept: float, review_from: float) -> UrlModel:
    """Return the model of a line, its log-odds stretched by slope and intercept, n-grams in 8 bits."""
    weighed = slope * line.coef_[0]
    grams, measures = weighed[:BUCKETS], weighed[BUCKETS:]
    scale = float(np.abs(grams).max()) / _LARGEST_WEIGHT or 1.0
    return UrlModel(
        gram_weights=np.round(grams / scale).astype(np.int8),
        gram_scale=scale,
        measure_weights=measures.astype(np.float64),
        intercept=float(slope * line.intercept_[0] + intercept),
        review_from=review_from,
    )


def _part(row: Row) -> str:
    return row.part if row.part != "listed" else "bad" if row.url.is_bad else "benign"
