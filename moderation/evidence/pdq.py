"""PDQ, the hash by which a picture is recognised after scaling, recompression and small changes.

As in https://github.com/facebook/ThreatExchange/tree/main/pdq, whose own binding (`pdqhash`)
has no wheel for Python 3.11 to 3.14: it would need a compiler on every machine. At a distance of at most 31
of 256 bits two pictures count as the same one.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

SAME_PICTURE = 31
"""The greatest distance in bits between two copies of one picture."""
TRUSTED_QUALITY = 50
"""Below this quality (0 to 100) a picture has too few features: unlike ones have near hashes."""
LEAST_SIDE = 5
"""Pictures of fewer pixels in width or height have no hash."""

_SIDE, _KEPT = 64, 16
_LUMA = np.array([0.299, 0.587, 0.114])
_Floats = npt.NDArray[np.floating]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pdq:
    """A hash of 64 hex digits with its quality (0 to 100), and those of the picture turned and mirrored.

    `turned` is: turned by 90, 180 and 270 degrees to the left, mirrored upside down, mirrored left to right,
    and mirrored in both diagonals.
    """

    hash: str
    quality: int
    turned: tuple[str, ...]


def of(pixels: npt.NDArray[np.uint8]) -> Pdq | None:
    """Return the hash of RGB pixels of shape (height, width, 3); None if they are too few."""
    if min(pixels.shape[:2]) < LEAST_SIDE:
        return None
    small = _small(pixels @ _LUMA)
    matrix = _dct_matrix()
    coefficients = matrix @ small @ matrix.T
    down, across = _signs()[:, None], _signs()[None, :]
    turned = (
        (coefficients * across).T,
        coefficients * down * across,
        (coefficients * down).T,
        coefficients * down,
        coefficients * across,
        coefficients.T,
        (coefficients * down * across).T,
    )
    return Pdq(hash=_hex(coefficients), quality=_quality(small), turned=tuple(map(_hex, turned)))


def near(hashes: Collection[str], *, listed: Sequence[str]) -> set[str]:
    """Return the hashes that are copies of one of those listed; each takes 1 ms of 100,000."""
    rows = np.ascontiguousarray(_words(listed).T)
    return {
        hash_
        for hash_, words in zip(hashes, _words(hashes), strict=True)
        if (np.bitwise_count(rows ^ words[:, None]).sum(axis=0) <= SAME_PICTURE).any()
    }


def _words(hashes: Collection[str]) -> npt.NDArray[np.uint64]:
    return np.frombuffer(bytes.fromhex("".join(hashes)), dtype=np.uint64).reshape(-1, 4)


def _small(luma: _Floats) -> _Floats:
    """Blur by two passes of a box, then keep the middle of each of 64 x 64 tiles."""
    height, width = luma.shape
    if (height, width) != (_SIDE, _SIDE):
        for _pass in range(2):
            luma = _blurred(_blurred(luma.T).T)
    rows = ((np.arange(_SIDE) + 0.5) * height / _SIDE).astype(int)
    columns = ((np.arange(_SIDE) + 0.5) * width / _SIDE).astype(int)
    return luma[np.ix_(rows, columns)]


def _blurred(luma: _Floats) -> _Floats:
    """Return the means over a window of rows, shorter at both ends."""
    length = luma.shape[0]
    window = (length + 2 * _SIDE - 1) // (2 * _SIDE)
    ahead = (window + 2) // 2
    ends = np.minimum(np.arange(length) + ahead, length)
    starts = np.maximum(np.arange(length) + ahead - window, 0)
    sums = np.concatenate((np.zeros((1, luma.shape[1])), np.cumsum(luma, axis=0)))
    means: _Floats = (sums[ends] - sums[starts]) / (ends - starts)[:, None]
    return means


def _quality(small: _Floats) -> int:
    """Count steep gradients: each is quantised first, so that many faint ones do not add up."""
    steps = (np.abs(np.diff(small, axis=axis)) * 100 / 255 for axis in (0, 1))
    return min(100, int(sum(int(step.astype(int).sum()) for step in steps) / 90))


def _dct_matrix() -> _Floats:
    """Return the rows 1 to 16 of a discrete cosine transform of length 64."""
    frequency, place = np.arange(1, _KEPT + 1)[:, None], np.arange(_SIDE)[None, :]
    matrix: _Floats = np.sqrt(2 / _SIDE) * np.cos(np.pi / 2 / _SIDE * frequency * (2 * place + 1))
    return matrix


def _signs() -> _Floats:
    """Return what mirroring a picture multiplies its coefficients by: those of odd frequency change sign."""
    return np.where(np.arange(_KEPT) % 2 == 0, -1.0, 1.0)


def _hex(coefficients: _Floats) -> str:
    """Return which of the 256 coefficients lie above the lower median, the last one first."""
    median = np.partition(coefficients, 127, axis=None)[127]
    return np.packbits((coefficients > median).flatten()[::-1]).tobytes().hex()
