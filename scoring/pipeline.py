"""The scoring pipeline: a record and the rules in force go in, a score with its contributions comes out."""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from scoring import evidence_model, features, platform_head, readings, routing, unread_script
from scoring.blocklist import Blocklist, Effect, Rule
from scoring.content import ContentScore
from scoring.ensemble import Judgement
from scoring.evidence_model import EVIDENCE, EvidenceModel, Joined
from scoring.explain import CONTENT_TEXT, WITHHELD, Contribution, explained_ensemble
from scoring.platform_head import PlatformHeads
from scoring.readings import ContentProtocol, HeadedContent, Readings
from scoring.records import PostRecord
from scoring.release import Release
from scoring.routing import Route, Routing
from scoring.score_result import ScoreResult, banned
from scoring.trees import Floats

__all__ = ["ContentProtocol", "ScoreResult", "Scorer"]

_Asked = tuple[PostRecord, Rule | None, bool]
"""A record, its matching rule, and whether a policy in words holds it."""


class Scorer:
    """Scores records with one release; make one per process and share it.

    `heads` replace those of the release if these have learnt from posts that judge it. Raises
    release.SchemaMismatch or release.Corrupt when the release does not fit this code.
    """

    def __init__(
        self, *, release: Release, content: ContentProtocol, heads: PlatformHeads | None = None
    ) -> None:
        self.release = release
        self.content = content
        self._ensemble, self._explainer = explained_ensemble(release)
        release.check_features(self._ensemble.features, names=features.NAMES, schema=features.SCHEMA_HASH)
        self._evidence = EvidenceModel.load(release)
        self._models = features.Models.load(release.folder, files=release.files)
        self.heads = heads or PlatformHeads.load(release.folder, files=release.heads)

    def content_on(self, platform: str, *, content: ContentProtocol | None = None) -> HeadedContent:
        """Return the content model as this release reads it on a platform, through its head if it has one.

        `content` is another client of the same model.
        """
        return HeadedContent(platform, content or self.content, self.heads)

    def score(self, record: PostRecord, *, blocklist: Blocklist) -> ScoreResult:
        """Score one record; the same record, rules and content probability always give the same result."""
        return self.score_many([record], blocklist=blocklist)[0]

    def score_many(
        self,
        records: Sequence[PostRecord],
        *,
        blocklist: Blocklist,
        held: Callable[[bool], Sequence[bool]] | None = None,
        known: Sequence[ContentScore | None] = (),
    ) -> list[ScoreResult]:
        """Score records with one call to the content model, results in their order.

        Banned posts run nothing else. If the content model is unavailable the rest are scored without it and
        marked degraded. `held` is called once the texts were read, with whether they are degraded, and tells
        whether a policy in words holds each record for a human; empty where none is held. `known` are the
        `content_score`s of earlier results for the same texts, by this release's content model
        (`Release.content_model`), None where the model has to be asked.
        """
        ruled = [(record, blocklist.match(record)) for record in records]
        free = [place for place, (_, rule) in enumerate(ruled) if not _is_ban(rule)]
        answers = self._answers(
            [records[place] for place in free], known=[known[place] if known else None for place in free]
        )
        holds = (held(answers.is_degraded) if held else ()) or [False] * len(records)
        asked = [(*ruled[place], holds[place]) for place in free]
        results = iter(self._judged(asked, answers) if asked else [])
        return [
            banned(record, rule, release=self.release)
            if rule is not None and _is_ban(rule)
            else next(results)
            for record, rule in ruled
        ]

    def spam_probabilities(
        self, records: Sequence[PostRecord], *, content_probabilities: Floats, read: Floats | None = None
    ) -> Floats:
        """Return spam probabilities, float64 (n,), when the content probabilities (NaN unknown) are known, as
        `content_on` gives them, and the readings of their evidence (n, 3), as `read` gives them.

        Rules are ignored, the content model is not queried and nothing is explained.
        """
        _, joined = self._known(records, content_probabilities=content_probabilities, read=read)
        return self._probabilities(records, joined)

    def routes(
        self, records: Sequence[PostRecord], *, content_probabilities: Floats, read: Floats | None = None
    ) -> list[Route]:
        """Return the routes of `routed` alone."""
        return self.routed(records, content_probabilities=content_probabilities, read=read)[1]

    def routed(
        self, records: Sequence[PostRecord], *, content_probabilities: Floats, read: Floats | None = None
    ) -> tuple[Floats, list[Route]]:
        """Return what `spam_probabilities` does of the same inputs, and the routes by thresholds and safety
        bounds alone: rules, the audit sample and degradation are ignored.
        """
        judgement, joined = self._known(records, content_probabilities=content_probabilities, read=read)
        probabilities = self._probabilities(records, joined)
        opinions = self._opinions(judgement, joined, content_probabilities)
        posts = zip(records, probabilities.tolist(), opinions, strict=True)
        return probabilities, [
            self._route(record, score, sub_models=parts).route for record, score, parts in posts
        ]

    def read(self, records: Sequence[PostRecord], *, content: ContentProtocol | None = None) -> Floats:
        """Return the readings of records' evidence, float64 (n, 3): all unknown if this release reads none.
        Raises content.Unavailable.
        """
        if self._evidence is None:
            return readings.unknown(len(records))
        evidence = Readings(records, manifest=self.release.manifest)
        scores = (content or self.content).scores(evidence.texts) if evidence.texts else ()
        return evidence.read_by(self._evidence.reader, scores=scores)

    def _known(
        self, records: Sequence[PostRecord], *, content_probabilities: Floats, read: Floats | None
    ) -> tuple[Judgement, Joined]:
        judgement = self._ensemble.judge(self._rows(records), content_probabilities=content_probabilities)
        evidence = readings.unknown(len(records)) if read is None else read
        return judgement, self._joined(records, judgement, read=evidence)

    def _joined(self, records: Sequence[PostRecord], judgement: Judgement, *, read: Floats) -> Joined:
        if self._evidence is None:
            return evidence_model.without(judgement.margins)
        return self._evidence.join(judgement.margins, rows=evidence_model.rows_of(records, read=read))

    def _opinions(
        self, judgement: Judgement, joined: Joined, content_probabilities: Floats
    ) -> list[dict[str, float | None]]:
        """Return the parts' opinions of each post; evidence has one only where it speaks for spam."""
        by_post = self._ensemble.opinions(judgement, content_probabilities=content_probabilities)
        return [
            opinions if math.isnan(evidence) else opinions | {EVIDENCE: evidence}
            for opinions, evidence in zip(by_post, joined.probabilities.tolist(), strict=True)
        ]

    def _rows(self, records: Sequence[PostRecord]) -> Floats:
        return np.stack([features.extract(record, models=self._models) for record in records])

    def _probabilities(self, records: Sequence[PostRecord], joined: Joined) -> Floats:
        platforms = [record.platform for record in records]
        return platform_head.probabilities(self.release, joined.margins, platforms=platforms)

    def _judged(self, asked: Sequence[_Asked], answers: readings.Answers) -> list[ScoreResult]:
        records = [record for record, *_ in asked]
        rows = self._rows(records)
        judgement = self._ensemble.judge(rows, content_probabilities=answers.texts)
        joined = self._joined(records, judgement, read=answers.read)
        probabilities = self._probabilities(records, joined)
        shares = self._explainer.contributions(rows, judgement=judgement)
        sub_models = self._opinions(judgement, joined, answers.texts)
        return [
            self._result(
                entry,
                probability=float(probabilities[index]),
                sub_models=sub_models[index],
                row=rows[index],
                shares=shares[index],
                found=[Contribution(*part) for part in joined.told(index)],
                content_score=answers.scores[index],
                is_degraded=answers.is_degraded,
            )
            for index, entry in enumerate(asked)
        ]

    def _answers(
        self, records: Sequence[PostRecord], *, known: Sequence[ContentScore | None]
    ) -> readings.Answers:
        looked_at = records if self._evidence is not None else ()
        return readings.ask(
            records,
            known=known,
            content=self.content,
            heads=self.heads,
            evidence=Readings(looked_at, rows=len(records), manifest=self.release.manifest),
            reader=self._evidence.reader if self._evidence else None,
        )

    def _result(
        self,
        asked: _Asked,
        *,
        probability: float,
        sub_models: Mapping[str, float | None],
        row: Floats,
        shares: Floats,
        found: Sequence[Contribution],
        content_score: ContentScore | None,
        is_degraded: bool,
    ) -> ScoreResult:
        record, rule, is_held = asked
        names = (*features.NAMES, CONTENT_TEXT)
        content = sub_models["content"]
        values = (*row.tolist(), math.nan if content is None else content)
        *by_feature, withheld = shares.tolist()
        contributions = (*map(Contribution, names, values, by_feature), *found)
        route = self._route(
            record,
            probability,
            sub_models=sub_models,
            is_degraded=is_degraded,
            effect=routing.strictest(rule.effect if rule else None, is_held=is_held),
        )
        opinion = routing.opinion(route, probability, evidence=sub_models.get(EVIDENCE))
        return ScoreResult(
            release_id=self.release.id,
            schema_hash=self.release.schema_hash,
            spam_probability=probability,
            content_probability=content,
            content_score=content_score,
            content_model=self.release.content_model,
            sub_models=sub_models,
            base=self._explainer.base,
            # Without an active bound there is no such contribution.
            contributions=(*contributions, Contribution(WITHHELD, withheld, withheld))
            if withheld
            else contributions,
            features=tuple(row.tolist()),
            routing=route,
            expected_harm=routing.expected_harm(record, probability=opinion),
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
            thresholds=self.release.thresholds_on(record.platform),
            is_degraded=is_degraded,
            effect=effect,
            sub_models=sub_models,
            safety=self.release.safety,
            is_unread=unread_script.in_release(
                record.text, platform=record.platform, manifest=self.release.manifest
            )
            is not None,
        )


def _is_ban(rule: Rule | None) -> bool:
    return rule is not None and rule.effect is Effect.BAN
