"""Quality of a URL model by registrable domain: a domain counts once, however many of its URLs are listed.

Intervals are 95 % by bootstrap over domains: URLs of one domain are one author's habit.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, roc_auc_score

from scoring.trees import Floats
from training.evaluate import Estimate
from training.labelled_urls import BENIGN, LabelledUrl

_DRAWS = 400
_INTERVAL = (0.025, 0.975)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """Quality on URLs of domains that the model never saw; recall and false positives are means of domains'
    shares at the shipped bound.

    `mostly_flagged` counts benign domains of which more than half of the URLs are flagged.
    """

    urls: int
    domains: int
    bad: int
    benign_domains: int
    roc_auc: Estimate
    roc_auc_by_url: float
    pr_auc: float
    recall: Estimate
    recall_by_kind: dict[str, float]
    false_positives: Estimate
    false_positives_by_url: float
    mostly_flagged: int


def measure(probabilities: Floats, *, urls: Sequence[LabelledUrl], review_from: float, seed: int) -> Measures:
    """Measure a model's probabilities of URLs, benign and bad ones."""
    is_bad, flagged = bad_of(urls), probabilities >= review_from
    kinds = np.array([url.kind for url in urls])
    weights = domain_weights(urls)
    benign = [url for url in urls if not url.is_bad]
    by_domain = _shares(flagged[~is_bad], urls=benign)
    return Measures(
        urls=len(urls),
        domains=len({url.domain for url in urls}),
        bad=int(is_bad.sum()),
        benign_domains=len(by_domain),
        roc_auc=roc_auc(probabilities, urls=urls, seed=seed),
        roc_auc_by_url=float(roc_auc_score(is_bad, probabilities)),
        pr_auc=float(average_precision_score(is_bad, probabilities, sample_weight=weights)),
        recall=flagged_share(flagged[is_bad], urls=[url for url in urls if url.is_bad], seed=seed),
        recall_by_kind={
            str(kind): float(_shares(flagged[kinds == kind], urls=_of_kind(urls, str(kind))).mean())
            for kind in np.unique(kinds)
            if kind != BENIGN
        },
        false_positives=flagged_share(flagged[~is_bad], urls=benign, seed=seed),
        false_positives_by_url=float(flagged[~is_bad].mean()),
        mostly_flagged=int((by_domain > 0.5).sum()),
    )


def flagged_share(flagged: NDArray[np.bool_], *, urls: Sequence[LabelledUrl], seed: int) -> Estimate:
    """Return the mean over domains of the share of a domain's URLs that are flagged."""
    shares = _shares(flagged, urls=urls)
    generator = np.random.default_rng(seed)
    means = [generator.choice(shares, size=len(shares)).mean() for _ in range(_DRAWS)]
    low, high = np.quantile(means, _INTERVAL)
    return Estimate(value=float(shares.mean()), low=float(low), high=float(high))


def lowest_bound(
    probabilities: Floats, *, benign: Sequence[LabelledUrl], flagged_at_most: float, seed: int
) -> float:
    """Return the lowest probability at which no more than this share of benign domains is flagged, by the
    upper end of the interval.
    """
    candidates = np.append(np.unique(probabilities), 1.0)
    low, high = 0, len(candidates) - 1
    while low < high:
        middle = (low + high) // 2
        share = flagged_share(probabilities >= candidates[middle], urls=benign, seed=seed)
        low, high = (low, middle) if share.high <= flagged_at_most else (middle + 1, high)
    return float(candidates[low])


def roc_auc(probabilities: Floats, *, urls: Sequence[LabelledUrl], seed: int) -> Estimate:
    """Return the ROC-AUC weighed by domain; a draw has as many domains of each sort as there are."""
    is_bad, weights = bad_of(urls), domain_weights(urls)
    generator = np.random.default_rng(seed)
    _, places = np.unique([f"{url.is_bad} {url.domain}" for url in urls], return_inverse=True)
    _, ranks = np.unique(probabilities, return_inverse=True)
    sorts = np.zeros(places.max() + 1, dtype=bool)
    sorts[places] = is_bad
    areas = []
    for _ in range(_DRAWS):
        times = np.zeros(len(sorts))
        for sort in (sorts, ~sorts):
            times[sort] = np.bincount(generator.integers(sort.sum(), size=sort.sum()), minlength=sort.sum())
        areas.append(_area(ranks, is_bad=is_bad, weights=weights * times[places]))
    low, high = np.quantile(areas, _INTERVAL)
    value = roc_auc_score(is_bad, probabilities, sample_weight=weights)
    return Estimate(value=float(value), low=float(low), high=float(high))


def domain_weights(urls: Sequence[LabelledUrl]) -> Floats:
    """Weigh both sorts alike, and within a sort every domain alike; the mean weight is 1."""
    counts = Counter((url.domain, url.is_bad) for url in urls)
    weights = np.array([1.0 / counts[url.domain, url.is_bad] for url in urls])
    is_bad = bad_of(urls)
    for sort in (is_bad, ~is_bad):
        weights[sort] *= len(urls) / 2.0 / weights[sort].sum()
    return weights


def bad_of(urls: Sequence[LabelledUrl]) -> NDArray[np.bool_]:
    """Return a flag for each URL that is listed as bad."""
    return np.array([url.is_bad for url in urls], dtype=bool)


def _area(ranks: NDArray[np.intp], *, is_bad: NDArray[np.bool_], weights: Floats) -> float:
    """Return the ROC-AUC, ties counting half; sklearn's checks of its arguments take most of its time."""
    bad = np.bincount(ranks, weights * is_bad)
    benign = np.bincount(ranks, weights * ~is_bad)
    return float(bad @ (benign.cumsum() - 0.5 * benign) / (bad.sum() * benign.sum()))


def _shares(flagged: NDArray[np.bool_], *, urls: Sequence[LabelledUrl]) -> Floats:
    """Return each domain's share of flagged URLs."""
    _, places = np.unique([url.domain for url in urls], return_inverse=True)
    shares: Floats = np.bincount(places, flagged) / np.bincount(places)
    return shares


def _of_kind(urls: Sequence[LabelledUrl], kind: str) -> list[LabelledUrl]:
    return [url for url in urls if url.kind == kind]
