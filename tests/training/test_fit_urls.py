"""Weights of the URL model's rows: domains, kinds and sorts, never the number of URLs."""

from __future__ import annotations

import numpy as np
import pytest

from training import fit_urls
from training.fit_urls import SHARES, Row
from training.labelled_urls import LabelledUrl


def row(domain: str, *, kind: str = "benign", part: str = "listed", written: str = "") -> Row:
    return Row(LabelledUrl(url=f"http://{domain}/", domain=domain, kind=kind), part, written)


class TestWeights:
    def test_a_domain_weighs_the_same_however_many_urls_it_has(self) -> None:
        rows = [*[row("many.example")] * 9, row("few.example"), row("bad.example", kind="malware")]

        weights = fit_urls.weights(rows)

        assert weights[:9].sum() == pytest.approx(weights[9])
        assert weights[:10].sum() == pytest.approx(weights[10])

    def test_parts_have_their_shares_and_kinds_of_written_links_weigh_alike(self) -> None:
        rows = [
            row("listed.example"),
            *[row("maps.example", part="everyday", written="map")] * 3,
            row("news.example", part="everyday", written="news"),
            *[row("bad.example", kind="phishing")] * 4,
        ]

        weights = fit_urls.weights(rows)

        assert weights[1:4].sum() == pytest.approx(weights[4])
        assert weights[1:5].sum() == pytest.approx(SHARES["everyday"] / SHARES["benign"] * weights[0])
        assert np.mean(weights) == pytest.approx(1.0)
