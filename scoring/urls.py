"""The URL model: a linear model over character n-grams and simple measures, silent on popular sites.

Scheme and a leading "www." are ignored: in the training data they show who collected a URL, not its class.
Fitted in training/train_urls.py; kept as plain arrays, never as a pickle.
"""

import functools
import math
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Self
from urllib.parse import unquote_to_bytes

import numpy as np
from numpy.typing import NDArray

from scoring.known_domains import is_popular
from scoring.links import registrable_domain
from scoring.ngrams import BUCKETS, hashed
from scoring.release import loading
from scoring.trees import Floats
from scoring.url_shape import shape_of

URLS_FILE = "urls.npz"
# Scales are fixed, so that a measure weighs about as much as a handful of n-grams. The first two are measured
# here, the others are those of UrlShape.
MEASURES: tuple[tuple[str, float], ...] = (
    ("host_length", 100.0),
    ("path_length", 20.0),
    ("subdomains", 4.0),
    ("bait_tokens", 4.0),
    ("is_punycode", 1.0),
    ("is_mixed_script", 1.0),
    ("is_lookalike", 1.0),
    ("is_ip_host", 1.0),
    ("is_shortener", 1.0),
    ("has_cheap_suffix", 1.0),
    ("has_userinfo", 1.0),
)

_GRAM_SIZES = (2, 3, 4)
_LONGEST_BYTES = 300
_SHAPE = attrgetter(*(name for name, _ in MEASURES[2:]))
# Salts separate "login" in a host from "login" in a path.
_HOST_SALT, _PATH_SALT = 1, 77


@dataclass(frozen=True)
class UrlModel:
    """Weights of the n-gram buckets, shape (BUCKETS,), and of MEASURES.

    `review_from` is the probability from which a URL counts as suspicious. Below it the feature is 0.
    """

    gram_weights: NDArray[np.int8]
    gram_scale: float
    measure_weights: Floats
    intercept: float
    review_from: float

    def __post_init__(self) -> None:
        if self.gram_weights.shape != (BUCKETS,) or self.measure_weights.shape != (len(MEASURES),):
            raise ValueError("the weights have another shape than this code reads")
        if not np.isfinite([self.gram_scale, self.intercept, self.review_from, *self.measure_weights]).all():
            raise ValueError("a weight is not finite")

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read urls.npz. Raises Corrupt if it is missing or not a model."""
        path = folder / URLS_FILE
        with loading(path), path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            return cls(
                gram_weights=archive["gram_weights"],
                gram_scale=float(archive["gram_scale"]),
                measure_weights=archive["measure_weights"],
                intercept=float(archive["intercept"]),
                review_from=float(archive["review_from"]),
            )

    def save(self, folder: Path) -> Path:
        """Write urls.npz into an existing folder and return its path."""
        path = folder / URLS_FILE
        np.savez_compressed(
            path,
            gram_weights=self.gram_weights,
            gram_scale=self.gram_scale,
            measure_weights=self.measure_weights,
            intercept=self.intercept,
            review_from=self.review_from,
        )
        return path

    def probability(self, url: str) -> float:
        """Return the probability that a URL is phishing or malware by its characters, in [0, 1); 0 on popular
        sites that have one author.
        """
        if is_silent(url):
            return 0.0
        return 0.5 * (1.0 + math.tanh(0.5 * self.margin(url)))

    def suspicion(self, url: str) -> float:
        """Return how far the probability is above the threshold, scaled to [0, 1]; 0 below it.

        Below the threshold all URLs are equal: an honest-looking URL costs a spammer nothing and excuses
        nothing.
        """
        return max(0.0, self.probability(url) - self.review_from) / (1.0 - self.review_from)

    def margin(self, url: str) -> float:
        """Return the log-odds before the logistic function."""
        grams, values = grams_of(url), measures_of(url)
        gram_sum = float(self.gram_weights[grams].astype(np.float64).sum()) * self.gram_scale
        # fsum: the same sum on every machine, whatever vector instructions its numpy was built with.
        measure_sum = math.fsum(
            weight * value for weight, value in zip(self.measure_weights, values, strict=True)
        )
        return self.intercept + gram_sum / math.sqrt(len(grams)) + measure_sum


def is_silent(url: str) -> bool:
    """Return whether a URL is on a popular site with one author: the model ignores these."""
    return is_popular(_parts(url)[1])


@functools.lru_cache(maxsize=16_384)
def grams_of(url: str) -> NDArray[np.intp]:
    """Return the distinct buckets of a URL's n-grams, ascending; never empty. Do not write to it."""
    _, host, path = _parts(url)
    parts = (
        (_HOST_SALT, b"^" + host.encode("utf-8", "surrogatepass") + b"$"),
        (_PATH_SALT, unquote_to_bytes(path)[:_LONGEST_BYTES] + b"\n"),
    )
    letters = ((salt, np.frombuffer(text, dtype=np.uint8).astype(np.uint32)) for salt, text in parts)
    grams = [hashed(symbols, size=size, salt=salt) for salt, symbols in letters for size in _GRAM_SIZES]
    return np.unique(np.concatenate(grams)).astype(np.intp)


@functools.lru_cache(maxsize=16_384)
def measures_of(url: str) -> tuple[float, ...]:
    """Return MEASURES of a URL, each divided by its scale."""
    user, host, path = _parts(url)
    shape = _SHAPE(shape_of(f"http://{user}{host}{path}", host, registrable_domain(host)))
    values = (float(len(host)), math.log1p(len(path)), *shape)
    return tuple(min(value / scale, 5.0) for value, (_, scale) in zip(values, MEASURES, strict=True))


def _parts(url: str) -> tuple[str, str, str]:
    """Return the user part before @, the host without port and "www.", and the path."""
    authority, _, path = (url.partition("://")[2] if "://" in url else url).partition("/")
    user, at, host = authority.lower().rpartition("@")
    host = host if host.startswith("[") else host.partition(":")[0]
    return user + at, host.removeprefix("www."), "/" + path
