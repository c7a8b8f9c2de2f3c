"""A platform's head: the content margin, corrected by what a text says and by the words it uses.

A linear model over the content margin, the content model's vector, and hashed n-grams of words and
characters, fitted on the platform's decisions (training/train_heads.py). For that platform's posts its output
replaces the content probability. The reader of evidence is such a head, too, without n-grams.
"""

import hashlib
import math
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from scoring.content import ContentScore, vectors_of
from scoring.ensemble import calibrated, content_margins, probabilities_of
from scoring.ngrams import BUCKETS, hashed
from scoring.normalise import as_read
from scoring.records import PostRecord
from scoring.release import Release, loading
from scoring.trees import Floats

_CHARACTER_GRAMS = (1, 2, 3, 4)
_WORD_GRAMS = (1, 2)
_MOST_CHARACTERS = 2_000
_WORD = re.compile(r"\w+|[^\w\s]")
# Salts separate the character n-gram "a" from the word "a".
_CHARACTER_SALT, _WORD_SALT = 1, 9
_PLATFORM = re.compile(r"[A-Za-z0-9_-]{1,100}")
_NOTHING = np.zeros(0, dtype=np.float32)
_NO_KEYS = np.zeros(0, dtype=np.uint64)


@dataclass(frozen=True)
class PlatformHead:
    """Weights of the n-gram buckets, float32 (BUCKETS,), of the vector, float32 (width,), either empty for a
    head that does not read it, and the line through the content margin.

    `learnt` are the keys of the posts and groups that it was fitted to, which must not judge it; empty if
    unknown.
    """

    content_slope: float
    intercept: float
    weights: NDArray[np.float32] = field(default_factory=lambda: _NOTHING)
    vector: NDArray[np.float32] = field(default_factory=lambda: _NOTHING)
    learnt: NDArray[np.uint64] = field(default_factory=lambda: _NO_KEYS)

    def __post_init__(self) -> None:
        if self.weights.shape not in {(0,), (BUCKETS,)} or self.vector.ndim != 1:
            raise ValueError("the weights have another shape than this code reads")
        if not np.isfinite([*self.weights, *self.vector, self.content_slope, self.intercept]).all():
            raise ValueError("a weight is not finite")

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a head's file. Raises Corrupt if it is missing or not a head."""
        with loading(path), path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            return cls(
                weights=archive["weights"],
                content_slope=float(archive["content_slope"]),
                intercept=float(archive["intercept"]),
                vector=archive.get("vector", _NOTHING),
                # Older files lack it.
                learnt=archive.get("learnt", _NO_KEYS),
            )

    def save(self, path: Path) -> None:
        """Write the file into an existing folder; the same head gives the same bytes."""
        np.savez_compressed(
            path,
            weights=self.weights,
            content_slope=self.content_slope,
            intercept=self.intercept,
            vector=self.vector,
            learnt=self.learnt,
        )

    def margin(self, text: str, *, content_margin: float, vector: Floats) -> float:
        """Return the log-odds that a text is spam on this platform. Raises ValueError for a vector of another
        width than that of the head.
        """
        margin = self.content_slope * content_margin + self.intercept
        # fsum: the same sum on every machine, whatever vector instructions its numpy was built with.
        if self.weights.size:
            buckets, values = grams_of(text)
            margin += math.fsum((self.weights[buckets].astype(np.float64) * values).tolist())
        if self.vector.size:
            margin += math.fsum((self.vector.astype(np.float64) * vector).tolist())
        return margin

    def probabilities(self, texts: Sequence[str], *, scores: Sequence[ContentScore]) -> Floats:
        """Return the spam probabilities, float64 (n,), of texts and their scores."""
        margins = content_margins(np.array([score.probability for score in scores]))
        head_margins = [
            self.margin(text, content_margin=margin, vector=vector)
            for text, margin, vector in zip(texts, margins.tolist(), vectors_of(scores), strict=True)
        ]
        return probabilities_of(np.array(head_margins, dtype=np.float64))


@dataclass(frozen=True)
class PlatformHeads:
    """The heads of a release, by platform slug; other platforms use the content model's output."""

    by_platform: Mapping[str, PlatformHead]

    @classmethod
    def load(cls, folder: Path, *, files: Mapping[str, str]) -> Self:
        """Read the heads of a release, given its files by platform. Raises Corrupt."""
        return cls({platform: PlatformHead.load(folder / name) for platform, name in files.items()})

    def read(self, record: PostRecord, score: ContentScore | None) -> float:
        """Return the probability that a post's text is spam on its platform, NaN without a score."""
        if score is None:
            return math.nan
        head = self.by_platform.get(record.platform)
        return (
            score.probability if head is None else float(head.probabilities([record.text], scores=[score])[0])
        )


def learnt_keys(*, post: str, group: str) -> tuple[int, int]:
    """Return the keys of a decided post and of its near-duplicates, below 2**64."""
    names = (f"post {post}", f"group {group}")
    first, second = (
        int.from_bytes(hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[:8], "big")
        for name in names
    )
    return first, second


def file_of(platform: str) -> str:
    """Return the file name of a platform's head. Raises ValueError if it is no slug."""
    if not _PLATFORM.fullmatch(platform):
        raise ValueError(f"{platform!r} is no slug of a platform")
    return f"heads/{platform}.npz"


def grams_of(text: str) -> tuple[NDArray[np.intp], Floats]:
    """Return buckets and values of a text's n-grams: of characters and of words, each of length one.

    The text is normalised as for the content model and lower-cased; at most 2,000 characters count.
    """
    plain = " ".join(as_read(text).text.lower().split())[:_MOST_CHARACTERS]
    letters = np.frombuffer(f" {plain} ".encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    words = np.array(
        [zlib.crc32(word.encode("utf-8", "surrogatepass")) for word in _WORD.findall(plain)], dtype=np.uint32
    )
    blocks = [
        _counted(letters, sizes=_CHARACTER_GRAMS, salt=_CHARACTER_SALT),
        _counted(words, sizes=_WORD_GRAMS, salt=_WORD_SALT),
    ]
    return (
        np.concatenate([buckets for buckets, _ in blocks]),
        np.concatenate([values for _, values in blocks]),
    )


def _counted(
    symbols: NDArray[np.uint32], *, sizes: Sequence[int], salt: int
) -> tuple[NDArray[np.intp], Floats]:
    """Return distinct buckets, and 1 + log of how often each occurs, scaled to length one."""
    grams = np.concatenate([hashed(symbols, size=size, salt=salt) for size in sizes])
    buckets, counts = np.unique(grams, return_counts=True)
    values = 1.0 + np.log(counts)
    length = math.sqrt(math.fsum((values * values).tolist()))
    return buckets.astype(np.intp), values / (length or 1.0)


def probabilities(release: Release, margins: Floats, *, platforms: Sequence[str]) -> Floats:
    """Map main margins (n,) to spam probabilities, each by the curve of its post's platform."""
    answers = calibrated(margins, calibration=release.calibration)
    for platform in release.platforms.keys() & set(platforms):
        here = np.array([name == platform for name in platforms])
        answers[here] = calibrated(margins[here], calibration=release.platforms[platform].calibration)
    return answers
