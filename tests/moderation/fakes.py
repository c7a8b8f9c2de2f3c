"""A stand-in scorer for tests that are not about scoring: it says what the test wants to hear."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np

from moderation.scorer import Scorers
from scoring import routing
from scoring.blocklist import Blocklist, Effect, Rule
from scoring.content import ContentModel, ContentScore, Unavailable
from scoring.ensemble import content_margins
from scoring.explain import Contribution
from scoring.pipeline import ContentProtocol, Scorer, ScoreResult
from scoring.records import PostRecord
from scoring.release import Thresholds
from scoring.routing import Route, Routing

THRESHOLDS = Thresholds(review_from=0.2, remove_from=0.9, audit_rate=0.0)
RELEASE_ID = "f" * 64
SCORE = ContentScore((0.5, -0.25), b"\x7f\x00")
_AUDITED = Routing(
    route=Route.REVIEW, reason=routing.ReviewReason.AUDIT, audit_probability=0.02, is_audit_sample=True
)


@dataclass
class FakeScorer:
    """Scores by the text: `probabilities[text]`, else `default`; counts what it was asked.

    Texts in `audited` are drawn into the audit sample, whatever their probability. `said` is what the content
    model says of texts, else SCORE. `opinions` are what parts make of a post, by its external id, beside or
    instead of the content model.
    """

    default: float = 0.5
    probabilities: dict[str, float] = field(default_factory=dict)
    audited: set[str] = field(default_factory=set)
    said: dict[str, ContentScore] = field(default_factory=dict)
    opinions: dict[str, dict[str, float | None]] = field(default_factory=dict)
    is_degraded: bool = False
    is_ready_again: bool = False
    poisonous: str | None = None
    asked: int = 0
    known: Sequence[ContentScore | None] = ()
    release: SimpleNamespace = field(
        default_factory=lambda: SimpleNamespace(
            id=RELEASE_ID,
            manifest={},
            content_model="fake/1",
            files={},
            heads={},
            platforms={},
            safety=routing.NO_SAFETY,
            folder=Path("nowhere"),
            thresholds=THRESHOLDS,
            thresholds_on=lambda _platform: THRESHOLDS,
        )
    )

    def score_many(
        self,
        records: Sequence[PostRecord],
        *,
        blocklist: Blocklist,
        held: Callable[[bool], Sequence[bool]] | None = None,
        known: Sequence[ContentScore | None] = (),
    ) -> list[ScoreResult]:
        self.asked += len(records)
        self.known = known
        if self.poisonous is not None and any(record.text == self.poisonous for record in records):
            raise ZeroDivisionError("a poisonous record")
        holds = (held(self.is_degraded) if held else ()) or [False] * len(records)
        return [
            self._held(self._score(record, blocklist), is_held)
            for record, is_held in zip(records, holds, strict=True)
        ]

    def _held(self, result: ScoreResult, is_held: bool) -> ScoreResult:
        """Hold for a human as the scorer does; a ban and the audit sample stay what they are."""
        if not is_held or result.routing.route is Route.REMOVE or result.routing.is_audit_sample:
            return result
        return replace(
            result,
            routing=routing.decide(
                probability=result.spam_probability,
                thresholds=THRESHOLDS,
                is_degraded=result.is_degraded,
                effect=Effect.HOLD,
            ),
        )

    @property
    def content(self) -> "FakeContent":
        return FakeContent(self)

    def content_on(self, platform: str, *, content: "FakeContent | None" = None) -> "FakeContent":
        return content or self.content

    def spam_probabilities(
        self,
        records: Sequence[PostRecord],
        *,
        content_probabilities: np.ndarray,
        read: np.ndarray | None = None,
    ) -> np.ndarray:
        unknown = np.isnan(content_probabilities)
        return np.where(unknown, self.default, content_probabilities)

    def routed(
        self,
        records: Sequence[PostRecord],
        *,
        content_probabilities: np.ndarray,
        read: np.ndarray | None = None,
    ) -> tuple[np.ndarray, list[Route]]:
        probabilities = self.spam_probabilities(records, content_probabilities=content_probabilities)
        return probabilities, [
            routing.decide(probability=one, thresholds=THRESHOLDS, is_degraded=False).route
            for one in probabilities.tolist()
        ]

    def _score(self, record: PostRecord, blocklist: Blocklist) -> ScoreResult:
        rule = blocklist.match(record)
        ban = rule if rule and rule.effect is Effect.BAN else None
        probability = 1.0 if ban else self.probabilities.get(record.text, self.default)
        return ScoreResult(
            release_id=RELEASE_ID,
            schema_hash="e" * 64,
            spam_probability=probability,
            content_probability=None if self.is_degraded or ban else probability,
            sub_models={} if ban else {"content": probability} | self.opinions.get(record.external_id, {}),
            base=0.0,
            contributions=()
            if ban
            else (Contribution(feature="social.followers", value=float("nan"), contribution=0.1),),
            features=() if ban else (float("nan"),),
            routing=_AUDITED if record.text in self.audited else self._route(probability, rule=rule),
            expected_harm=routing.NO_OPINION if record.text in self.audited else probability,
            content_score=None if self.is_degraded or ban else self.said.get(record.text, SCORE),
            content_model="fake/1",
            is_degraded=self.is_degraded and ban is None,
            rule=rule,
        )

    def _route(self, probability: float, *, rule: Rule | None) -> Routing:
        if rule and rule.effect is Effect.BAN:
            return Routing(route=Route.REMOVE, reason=None, audit_probability=0.0, is_audit_sample=False)
        return routing.decide(
            probability=probability,
            thresholds=THRESHOLDS,
            is_degraded=self.is_degraded,
            effect=rule.effect if rule else None,
        )


@dataclass
class FakeContent:
    """The content model's stand-in: every word but "spam" is harmless."""

    scorer: FakeScorer

    def is_ready(self) -> bool:
        return self.scorer.is_ready_again

    def served_by(self) -> str:
        return "TensorRT, GPU"

    def probabilities(self, texts: Sequence[str]) -> np.ndarray:
        if self.scorer.is_degraded:
            raise Unavailable("switched off by the test")
        return np.array([0.9 if "spam" in text else 0.1 for text in texts])

    def scores(self, texts: Sequence[str]) -> list[ContentScore]:
        margins = content_margins(self.probabilities(texts)).tolist()
        return [ContentScore((0.0, margin), b"\x7f\x00") for margin in margins]


