"""The word list that tells a disguised word from a code: English words, most frequent first.

words.txt holds the whole-word entries of BERT's English vocabulary (Apache-2.0) and words of spam corpora;
`python -m training words` of c07131c07 wrote it.
"""

import functools
from pathlib import Path

FREQUENT = 8_000


def rank(word: str) -> int | None:
    """Return the place of a word in lower case, 0 the most frequent; None if it is not in the list."""
    return _ranks().get(word)


@functools.cache
def listed() -> tuple[str, ...]:
    """Return the words in lower case, the most frequent first."""
    return tuple(Path(__file__).with_name("words.txt").read_text(encoding="ascii").split())


@functools.cache
def _ranks() -> dict[str, int]:
    return {word: place for place, word in enumerate(listed())}
