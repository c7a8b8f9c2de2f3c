"""Near-duplicate signatures: texts that share a band probably come from one template.

MinHash (Broder 1997) over character shingles, banded for locality-sensitive hashing (Leskovec, Rajaraman,
Ullman, Mining of Massive Datasets, ch. 3). Own numpy lines, not datasketch: that draws its permutations from
numpy's generator, whose stream may change between versions, and these digests are stored in the database.
"""

import functools
import hashlib
import re
import unicodedata

import numpy as np
from numpy.typing import NDArray

BANDS = 16
_ROWS_PER_BAND = 4
_SHINGLE = 5
_MIN_WORDS = 3
_TEXT_LIMIT = 10_000

# Links, bare domains and handles.
LINK = re.compile(r"\b(?:https?:|www\.)\S+|\b[\w-]+(?:\.[\w-]+)+(?:/\S*)?|@\w+", re.IGNORECASE)
# Scripts without spaces: each character counts as a word.
_WORD = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]|[^\W\d_]+")


@functools.lru_cache(maxsize=128)  # asked twice for each post of a batch
def bands(text: str) -> tuple[int, ...]:
    """Return signed 64-bit digests, the same in every process and version; near-duplicates share at least
    one.

    Names, numbers, links and emoji may differ. A text of under three words has one band, its exact normalised
    form; an empty text has none. Only the first 10,000 characters count.
    """
    plain = folded(text[:_TEXT_LIMIT])
    words = _words(plain)
    if len(words) < _MIN_WORDS:
        exact = " ".join(plain.split())
        return (_digest(f"exact:{exact}"),) if exact else ()
    signature = _signature(_shingles(words))
    rows = signature.reshape(BANDS, _ROWS_PER_BAND)
    return tuple(_digest(f"band:{index}:{row.tobytes().hex()}") for index, row in enumerate(rows))


def word_count(text: str) -> int:
    """Count the words of a signature: links, handles, numbers and signs are none."""
    return len(_words(folded(text[:_TEXT_LIMIT])))


def likeness(first: str, second: str) -> float:
    """Return the share of shingles that two texts have in common (Jaccard), 0 to 1; 1 if both are empty."""
    left, right = (_shingles(_words(folded(text[:_TEXT_LIMIT]))) for text in (first, second))
    return len(left & right) / len(left | right) if left or right else 1.0


def folded(text: str) -> str:
    """Fold case, width and accents and drop invisible characters."""
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    return "".join(
        character for character in decomposed if unicodedata.category(character) not in ("Cf", "Mn")
    )


def _words(plain: str) -> list[str]:
    return _WORD.findall(LINK.sub(" ", plain))


def _shingles(words: list[str]) -> set[str]:
    text = " ".join(words)
    starts = range(max(1, len(text) - _SHINGLE + 1)) if words else ()
    return {text[start : start + _SHINGLE] for start in starts}


def _signature(shingles: set[str]) -> NDArray[np.uint32]:
    """Return the minimum of every hash function over the shingles, shape (BANDS * rows,), little-endian
    uint32.
    """
    multipliers, offsets = _hash_functions()
    numbers = np.array([_raw(shingle) for shingle in shingles], dtype=np.uint64)
    # Multiply-shift hashing (Dietzfelbinger 1997): uint64 arithmetic wraps on purpose, the high half is kept.
    hashed = (numbers[:, None] * multipliers + offsets) >> np.uint64(32)
    # Little-endian on every machine: the bytes go into digests that are stored.
    signature: NDArray[np.uint32] = hashed.min(axis=0).astype("<u4")
    return signature


@functools.cache
def _hash_functions() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    count = BANDS * _ROWS_PER_BAND
    numbers = np.array([_raw(f"hash function {index}") for index in range(2 * count)], dtype=np.uint64)
    # Multiply-shift hashing needs odd multipliers.
    return numbers[:count] | np.uint64(1), numbers[count:]


def _digest(text: str) -> int:
    """Return a signed 64-bit number, which is what a PostgreSQL bigint holds."""
    return int.from_bytes(_bytes(text), "big", signed=True)


def _raw(text: str) -> int:
    return int.from_bytes(_bytes(text), "big")


def _bytes(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
