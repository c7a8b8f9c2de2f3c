"""The scoring pipeline: a record and the rules in force go in, a score with its contributions comes out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from scoring import features, platform_routes, routing, unread_script
from scoring.blocklist import Blocklist, Effect, Rule
from scoring.content import Unavailable
from scoring.ensemble import MAIN_INPUTS, Judgement
from scoring.explain import CONTENT_TEXT, WITHHELD, Contribution, explained_ensemble
from scoring.platform_head import PlatformHeads
from scoring.records import PostRecord
from scoring.release import Release
from scoring.routing import Route, Routing
from scoring.trees import Floats


class ContentProtocol(Protocol):
    """The interface of a content model."""

    def probabilities(self, texts: Sequence[str]) -> Floats:
        """Return spam probabilities, float64 (n,). Raises content.Unavailable if there is no answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreResult:
    """The models' output for a record, with the inputs.

    base + the contributions' sum is the main margin (log-odds before calibration). `rule` is the one that
    decided on the post, if any: a banned post has probability 1, route remove, and neither features nor
    contributions; any other rule affects only the route.
    """

    release_id: str
    schema_hash: str
    spam_probability: float
    content_probability: float | None
    sub_models: Mapping[str, float | None]
    base: float
    contributions: tuple[Contribution, ...]
    features: tuple[float, ...]
    routing: Routing
    expected_harm: float
    is_degraded: bool
    rule: Rule | None


