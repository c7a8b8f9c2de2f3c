"""Score stored records again: with the release that scored them, or all with another one. Nothing is written.

With its own release, trees are held against the stored content probability, the content model against its own
stored answer: so a difference names the part that changed.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from moderation import scorer
from moderation.models import Score
from moderation.models.cases import CaseReason
from moderation.models.scores import RouteChoice
from moderation.queries.records import stored_records
from scoring import evidence_model, platform_head
from scoring.blocklist import Blocklist
from scoring.content import ContentScore, Unavailable
from scoring.ensemble import Ensemble
from scoring.evidence_model import EvidenceModel
from scoring.pipeline import Scorer
from scoring.platform_head import PlatformHeads
from scoring.release import SchemaMismatch

_BATCH = 64
TREES_TOLERANCE = 1e-6
CONTENT_TOLERANCE = 1e-3

Floats = NDArray[np.float64]


class ContentAway(Exception):
    """The content model of a release that is to be compared does not answer."""


class _NotAsked:
    """The content model's place while trees are replayed, which take its stored answers."""

    def probabilities(self, texts: Sequence[str]) -> Floats:
        raise Unavailable(f"{len(texts)} texts asked while only trees are replayed")

    def scores(self, texts: Sequence[str]) -> list[ContentScore]:
        raise Unavailable(f"{len(texts)} texts asked while only trees are replayed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """A score and what it is now, as absolute differences of probabilities.

    None is what could not be replayed: `why` names it; a post without text has no content to replay.
    """

    score_id: int
    release_id: str
    trees: float | None
    content: float | None
    why: str = ""

    @property
    def is_equal(self) -> bool:
        """Tell whether all that was replayed is within its tolerance."""
        return (self.trees or 0.0) <= TREES_TOLERANCE and (self.content or 0.0) <= CONTENT_TOLERANCE


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A stored score, and what another release says of the same record."""

    score_id: int
    before: float
    after: float
    route_before: str
    route_after: str


def drawn(*, count: int, platform_id: int | None = None) -> list[Score]:
    """Return so many stored scores, drawn at random from those that models gave, with content."""
    stored = Score.objects.filter(ban__isnull=True, is_degraded=False)
    if platform_id is not None:
        stored = stored.filter(revision__post__platform=platform_id)
    return list(stored.select_related(stored_records.RELATED).order_by("?")[:count])


def replay(scores: Iterable[Score]) -> list[Replayed]:
    """Replay scores, each with its own release; a ban or the audit sample plays no part."""
    by_release: dict[str, list[Score]] = defaultdict(list)
    for score in scores:
        if score.features:
            by_release[score.release_id].append(score)
    return [one for release_id, group in by_release.items() for one in _group(group, release_id=release_id)]


def compare(scores: Iterable[Score], *, release_id: str, is_patient: bool = False) -> list[Compared]:
    """Score stored records with a kept release, whose own content model answers anew.

    Left out is whatever a rule or the audit sample routed: of those the probability does not say the route.
    `is_patient` lets Triton answer live posts first. Raises ContentAway, or one of scorer.UNUSABLE.
    """
    judge = scorer.current().shadow_of(release_id) if is_patient else scorer.current().of(release_id)
    routed = [score for score in scores if score.rule_id is None and not score.is_audit_sample]
    found: list[Compared] = []
    for start in range(0, len(routed), _BATCH):
        batch = routed[start : start + _BATCH]
        records = [stored_records.read(score) for score in batch]
        results = judge.score_many(records, blocklist=Blocklist())
        if any(result.is_degraded for result in results):
            raise ContentAway(f"the content model of {release_id[:12]} does not answer; is it loaded?")
        found += [
            Compared(
                score_id=score.pk,
                before=score.spam_probability,
                after=result.spam_probability,
                route_before=RouteChoice.REMOVE if score.route_reason == CaseReason.UNPROVEN else score.route,
                route_after=result.routing.route,
            )
            for score, result in zip(batch, results, strict=True)
        ]
    return found


def _group(scores: Sequence[Score], *, release_id: str) -> list[Replayed]:
    stored = np.array([score.content_probability for score in scores], dtype=np.float64)  # None is NaN
    why = []
    trees, content = np.full(len(scores), np.nan), np.full(len(scores), np.nan)
    try:
        said = np.array([score.spam_probability for score in scores])
        trees = np.abs(_trees(scores, release_id=release_id, content=stored) - said)
    except scorer.UNUSABLE as reason:
        why.append(f"trees: {type(reason).__name__}")
    try:
        content = np.abs(_content(scores, release_id=release_id) - stored)
    except (*scorer.UNUSABLE, Unavailable) as reason:
        why.append(f"content: {type(reason).__name__}")
    return [
        Replayed(
            score_id=score.pk,
            release_id=release_id,
            trees=_unknown_as_none(trees[place]),
            content=_unknown_as_none(content[place]),
            why=", ".join(why),
        )
        for place, score in enumerate(scores)
    ]


def _trees(scores: Sequence[Score], *, release_id: str, content: Floats) -> Floats:
    """Judge the stored records again; with a release of other features, the features stored with them."""
    release = scorer.kept(release_id)
    records = [stored_records.read(score) for score in scores]
    try:
        judge = Scorer(release=release, content=_NotAsked())
        return judge.spam_probabilities(records, content_probabilities=content, read=_read(scores))
    except SchemaMismatch:
        rows = np.array([score.features for score in scores], dtype=np.float64)
        platforms = [record.platform for record in records]
        kept = Ensemble.load(release.folder)
        margins = kept.judge(rows, content_probabilities=content).margins
        if found := EvidenceModel.load(release):
            margins = found.join(margins, rows=evidence_model.rows_of(records, read=_read(scores))).margins
        return platform_head.probabilities(release, margins, platforms=platforms)


def _read(scores: Sequence[Score]) -> Floats:
    """Return what the content model had read of the evidence of scores, as it is stored with them."""
    return np.stack([evidence_model.read_before(score.contributions) for score in scores])


def _content(scores: Sequence[Score], *, release_id: str) -> Floats:
    """Ask the release's own content model; NaN where it was not asked."""
    asked = [place for place, score in enumerate(scores) if score.content_probability is not None]
    found = np.full(len(scores), np.nan)
    if asked:
        records = [stored_records.read(scores[place]) for place in asked]
        said = scorer.current().content_of(release_id).scores([record.text for record in records])
        release = scorer.kept(release_id)
        heads = PlatformHeads.load(release.folder, files=release.heads)
        found[asked] = [heads.read(record, score) for record, score in zip(records, said, strict=True)]
    return found


def _unknown_as_none(difference: float) -> float | None:
    return None if math.isnan(difference) else float(difference)
