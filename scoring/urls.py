"""The URL model: a linear model over character n-grams and simple measures.

Scheme and a leading "www." are ignored: in the training data they show who collected a URL, not its class.
Fitted in training/train_urls.py; kept as plain arrays, never as a pickle.
"""

from __future__ import annotations

import functools
import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from urllib.parse import unquote_to_bytes

import numpy as np
from numpy.typing import NDArray

from scoring.ngrams import BUCKETS, hashed
from scoring.release import loading
from scoring.trees import Floats

URLS_FILE = "urls.npz"
# Fixed scales, so that a measure weighs about as much as a handful of n-grams.
MEASURES: tuple[tuple[str, float], ...] = (
    ("host_length", 100.0),
    ("host_dots", 10.0),
    ("host_hyphens", 10.0),
    ("host_digit_share", 1.0),
    ("host_entropy", 20.0),
    ("host_is_address", 2.0),
    ("path_length", 20.0),
    ("path_segments", 30.0),
    ("path_percent_signs", 100.0),
    ("path_digit_share", 1.0),
    ("path_capital_share", 1.0),
    ("path_hyphen_share", 0.5),
    ("path_is_root", 4.0),
    ("path_ends_open", 4.0),
    ("path_has_double_slash", 2.0),
    ("path_has_tilde", 2.0),
    ("longest_token", 200.0),
    ("last_segment_entropy", 20.0),
    ("last_segment_is_script", 4.0),
    ("last_segment_is_page", 4.0),
    ("last_segment_is_program", 2.0),
    ("query_length", 20.0),
    ("query_parameters", 30.0),
)

_GRAM_SIZES = (2, 3, 4)
_LONGEST_BYTES = 300
_TOKEN = re.compile(r"[A-Za-z0-9]+")
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
        with loading(path), path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            return cls(
                gram_weights=stored["gram_weights"],
                gram_scale=float(stored["gram_scale"]),
                measure_weights=stored["measure_weights"],
                intercept=float(stored["intercept"]),
                review_from=float(stored["review_from"]),
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
        """Return the probability that a URL is phishing or malware by its characters alone, in (0, 1)."""
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
        measured = math.fsum(
            weight * value for weight, value in zip(self.measure_weights, values, strict=True)
        )
        return self.intercept + gram_sum / math.sqrt(len(grams)) + measured


@functools.lru_cache(maxsize=16_384)
def grams_of(url: str) -> NDArray[np.intp]:
    """Return the distinct buckets of a URL's n-grams, ascending; never empty. Do not write to it."""
    host, path = _host_and_path(url)
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
    host, rest = _host_and_path(url)
    path, _, query = rest.partition("?")
    segments = [segment for segment in path.split("/") if segment]
    last = segments[-1] if segments else ""
    ending = last.rpartition(".")[2].lower() if "." in last else ""
    values = (
        float(len(host)),
        float(host.count(".")),
        float(host.count("-")),
        _share(host, str.isdigit),
        _entropy(host),
        float(host.replace(".", "").isdigit() or host.startswith("[")),
        math.log1p(len(rest)),
        float(len(segments)),
        float(rest.count("%")),
        _share(rest, str.isdigit),
        _share(rest, str.isupper),
        _share(rest, "-".__eq__),
        float(rest == "/"),
        float(rest.endswith("/")),
        float("//" in rest),
        float("~" in rest),
        float(max(map(len, _TOKEN.findall(rest)), default=0)),
        _entropy(last),
        float(ending in {"php", "asp", "aspx", "cgi", "jsp"}),
        float(ending in {"html", "htm"}),
        float(ending in {"exe", "zip", "rar", "apk", "scr"}),
        math.log1p(len(query)),
        float(query.count("=")),
    )
    return tuple(min(value / scale, 5.0) for value, (_, scale) in zip(values, MEASURES, strict=True))


def _host_and_path(url: str) -> tuple[str, str]:
    host, _, path = url.partition("://")[2].partition("/") if "://" in url else url.partition("/")
    return host.lower().removeprefix("www."), "/" + path


def _share(text: str, belongs: Callable[[str], bool]) -> float:
    return sum(map(belongs, text)) / len(text) if text else 0.0


def _entropy(text: str) -> float:
    """Return Shannon's entropy of the characters, in bits."""
    total = len(text)
    return -sum(count / total * math.log2(count / total) for count in Counter(text).values())
