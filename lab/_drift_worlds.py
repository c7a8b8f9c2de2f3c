"""Posts of the simulated platform, taken one by one, and how many of a block's posts have each trait."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import numpy.typing as npt

from moderation.queries.quality import drift_traits
from moderation.queries.quality.drift_traits import BUCKETS, TraitFamily
from scoring.features import NO_MODELS, SCHEMA_HASH, extract
from scoring.links import links_in
from scoring.records import AuthorSnapshot, Link, PostRecord
from simulation import typos
from simulation.texts import CuratedTexts, Families, Text

Places = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]

_AT = datetime(2026, 10, 1, 12, tzinfo=UTC)
_SPAM_SHARE = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Posts as the buckets of their traits, one post after the other; `starts` has one place more."""

    places: Places
    starts: Places

    def counts(self, posts: int, *, dice: np.random.Generator) -> Numbers:
        """Draw posts, each by an author of its own, and count them in each bucket."""
        sample = dice.integers(0, len(self.starts) - 1, posts)
        lengths = self.starts[sample + 1] - self.starts[sample]
        ends = np.cumsum(lengths)
        offsets = np.arange(int(ends[-1]) if posts else 0) - np.repeat(ends - lengths, lengths)
        numbers: Numbers = np.bincount(
            self.places[np.repeat(self.starts[sample], lengths) + offsets], minlength=BUCKETS
        ).astype(np.float64)
        return numbers


def ordinary(posts: int, *, seed: int) -> Pool:
    """Take posts of which a tenth is spam, none of a campaign: in any order they are as likely."""
    rng, texts = random.Random(seed), CuratedTexts(Families.TRAIN)
    return _pool(
        _post(texts.take(rng=rng, is_spam=rng.random() < _SPAM_SHARE), rng=rng) for _ in range(posts)
    )


def campaign(posts: int, *, is_reworded: bool, seed: int) -> Pool:
    """Write the posts of one campaign, from one text or each time from another of the same family.

    The model is blind to it: each is scored as a harmless post.
    """
    rng, texts = random.Random(seed), CuratedTexts(Families.TRAIN)
    first = texts.shared(rng=rng, is_spam=True)
    messages = (texts.reworded(first, rng=rng) if is_reworded else first for _ in range(posts))
    return _pool(
        _post(dataclasses.replace(text, text=typos.with_typos(text.text, rng=rng)), rng=rng, is_blind=True)
        for text in messages
    )


def _pool(posts: Iterator[set[int]]) -> Pool:
    rows: Sequence[set[int]] = list(posts)
    lengths = np.array([len(post) for post in rows], dtype=np.int64)
    return Pool(
        places=np.fromiter((place for post in rows for place in post), dtype=np.int64),
        starts=np.concatenate(([0], np.cumsum(lengths))),
    )


def _post(text: Text, *, rng: random.Random, is_blind: bool = False) -> set[int]:
    is_found = text.kind.is_spam and not is_blind
    probability = rng.betavariate(8, 2) if is_found else rng.betavariate(0.4, 12)
    route = "remove" if probability >= 0.9 else "review" if probability >= 0.4 else "allow"
    links = tuple(Link(url=link.url, host=link.host, domain=link.domain) for link in links_in(text.text))
    author = AuthorSnapshot(
        external_id="author",
        friends=int(rng.lognormvariate(6, 1)),
        followers=int(rng.lognormvariate(5.8, 1.2)),
        posts=int(rng.lognormvariate(7, 1.5)),
        is_verified=rng.random() < 0.02,
    )
    record = PostRecord(
        platform="bench", external_id="post", revision=1, at=_AT, posted_at=_AT, text=text.text,
        language=text.language, author=author, links=links,
    )  # fmt: skip
    traits = set(drift_traits.of_text(text.text))
    traits |= set(
        drift_traits.of_score(
            spam_probability=probability,
            route=route,
            features=extract(record, models=NO_MODELS).tolist(),
            schema_hash=SCHEMA_HASH,
        )
    )
    traits.add((TraitFamily.LANGUAGE, text.language))
    traits |= {(TraitFamily.DOMAIN, link.domain) for link in links if link.domain}
    return {drift_traits.bucket(trait) for trait in traits}
