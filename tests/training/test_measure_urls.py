"""Measures of a URL model count domains, and their intervals widen where there are few."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from training import measure_urls
from training.labelled_urls import LabelledUrl


def urls(counts: dict[str, int], *, kind: str = "benign") -> list[LabelledUrl]:
    return [
        LabelledUrl(url=f"http://{domain}/{number}", domain=domain, kind=kind)
        for domain, count in counts.items()
        for number in range(count)
    ]


class TestMeasure:
    def test_a_domain_counts_once(self) -> None:
        benign = urls({"many.example": 98, "one.example": 1, "other.example": 1})
        bad = urls({"bad.example": 3, "worse.example": 1}, kind="phishing")
        probabilities = np.array([0.1] * 98 + [0.9, 0.1] + [0.2, 0.2, 0.2, 0.9])

        measures = measure_urls.measure(probabilities, urls=[*benign, *bad], review_from=0.5, seed=1)

        assert measures.false_positives.value == pytest.approx(1 / 3)
        assert measures.false_positives_by_url == pytest.approx(0.01)
        assert measures.mostly_flagged == 1
        assert measures.recall.value == pytest.approx(0.5)
        assert measures.recall_by_kind == {"phishing": pytest.approx(0.5)}

    def test_the_interval_of_the_area_lies_around_it(self) -> None:
        generator = np.random.default_rng(5)
        benign = urls({f"good{number}.example": 4 for number in range(60)})
        bad = urls({f"bad{number}.example": 4 for number in range(60)}, kind="phishing")
        probabilities = np.round(np.append(generator.random(240), 0.3 + generator.random(240)), 2)

        area = measure_urls.measure(probabilities, urls=[*benign, *bad], review_from=0.5, seed=1).roc_auc

        is_bad = np.arange(480) >= 240
        assert area.value == pytest.approx(roc_auc_score(is_bad, probabilities))
        assert area.low < area.value < area.high
        assert (area.low + area.high) / 2 == pytest.approx(area.value, abs=0.01)

    def test_the_interval_is_over_domains(self) -> None:
        generator = np.random.default_rng(3)
        shares = []
        for domains in (8, 200):
            benign = urls({f"site{number}.example": 20 for number in range(domains)})
            flagged = np.repeat(generator.random(domains) < 0.3, 20)
            shares.append(measure_urls.flagged_share(flagged, urls=benign, seed=1))

        few, many = (share.high - share.low for share in shares)
        assert few > 3 * many


def test_lowest_bound_keeps_to_the_share_by_the_upper_end_and_no_lower_one_does() -> None:
    benign = urls({f"site{number}.example": 2 for number in range(300)})
    probabilities = np.random.default_rng(4).random(600)

    bound = measure_urls.lowest_bound(probabilities, benign=benign, flagged_at_most=0.05, seed=1)

    def upper(at: float) -> float:
        return measure_urls.flagged_share(probabilities >= at, urls=benign, seed=1).high

    below = probabilities[probabilities < bound].max()
    assert upper(bound) <= 0.05 < upper(below)
