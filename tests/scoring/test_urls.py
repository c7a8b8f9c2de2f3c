"""The URL model: what it looks at, what it says, and what may not be loaded."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scoring.release import Corrupt
from scoring.urls import MEASURES, URLS_FILE, UrlModel, grams_of, measures_of
from tests.scoring.links_of_today import EVERYDAY_LINKS, SCAM_LINKS
from tests.scoring.starter import STARTER


@pytest.fixture(scope="module")
def model() -> UrlModel:
    return UrlModel.load(STARTER)


class TestProbability:
    @pytest.mark.parametrize(
        "url",
        [
            "http://www.hacked.example/wp-includes/paypal.com/webscr.php?cmd=_login-run&dispatch=5885d80a13c0db1f",
            "http://67.18.244.125/~familyof/cgi-bin/paypal.html",
            "http://shop.example/images/?us.battle.net/login/en/?ref=http://us.battle.net/d3/en/index",
        ],
    )
    def test_is_high_for_phishing(self, model: UrlModel, url: str) -> None:
        assert model.probability(url) > model.review_from

    @pytest.mark.parametrize(
        "url",
        [
            "https://www.google.com/",
            "https://github.com/python/cpython/issues/1234",
            "https://www.bbc.co.uk/news/uk-12345678",
            "https://news.example/2026/03/council-votes-on-housing",
        ],
    )
    def test_is_low_for_ordinary_pages(self, model: UrlModel, url: str) -> None:
        assert model.probability(url) < model.review_from
        assert model.suspicion(url) == 0.0

    @pytest.mark.parametrize(
        ("urls", "least", "most"),
        [(EVERYDAY_LINKS, 0.0, 0.04), (SCAM_LINKS, 0.6, 1.0)],
        ids=["everyday", "scam"],
    )
    def test_tells_scam_links_of_today_from_everyday_ones(
        self, model: UrlModel, urls: list[str], least: float, most: float
    ) -> None:
        assert least <= np.mean([model.suspicion(url) > 0.0 for url in urls]) <= most

    def test_says_nothing_of_a_popular_site_that_has_one_author(self, model: UrlModel) -> None:
        path = "wp-includes/paypal.com/webscr.php?cmd=_login-run"

        assert model.probability(f"http://www.bbc.co.uk:80/{path}") == 0.0
        assert model.suspicion(f"http://bbc.co.uk@hacked.example/{path}") > 0.0
        assert model.suspicion(f"http://bbc.co.uk.weebly.com/{path}") > 0.0

    def test_does_not_look_at_scheme_and_www(self, model: UrlModel) -> None:
        urls = ["http://www.a.example/x", "https://a.example/x", "a.example/x", "HTTPS://A.example/x"]

        assert len({model.probability(url) for url in urls}) == 1

    @pytest.mark.parametrize(
        "url", ["", "http://", "x", "http://[", "http://a.example/" + "%" * 9000, "\ud800"]
    )
    def test_is_a_probability_whatever_comes(self, model: UrlModel, url: str) -> None:
        assert 0.0 <= model.probability(url) <= 1.0


class TestInputs:
    def test_grams_are_distinct_and_in_order(self) -> None:
        grams = grams_of("http://a.example/aaaaaaaa")

        assert (np.diff(grams) > 0).all()
        assert grams.max() < 1 << 16

    def test_measures_stand_in_their_order(self) -> None:
        named = dict(zip((name for name, _ in MEASURES), measures_of("http://10.1.2.3/a//b/"), strict=True))

        assert named["is_ip_host"] > 0
        assert named["path_length"] > 0
        assert named["is_lookalike"] == 0


class TestLoad:
    def test_refuses_a_missing_and_a_torn_file(self, tmp_path: Path) -> None:
        with pytest.raises(Corrupt, match="cannot be read"):
            UrlModel.load(tmp_path)

        (tmp_path / URLS_FILE).write_bytes((STARTER / URLS_FILE).read_bytes()[:9000])
        with pytest.raises(Corrupt, match=URLS_FILE):
            UrlModel.load(tmp_path)

    def test_refuses_a_pickle(self, tmp_path: Path) -> None:
        np.savez(tmp_path / URLS_FILE, gram_weights=np.array([object()], dtype=object))

        with pytest.raises(Corrupt, match="allow_pickle"):
            UrlModel.load(tmp_path)

    def test_refuses_weights_of_another_shape(self, model: UrlModel, tmp_path: Path) -> None:
        np.savez(tmp_path / URLS_FILE, **{**vars(model), "measure_weights": np.zeros(3)})

        with pytest.raises(Corrupt, match="another shape"):
            UrlModel.load(tmp_path)