def _are_alike(real: Scorer, fake: FakeScorer) -> None:
    """Never called: the type checker refuses it once the stand-in has other methods than the scorer."""
    methods = real.score_many, real.spam_probabilities, real.routed
    methods = fake.score_many, fake.spam_probabilities, fake.routed
    assert methods


@dataclass
class FakeTopics:
    """The topics model's stand-in: a text is about a topic whose first word it has."""

    is_away: bool = False
    asked: list[tuple[tuple[str, ...], tuple[str, ...]]] = field(default_factory=list)

    def is_ready(self) -> bool:
        return not self.is_away

    def probabilities(self, texts: Sequence[str], *, topics: Sequence[str]) -> np.ndarray:
        if self.is_away:
            raise Unavailable("switched off by the test")
        self.asked.append((tuple(texts), tuple(topics)))
        return np.array([[_likelihood(text, topic) for topic in topics] for text in texts])


def _likelihood(text: str, topic: str) -> float:
    if not text.strip():
        return float("nan")
    return 0.8 if topic.split(maxsplit=1)[0].lower() in text.lower() else 0.1


@dataclass
class FakeScorers(Scorers):
    """Whatever release is asked for, this scorer and this content model answer."""

    scorer: FakeScorer | Scorer
    content: ContentProtocol
    shadow: FakeScorer | None = None

    def live(self) -> Scorer:
        return cast("Scorer", self.scorer)

    def low_latency(self) -> Scorer:
        return self.live()

    def of(self, release_id: str) -> Scorer:
        return self.live() if release_id == RELEASE_ID else self.shadow_of(release_id)

    def content_of(self, release_id: str) -> ContentModel:
        return cast("ContentModel", self.content)

    def explaining_content_of(self, release_id: str) -> ContentModel:
        return self.content_of(release_id)

    def shadow_of(self, release_id: str) -> Scorer:
        return cast("Scorer", self.shadow or self.scorer)
