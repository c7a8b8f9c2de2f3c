"""What evidence adds: counted in records, as the ensemble has it, and fitted on pages."""

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from scoring import evidence_model, features
from scoring.content import ContentScore
from scoring.ensemble import Ensemble, probabilities_of
from scoring.evidence import LINK, EvidencePiece, PageRead
from scoring.evidence_model import EvidenceModel
from scoring.features import collected
from scoring.pipeline import Scorer
from scoring.release import Release
from tests.scoring.evidence_release import MODEL
from tests.scoring.random_records import FakeContent, labelled
from tests.scoring.ruled_posts import NO_BANS, equal
from tests.scoring.starter import STARTER
from training import fit_evidence, fit_reader, measure_ensemble, measure_evidence, train_evidence
from training.ensemble_rows import Rows
from training.fit_reader import Readers
from training.labelled_records import LabelledRecord
from training.worded_texts import Texts, WordedText

ENSEMBLE = Ensemble.load(STARTER)
# Of five readers who never met, one of whom was right before.
_COMPLAINTS = {
    "complaints": 5.0, "complaints_per_hour": 5.0, "reliable_complaints": 3.5,
    "best_reporter_reliability": 0.95, "best_reporter_certainty": 0.9, "witnesses": 5.0,
    "reliable_witnesses": 3.0,
}  # fmt: skip


def rows_with_complaints(*, spam: int, honest: int, posts: int = 400) -> Rows:
    """Return posts of which nothing else is known, a quarter of them spam; some of either sort reported."""
    is_spam = np.arange(posts) < posts // 4
    table = np.tile(ENSEMBLE.reference, (posts, 1))
    reported = np.r_[np.arange(spam), np.arange(posts - honest, posts)]
    for name, value in _COMPLAINTS.items():
        table[reported, features.NAMES.index(f"feedback.{name}")] = value
    groups = np.arange(posts).astype(str)
    return Rows(
        features=table, content_probabilities=np.full(posts, 0.3), is_spam=is_spam, groups=groups,
        domains=groups, weights=np.ones(posts),
    )  # fmt: skip


SOURCE = {"file": "tests.jsonl", "sha256": "0" * 64}
_SPAM = ("casino bonus claim now", "verify your wallet today", "cheap pills no script")
_HONEST = ("bread rises in the oven", "the council met on monday", "sign in to your library")
PAGES = [
    WordedText(text=f"{words}, page {number}", is_spam=is_spam, family=f"{words} {number % 8}")
    for is_spam, said in ((True, _SPAM), (False, _HONEST))
    for words in said
    for number in range(16)
]


def hidden(count: int, *, seed: int = 3) -> list[LabelledRecord]:
    """Posts whose own words say nothing, and whose pages say what they are."""
    drawn = np.random.default_rng(seed)
    return [
        _hidden(one, is_spam=bool(place % 3 == 0), drawn=drawn)
        for place, one in enumerate(labelled(count, seed=seed))
    ]


def _hidden(one: LabelledRecord, *, is_spam: bool, drawn: np.random.Generator) -> LabelledRecord:
    words = drawn.choice(_SPAM if is_spam else _HONEST)
    piece = EvidencePiece(
        role=LINK, leads_elsewhere=bool(drawn.random() < 0.5), page=PageRead(text=str(words))
    )
    bare = dataclasses.replace(one.record, text="look at this 0.05", evidence=(piece,))
    return dataclasses.replace(one, record=bare, is_spam=is_spam, kind=str(words))


class Telling(FakeContent):
    """Whose vectors say which of the known words a text has."""

    def scores(self, texts: Sequence[str]) -> list[ContentScore]:
        return [
            dataclasses.replace(score, vector=bytes(127 * (words in text) for words in (*_SPAM, *_HONEST)))
            for text, score in zip(texts, super().scores(texts), strict=True)
        ]


def train(labelled: Sequence[LabelledRecord], pages: Sequence[WordedText], *, base: Release) -> EvidenceModel:
    return train_evidence.train(labelled, pages, base=base, content=Telling(), source=SOURCE, seed=1)


@pytest.fixture(scope="module")
def base() -> Release:
    return Release.load(STARTER)


@pytest.fixture(scope="module")
def model(base: Release) -> EvidenceModel:
    return train(hidden(240), PAGES, base=base)


@pytest.fixture(scope="module")
def readers() -> Readers:
    return fit_reader.fit(Texts.of(PAGES), scores=Telling().scores([page.text for page in PAGES]), seed=1)


