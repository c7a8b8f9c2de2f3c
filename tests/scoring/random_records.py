"""Random records for tests of the machinery: spam and honest posts differ a little in every family.

Not a simulation of a platform and never a source of published figures.
"""

import dataclasses
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.content import ContentScore, Unavailable
from scoring.ensemble import content_margins
from scoring.records import AuthorSnapshot, ComplaintRecord, History, JourneyStep, Link, PostRecord
from training.labelled_lines import Origin
from training.labelled_records import DECISION, LabelledRecord

AT = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def record(*, text: str = "hello there", **parts: object) -> PostRecord:
    """A post about which nothing else is known; `parts` replaces fields."""
    fields: dict[str, object] = {
        "platform": "tests",
        "external_id": "post-1",
        "revision": 1,
        "at": AT,
        "posted_at": AT - timedelta(hours=1),
        "text": text,
        "author": AuthorSnapshot(external_id="author-1"),
    }
    return PostRecord(**{**fields, **parts})  # type: ignore[arg-type]  # tests name the fields themselves


def labelled(count: int, *, seed: int = 1) -> list[LabelledRecord]:
    """`count` random labelled records, about half of them spam, in groups of three."""
    generator = np.random.default_rng(seed)
    return [_labelled(index, generator=generator) for index in range(count)]


def decided(count: int, *, seed: int = 2) -> list[LabelledRecord]:
    """`count` random records as an export of decisions has them, on posts of other groups."""
    return [
        dataclasses.replace(one, kind=DECISION, origin=Origin.DECIDED, group=f"decided-{one.group}")
        for one in labelled(count, seed=seed)
    ]


def export_line(one: LabelledRecord) -> dict[str, Any]:
    """What the desk's own export says of a decided record."""
    return {
        "id": f"{one.platform}/{one.record.external_id}/{one.record.revision}",
        "text": one.record.text,
        "lang": one.record.language,
        "label": int(one.is_spam),
        "group": one.group,
        "weight": one.weight,
        "record": one.record.to_json(),
        "provenance": {"decided_at": AT.isoformat(), "is_audit_sample": one.is_random},
    }


class Said:
    """The vectors of a content model's stand-in that has said probabilities: two numbers, the same always."""

    def probabilities(self, texts: Sequence[str]) -> NDArray[np.float64]:
        raise NotImplementedError

    def scores(self, texts: Sequence[str]) -> list[ContentScore]:
        margins = content_margins(self.probabilities(texts)).tolist()
        return [ContentScore((0.0, margin), b"\x7f\x00") for margin in margins]


class FakeContent(Said):
    """Stands in for the content model: reads the probability that a random record's text ends with."""

    def __init__(self) -> None:
        self.calls: list[int] = []

    def probabilities(self, texts: Sequence[str]) -> NDArray[np.float64]:
        self.calls.append(len(texts))
        return np.array([_written_probability(text) for text in texts])


class Always(Said):
    """Gives every text one probability."""

    def __init__(self, probability: float) -> None:
        self.probability = probability

    def probabilities(self, texts: Sequence[str]) -> NDArray[np.float64]:
        return np.full(len(texts), self.probability)


class Down(Said):
    """A content model whose server does not answer."""

    def probabilities(self, texts: Sequence[str]) -> NDArray[np.float64]:
        raise Unavailable(f"no answer to {len(texts)} texts")


def _written_probability(text: str) -> float:
    try:
        return float(text.rsplit(" ", 1)[-1])
    except ValueError:
        return 0.5


def _labelled(index: int, *, generator: np.random.Generator) -> LabelledRecord:
    is_spam = bool(generator.random() < 0.5)
    push = 1.0 if is_spam else 0.0
    probability = 1 / (1 + np.exp(-generator.normal(3 * push - 1.5, 1.5)))
    created_at = AT - timedelta(days=float(generator.exponential(900 - 700 * push)))
    history = History(
        posts=int(generator.poisson(5)),
        posts_24h=int(generator.poisson(1 + 3 * push)),
        confirmed_spam=int(generator.poisson(0.2 + 1.5 * push)),
        confirmed_not_spam=int(generator.poisson(1.5 - push)),
        complaints=int(generator.poisson(0.5 + push)),
        authors=int(generator.poisson(2 + 3 * push)),
        first_seen_at=AT - timedelta(days=float(generator.exponential(50))),
    )
    domain = f"site{generator.integers(50)}.example"
    links = (Link(url=f"http://{domain}/a", host=domain, domain=domain, domain_history=history),)
    steps = generator.integers(2, 12)
    pace = generator.exponential(4000 - 2500 * push, size=steps).cumsum()
    return LabelledRecord(
        record=record(
            text=f"post number {index} {probability:.6f}",
            external_id=f"post-{index}",
            author=AuthorSnapshot(
                external_id=f"author-{index // 3}",
                created_at=created_at,
                friends=int(generator.poisson(100 + 300 * push)),
                followers=int(generator.poisson(200 - 150 * push)),
                is_verified=bool(generator.random() < 0.1),
                posts=int(generator.poisson(300)),
            ),
            author_history=history,
            ip="192.0.2.7",
            ip_history=history,
            ip_network_history=history,
            links=links if generator.random() < 0.3 + 0.5 * push else (),
            journey=tuple(
                JourneyStep(name=f"step{place % 4}", at_ms=int(at)) for place, at in enumerate(pace)
            ),
            complaints=tuple(
                ComplaintRecord(reason="spam", reported_at=AT, reporter_confirmed=int(generator.poisson(2)))
                for _ in range(generator.poisson(0.1 + 0.8 * push))
            ),
            shares=int(generator.poisson(3)),
            comments=int(generator.poisson(2)),
        ),
        is_spam=is_spam,
        kind="random spam" if is_spam else "random talk",
        group=f"group-{index // 3}",
    )
