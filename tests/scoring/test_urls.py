"""The URL model: what it looks at, says and loads; its buckets of n-grams; and the shape of a URL."""

from pathlib import Path

import numpy as np
import pytest

from scoring.links import links_in
from scoring.ngrams import BUCKETS, hashed
from scoring.release import Corrupt
from scoring.url_shape import UrlShape, shape_of
from scoring.urls import MEASURES, URLS_FILE, UrlModel, grams_of, measures_of
from tests.scoring.links_of_today import EVERYDAY_LINKS, SCAM_LINKS
from tests.scoring.starter import STARTER


@pytest.fixture(scope="module")
def model() -> UrlModel:
    return UrlModel.load(STARTER)


def shape(url: str) -> UrlShape:
    (link,) = links_in("", extra=[url])
    return shape_of(link.url, link.host, link.domain)


def symbols(text: str) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    return np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)


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


class TestShapeOf:
    @pytest.mark.parametrize(
        ("url", "measure", "value"),
        [
            ("http://a.example/", "length", 17),
            ("http://a.example/", "subdomains", 0),
            ("http://x.y.a.co.uk/", "subdomains", 2),
            ("http://10.1.2.3/", "subdomains", 0),
            ("http://a.example/1234", "digit_share", 4 / 14),
            ("http://a.example/", "digit_share", 0),
            ("http://a.example/one/two-3?q=4", "path_tokens", 5),
            ("http://a.example/login/now?verify=1", "bait_tokens", 2),
            ("http://free-bonus.example/", "bait_tokens", 2),
            ("http://a.example/page", "bait_tokens", 0),
            ("http://xn--80ak6aa92e.com/", "is_punycode", 1),
            ("http://apple.com/", "is_punycode", 0),
            ("http://xn--pypal-4ve.com/", "is_mixed_script", 1),
            ("http://xn--mller-kva.de/", "is_mixed_script", 0),
            ("http://paypal.com/", "is_mixed_script", 0),
            ("http://10.1.2.3/", "is_ip_host", 1),
            ("http://0x7f.1/", "is_ip_host", 1),
            ("http://[::1]/", "is_ip_host", 1),
            ("http://localhost/", "is_ip_host", 0),
            ("http://a.example/", "is_ip_host", 0),
            ("https://bit.ly/x", "is_shortener", 1),
            ("https://orbit.ly/x", "is_shortener", 0),
            ("https://win.top/", "has_cheap_suffix", 1),
            ("https://top.com/", "has_cheap_suffix", 0),
            ("https://bank.com@evil.example/", "has_userinfo", 1),
            ("https://evil.example/@bank.com", "has_userinfo", 0),
        ],
    )
    def test_measures(self, url: str, measure: str, value: float) -> None:
        assert getattr(shape(url), measure) == pytest.approx(value)

    @pytest.mark.parametrize(
        "url",
        [
            *("http://paypa1.com/", "http://paypal.com.login.example/", "http://paypal-security.example/"),
            *("http://micr0soft-support.example/", "http://rnicrosoft.com/", "http://apple.login-id.top/"),
            *("http://xn--80ak6aa92e.com/", "http://xn--pypal-4ve.com/", "http://wikipedla.org/"),
            *("http://www.bbc.co.uk.news.example/", "http://bbc.co.uk@news.example/"),
        ],
    )
    def test_a_borrowed_brand_is_a_lookalike(self, url: str) -> None:
        assert shape(url).is_lookalike == 1

    @pytest.mark.parametrize(
        "url",
        [
            *("https://www.paypal.com/signin", "https://google.co.uk/"),
            *("https://login.microsoftonline.com/", "https://pineapple.com/", "https://steamy.example/"),
            *("https://a.example/paypal", "http://10.1.2.3/"),
            *("http://www.terra.com.br/", "http://en.wikipedia.org/"),
        ],
    )
    def test_the_brand_itself_and_other_words_are_not(self, url: str) -> None:
        assert shape(url).is_lookalike == 0


class TestHashed:
    @pytest.mark.parametrize(
        ("text", "size", "salt", "buckets"),
        [
            ("/login", 3, 77, [1679, 4798, 51707, 32774]),
            ("^a.b$", 2, 1, [27078, 20216, 53812, 56752]),
            ("ก็ไม่", 1, 1, [14354, 52166, 6802, 58731, 5344]),
            ("ab", 2, 9, [49671]),
            ("a🎉b", 2, 1, [4344, 29037]),
            *((too_short, 3, 1, []) for too_short in ("", "a", "ab")),
        ],
    )
    def test_is_what_releases_were_fitted_with(
        self, text: str, size: int, salt: int, buckets: list[int]
    ) -> None:
        assert hashed(symbols(text), size=size, salt=salt).tolist() == buckets

    def test_salts_and_sizes_keep_ngrams_apart(self) -> None:
        found = {int(hashed(symbols("aa"), size=size, salt=salt)[0]) for size in (1, 2) for salt in (1, 9)}

        assert len(found) == 4
        assert max(found) < BUCKETS