class Scorer:
    """Scores records with one release; make one per process and share it.

    `heads` stand in for those of the release, where these have learnt what is to judge it. Raises
    release.SchemaMismatch or release.Corrupt when the release does not fit this code.
    """

    def __init__(
        self, *, release: Release, content: ContentProtocol, heads: PlatformHeads | None = None
    ) -> None:
        self._release = release
        self._content = content
        self._ensemble, self._explainer = explained_ensemble(release)
        release.check_features(self._ensemble.features, names=features.NAMES, schema=features.SCHEMA_HASH)
        self._models = features.Models.load(release.folder, files=release.files)
        self._heads = heads or PlatformHeads.load(release.folder, files=release.heads)

    @property
    def release(self) -> Release:
        """The release that every score of this Scorer names."""
        return self._release

    @property
    def heads(self) -> PlatformHeads:
        """The heads of platforms that have one."""
        return self._heads

    @property
    def content(self) -> ContentProtocol:
        """The content model of this Scorer."""
        return self._content

    def content_on(self, platform: str, *, content: ContentProtocol | None = None) -> ContentProtocol:
        """Return the content model as this release reads it on a platform, through its head if it has one.

        `content` is another client of the same model than this Scorer's own.
        """
        return _ContentOn(platform, content or self._content, self._heads)

    def score(self, record: PostRecord, *, blocklist: Blocklist) -> ScoreResult:
        """Score one record; the same record, rules and content probability always give the same result."""
        return self.score_many([record], blocklist=blocklist)[0]

    def score_many(self, records: Sequence[PostRecord], *, blocklist: Blocklist) -> list[ScoreResult]:
        """Score records with one call to the content model, results in their order.

        Banned posts run nothing else. If the content model is unavailable the rest are scored without it and
        marked degraded.
        """
        ruled = [(record, blocklist.match(record)) for record in records]
        asked = [(record, rule) for record, rule in ruled if not _is_ban(rule)]
        judged = iter(self._judged(asked) if asked else [])
        return [
            self._banned(record, rule) if rule is not None and _is_ban(rule) else next(judged)
            for record, rule in ruled
        ]

    def spam_probabilities(self, records: Sequence[PostRecord], *, content_probabilities: Floats) -> Floats:
        """Return spam probabilities, float64 (n,), when the content probabilities (NaN unknown) are known, as
        `content_on` gives them.

        Rules are ignored, the content model is not queried and nothing is explained.
        """
        judgement = self._judge(records, self._rows(records), content_probabilities=content_probabilities)
        return self._probabilities(records, judgement)

    def routes(self, records: Sequence[PostRecord], *, content_probabilities: Floats) -> list[Route]:
        """Return where thresholds and safety bounds would send records whose content probabilities are known
        (NaN unknown): rules, the audit sample and degradation are ignored.
        """
        judgement = self._judge(records, self._rows(records), content_probabilities=content_probabilities)
        probabilities = self._probabilities(records, judgement).tolist()
        told = zip(records, probabilities, judgement.opinions(content_probabilities), strict=True)
        return [self._route(record, said, sub_models=own).route for record, said, own in told]

    def _rows(self, records: Sequence[PostRecord]) -> Floats:
        return np.stack([features.extract(record, models=self._models) for record in records])

    def _judge(
        self, records: Sequence[PostRecord], rows: Floats, *, content_probabilities: Floats
    ) -> Judgement:
        platforms = [record.platform for record in records]
        bounds = platform_routes.link_bounds(
            self._release, platforms=platforms, content_probabilities=content_probabilities
        )
        return self._ensemble.judge(rows, content_probabilities=content_probabilities, link_bounds=bounds)

    def _probabilities(self, records: Sequence[PostRecord], judgement: Judgement) -> Floats:
        platforms = [record.platform for record in records]
        return platform_routes.probabilities(self._release, judgement.margins, platforms=platforms)

    def _judged(self, asked: Sequence[tuple[PostRecord, Rule | None]]) -> list[ScoreResult]:
        records = [record for record, _ in asked]
        rows = self._rows(records)
        content_probabilities, is_degraded = self._content_probabilities(records, rows=rows)
        judgement = self._judge(records, rows, content_probabilities=content_probabilities)
        probabilities = self._probabilities(records, judgement)
        shares = self._explainer.contributions(rows, judgement=judgement)
        sub_models = judgement.opinions(content_probabilities)
        return [
            self._result(
                record,
                probability=float(probabilities[index]),
                sub_models=sub_models[index],
                row=rows[index],
                shares=shares[index],
                is_degraded=is_degraded,
                rule=rule,
            )
            for index, (record, rule) in enumerate(asked)
        ]

    def _content_probabilities(self, records: Sequence[PostRecord], *, rows: Floats) -> tuple[Floats, bool]:
        """Query the content model once.

        NaN for posts without text, for those that the release's cascade skips, and for all if it is
        unavailable.
        """
        probabilities = np.full(len(records), np.nan)
        is_needed = self._needs_content(records, rows)
        asked = [index for index, record in enumerate(records) if is_needed[index] and record.text.strip()]
        # Not degraded: the content model was not missed.
        if not asked:
            return probabilities, False
        try:
            probabilities[asked] = self._content.probabilities([records[index].text for index in asked])
        except Unavailable:
            return probabilities, True
        for index in asked:
            probabilities[index] = self._heads.read_one(records[index], probabilities[index])
        return probabilities, False

    def _needs_content(self, records: Sequence[PostRecord], rows: Floats) -> NDArray[np.bool_]:
        """Return which posts need the content model: all, unless the release has a cascade."""
        cascade = self._release.cascade
        if not cascade.skips_content:
            return np.ones(len(rows), dtype=np.bool_)
        unasked = self._ensemble.judge(rows, content_probabilities=np.full(len(rows), np.nan))
        cheap = self._probabilities(records, unasked)
        return (cheap >= cascade.ask_content_from) & (cheap < cascade.ask_content_below)

    def _result(
        self,
        record: PostRecord,
        *,
        probability: float,
        sub_models: Mapping[str, float | None],
        row: Floats,
        shares: Floats,
        is_degraded: bool,
        rule: Rule | None,
    ) -> ScoreResult:
        names = (*features.NAMES, CONTENT_TEXT)
        content = sub_models["content"]
        values = (*row.tolist(), math.nan if content is None else content)
        *told, withheld = shares.tolist()
        contributions = tuple(map(Contribution, names, values, told))
        route = self._route(
            record,
            probability,
            sub_models=sub_models,
            is_degraded=is_degraded,
            effect=rule.effect if rule else None,
        )
        return ScoreResult(
            release_id=self._release.id,
            schema_hash=self._release.schema_hash,
            spam_probability=probability,
            content_probability=content,
            sub_models=sub_models,
            base=self._explainer.base,
            # Without an active bound there is no such contribution.
            contributions=(*contributions, Contribution(WITHHELD, withheld, withheld))
            if withheld
            else contributions,
            features=tuple(row.tolist()),
            routing=route,
            expected_harm=routing.expected_harm(record, probability=routing.opinion(route, probability)),
            is_degraded=is_degraded,
            rule=rule,
        )

    def _route(
        self,
        record: PostRecord,
        probability: float,
        *,
        sub_models: Mapping[str, float | None],
        is_degraded: bool = False,
        effect: Effect | None = None,
    ) -> Routing:
        return routing.decide(
            probability=probability,
            thresholds=self._release.thresholds_on(record.platform),
            is_degraded=is_degraded,
            effect=effect,
            sub_models=sub_models,
            safety=self._release.safety,
            is_unread=unread_script.in_release(
                record.text, platform=record.platform, manifest=self._release.manifest
            )
            is not None,
        )

    def _banned(self, record: PostRecord, rule: Rule) -> ScoreResult:
        return ScoreResult(
            release_id=self._release.id,
            schema_hash=self._release.schema_hash,
            spam_probability=1.0,
            content_probability=None,
            sub_models=dict.fromkeys(MAIN_INPUTS, None),
            base=0.0,
            contributions=(),
            features=(),
            routing=Routing(route=Route.REMOVE, reason=None, audit_probability=0.0, is_audit_sample=False),
            expected_harm=routing.expected_harm(record, probability=1.0),
            is_degraded=False,
            rule=rule,
        )


@dataclass(frozen=True)
class _ContentOn:
    """A content model behind the head of a platform."""

    platform: str
    content: ContentProtocol
    heads: PlatformHeads

    def probabilities(self, texts: Sequence[str]) -> Floats:
        asked = self.content.probabilities(texts)
        return self.heads.read(self.platform, texts, content_probabilities=asked)


def _is_ban(rule: Rule | None) -> bool:
    return rule is not None and rule.effect is Effect.BAN
