"""Which words make what is behind a post read like spam: each is left out, and the text read again."""

import re
from collections.abc import Iterator
from itertools import islice

from scoring.ensemble import content_margins
from scoring.evidence_model import EvidenceModel
from scoring.readings import ContentProtocol, Readings
from scoring.records import PostRecord
from scoring.release import Release

MOST_WORDS = 30
"""Words of a post's evidence that are named."""
_MOST_TRIED = 60
"""Most distinct words that are left out in turn: as many texts as the words of a post take to explain."""
_LEAST_SHARE = 0.1
"""Share of the strongest word's weight that a word needs to be named."""
_WORD = re.compile(r"\w[\w'\u2019-]*")


def of(record: PostRecord, *, release: Release, content: ContentProtocol) -> list[tuple[str, float]]:
    """Return words with how much less their text reads like spam without them, in log-odds, strongest first.

    Words are in lower case and come from the text that reads most like spam; none if no text does, or if the
    release reads no evidence. Some sixty texts go to its content model. Raises content.Unavailable.
    """
    model = EvidenceModel.load(release)
    texts = Readings([record], manifest=release.manifest).texts
    if model is None or not texts:
        return []

    def margins(asked: list[str]) -> list[float]:
        probabilities = model.reader.probabilities(asked, scores=content.scores(asked))
        return list(map(float, content_margins(probabilities)))

    margin, text = max(zip(margins(texts), texts, strict=True))
    words = list(islice(dict.fromkeys(word for word, *_ in words_in(text)), _MOST_TRIED))
    if margin < 0.0 or not words:  # rather not spam
        return []
    without = margins([_left_out(word, text=text) for word in words])
    shares = [(word, round(margin - left, 4)) for word, left in zip(words, without, strict=True)]
    least = _LEAST_SHARE * max(share for _, share in shares)
    strong = [(word, share) for word, share in shares if share > 0.0 and share >= least]
    return sorted(strong, key=lambda pair: (-pair[1], pair[0]))[:MOST_WORDS]


def words_in(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield each word of a text in lower case, with its start and end."""
    for match in _WORD.finditer(text):
        yield match[0].lower(), *match.span()


def _left_out(word: str, *, text: str) -> str:
    return _WORD.sub(lambda match: "" if match[0].lower() == word else match[0], text)