class TestReader:
    def test_tells_spam_from_other_texts(self, readers: Readers) -> None:
        asked = ["go: casino bonus claim now", "as ever the council met on monday"]
        spam, other = readers.whole.probabilities(asked, scores=Telling().scores(asked))

        assert spam > 0.5 > other

    def test_no_fold_has_learnt_the_family_that_it_reads(self, readers: Readers) -> None:
        assert set(readers.fold_of) == {page.family for page in PAGES}
        for family in readers.fold_of:
            assert readers.unaware_of([family]) is readers.folds[readers.fold_of[family]]
        assert readers.unaware_of(readers.fold_of) is None
        assert readers.unaware_of(["never seen"]) is readers.whole

    def test_what_is_left_out_is_told_apart_too(self, readers: Readers) -> None:
        read = {True: 0.0, False: 0.0}
        for page in PAGES:
            reader, scores = readers.folds[readers.fold_of[page.family]], Telling().scores([page.text])
            read[page.is_spam] += float(reader.probabilities([page.text], scores=scores)[0])

        assert read[True] > read[False]

    def test_a_record_is_read_by_one_that_has_not_learnt_its_families(
        self, base: Release, readers: Readers
    ) -> None:
        families = [PAGES[0].family, PAGES[-1].family]
        known = [
            dataclasses.replace(hidden(1)[0], families=tuple(chosen))
            for chosen in ([families[0]], ["somebody else"], sorted({one.family for one in PAGES}))
        ]

        judged = train_evidence.cross_read(known, readers=readers, manifest=base.manifest, content=Telling())

        assert [one.families for one, _ in judged] == [(families[0],), ("somebody else",)]

    def test_spam_weighs_its_share(self) -> None:
        weights = fit_reader.balanced(np.array([True, False, False]), weights=np.array([5.0, 1.0, 1.0]))

        assert weights[0] / weights.sum() == pytest.approx(fit_reader.SPAM_SHARE)


class TestWorth:
    def test_counts_how_much_likelier_spam_is_with_it(self) -> None:

        complaint, address = measure_ensemble.by_evidence(
            rows_with_complaints(spam=40, honest=10), ensemble=ENSEMBLE
        )

        expected = np.log(40.5 / 10.5) - np.log(60.5 / 290.5)
        assert (complaint["posts"], complaint["spam"]) == (50, 40)
        assert complaint["in_records"] == pytest.approx(expected)
        assert (address["posts"], address["in_records"], address["added"]) == (0, None, None)

    def test_asks_the_ensemble_what_is_lost_without_it(self) -> None:
        rows = rows_with_complaints(spam=40, honest=10)
        told = rows.taken(rows.features[:, features.NAMES.index("feedback.complaints")] > 0.0)
        bare = dataclasses.replace(told, features=np.tile(ENSEMBLE.reference, (50, 1)))

        complaint, _ = measure_ensemble.by_evidence(rows, ensemble=ENSEMBLE)

        margins = [
            ENSEMBLE.judge(one.features, content_probabilities=one.content_probabilities).margins
            for one in (told, bare)
        ]
        assert complaint["added"] == pytest.approx(float(np.mean(margins[0] - margins[1])))


class TestTrainEvidence:
    def test_is_fitted_in_the_same_way_twice(self, base: Release, model: EvidenceModel) -> None:
        again = train(hidden(240), PAGES, base=base)

        assert again.steps == model.steps
        assert again.intercept == model.intercept
        assert again.content == base.content_model
        np.testing.assert_array_equal(again.reader.vector, model.reader.vector)

    def test_refuses_too_few(self, base: Release) -> None:
        with pytest.raises(fit_evidence.TooFew, match="posts with evidence"):
            train(hidden(40), PAGES, base=base)

    def test_refuses_too_few_texts_to_learn_from(self, base: Release) -> None:
        with pytest.raises(fit_evidence.TooFew, match="texts to learn from"):
            train(hidden(240), PAGES[:40], base=base)

    def test_is_written_beside_trees_that_stay_as_they_are(
        self, base: Release, model: EvidenceModel, tmp_path: Path
    ) -> None:
        release = train_evidence.write(base, model, out=tmp_path / "release")
        twice = train_evidence.write(release, model, out=tmp_path / "release")

        assert set(release.files) == {*base.files, *evidence_model.FILES}
        assert (release.folder / evidence_model.READER_FILE).stat().st_size < 3_000
        assert release.id == twice.id != base.id
        before, after = (Scorer(release=one, content=FakeContent()) for one in (base, release))
        for one in labelled(9):
            scores = [each.score(one.record, blocklist=NO_BANS) for each in (before, after)]
            assert equal(*(dataclasses.replace(score, release_id="") for score in scores))

    def test_what_is_measured_finds_more_with_evidence(
        self, base: Release, model: EvidenceModel, tmp_path: Path
    ) -> None:
        release = train_evidence.write(base, model, out=tmp_path / "release")
        scorer = Scorer(release=release, content=Telling())

        table = measure_evidence.measure(hidden(150, seed=8), scorer=scorer, name="hidden")

        assert table.with_evidence == table.posts == 150
        assert table.beside.roc_auc > table.without.roc_auc
        assert "→" in measure_evidence.row(table)

    def test_steps_find_what_was_planted(self) -> None:
        drawn = np.random.default_rng(4)
        rows = np.full((900, len(collected.NAMES)), np.nan)
        rows[:, 0] = drawn.random(900)
        rows[:, collected.NAMES.index("context.link_hops")] = drawn.integers(0, 3, 900)
        is_spam = rows[:, 0] > 0.8

        steps = fit_evidence.fit(rows, margins=np.full(900, -3.0), is_spam=is_spam, weights=np.ones(900))

        joined = dataclasses.replace(MODEL, steps=steps, intercept=0.0).join(np.full(900, -3.0), rows=rows)
        said = probabilities_of(joined.margins)
        assert said[is_spam].mean() > 0.6
        assert said[~is_spam].mean() < 0.2
        assert max(steps["context.link_hops"].weights) < 0.3

    def test_the_card_names_what_it_was_fitted_on(self, model: EvidenceModel) -> None:
        card = train_evidence._card(model, tables=[], languages=["Dutch 0.900"])

        assert "simulated" in card
        assert "Dutch 0.900" in card
        assert "`content.page_probability`" in card
        assert json.dumps(dict(model.trained))
