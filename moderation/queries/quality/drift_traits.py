"""What a post is like, as traits to count: bins of its probability and features, language, domains, words and
pairs of words. Pure; each trait has a bucket of its family, which few others share.
"""

import functools
import hashlib
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from itertools import pairwise

from scoring import similarity
from scoring.features import NAMES, SCHEMA_HASH


class TraitFamily(StrEnum):
    """What a trait is taken from."""

    PROBABILITY = "probability"
    FEATURE = "feature"
    LANGUAGE = "language"
    DOMAIN = "domain"
    WORDS = "words"


Trait = tuple[TraitFamily, str]

SIZES: Mapping[TraitFamily, int] = {
    TraitFamily.PROBABILITY: 64,
    TraitFamily.FEATURE: 4_096,
    TraitFamily.LANGUAGE: 256,
    TraitFamily.DOMAIN: 8_192,
    TraitFamily.WORDS: 32_768,
}
"""Buckets of each family. Families have like shares of the false alarms."""

BUCKETS = sum(SIZES.values())
READ_CHARACTERS = 1_000
"""Of each text, from its beginning."""

_STARTS = dict(zip(SIZES, (sum(list(SIZES.values())[:place]) for place in range(len(SIZES))), strict=True))
_MOST_WORDS, _MOST_NAMES, _LONGEST_NAME = 80, 10, 60
BINS = 20
"""Of the spam probability."""
_LEAST_POWER, _MOST_POWER = -6, 20

# What counts everything seen so far grows with the installation's age, whoever writes.
_GROWS = re.compile(
    r"known|spam|confirmed|complaints|reliab|witness|_authors$|reported|log_ratio|sequence_probability"
    r"|_posts$|^feedback|wot|google|url_age|pattern"
)
WATCHED = tuple((place, name) for place, name in enumerate(NAMES) if not _GROWS.search(name))
"""The place and name of each feature that is compared over time."""
# Scripts without spaces: each character counts as a word.
_ALONE = "\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff"
_WORD = re.compile(rf"[{_ALONE}]|[^\W_{_ALONE}]+")
_SCHEME = re.compile(r"^https?://(?:www\.)?")


def of_text(text: str) -> Iterator[Trait]:
    """Yield words, pairs of neighbours, and names such as handles and hosts, without case and accents."""
    plain = similarity.folded(text[:READ_CHARACTERS])
    names = (_SCHEME.sub("", link).split("/")[0] for link in similarity.LINK.findall(plain)[:_MOST_NAMES])
    words = _WORD.findall(similarity.LINK.sub(" ", plain))[:_MOST_WORDS]
    for word in (*words, *(f"{first} {other}" for first, other in pairwise(words)), *names):
        if len(word) <= _LONGEST_NAME:
            yield TraitFamily.WORDS, word


def of_score(
    *, spam_probability: float, route: str, features: Iterable[float], schema_hash: str
) -> Iterator[Trait]:
    """Yield bins; of features only if their order is that of this version."""
    low = min(BINS - 1, int(spam_probability * BINS)) / BINS
    yield TraitFamily.PROBABILITY, f"{low:.2f}"
    yield TraitFamily.PROBABILITY, route
    if schema_hash != SCHEMA_HASH:
        return
    values = list(features)
    if len(values) == len(NAMES):
        for place, name in WATCHED:
            yield TraitFamily.FEATURE, f"{name}={feature_bin(values[place])}"


def feature_bin(value: float) -> str:
    """Return "?" for unknown, "0", or the power of two below the size, such as "2^3" for 8 to below 16.

    Fixed bins: those fitted to some posts would not be fair to others.
    """
    if math.isnan(value):
        return "?"
    if value == 0.0:
        return "0"
    power = math.frexp(min(abs(value), 2.0**_MOST_POWER))[1] - 1
    return f"{'-' if value < 0 else ''}2^{max(_LEAST_POWER, power)}"


@functools.lru_cache(maxsize=200_000)
def bucket(trait: Trait) -> int:
    """Return the place of a trait's bucket, the same in every process and version; below BUCKETS."""
    family, name = trait
    digest = hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=4).digest()
    return _STARTS[family] + int.from_bytes(digest, "little") % SIZES[family]
