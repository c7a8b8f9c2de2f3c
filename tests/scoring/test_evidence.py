"""Evidence joined to a margin: it adds, it is bounded, its shares add up; which texts are read."""

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from scoring import evidence_model, evidence_words
from scoring.content import ContentScore
from scoring.ensemble import probabilities_of
from scoring.evidence import CAPTIONS, LINK, MEDIA, MOST_CHARACTERS, EvidencePiece, PageRead, PictureRead
from scoring.evidence_model import EVIDENCE_FILE, EvidenceModel, Steps
from scoring.features import collected
from scoring.ngrams import BUCKETS
from scoring.platform_head import PlatformHead, grams_of
from scoring.readings import MOST_TEXTS, Readings, page_text
from scoring.release import Corrupt, Release, SchemaMismatch
from scoring.trees import Floats
from tests.scoring.evidence_release import MODEL, release_with_evidence
from tests.scoring.random_records import Said, record
from tests.scoring.starter import STARTER

MARGINS = np.linspace(-13.8, 13.8, 24)


def rows(count: int = 1, **values: float) -> Floats:
    """Features by the last part of their name, the same for every post; the rest unknown."""
    found = np.full((count, len(collected.NAMES)), np.nan)
    for place, name in enumerate(collected.NAMES):
        found[:, place] = values.get(name.partition(".")[2], np.nan)
    return found


def random_rows(count: int, *, seed: int = 1) -> tuple[Floats, Floats]:
    """Features by chance, and a margin for each post."""
    generator = np.random.default_rng(seed)
    drawn = generator.random((count, len(collected.NAMES)))
    drawn[:, 3:] = np.round(drawn[:, 3:] * 5)
    return np.where(generator.random(drawn.shape) < 0.3, np.nan, drawn), np.resize(MARGINS, count)


def steps_of(name: str, **wrong: object) -> dict[str, object]:
    """What a file says of one feature, good but for `wrong`."""
    return {"steps": {name: {"knots": [1], "top": 5, "weights": [1], "version": 1} | wrong}}


LATIN = {"content": {"scripts": ["LATIN"]}, "safety": {"unread_from": 0.3}}


def page(words: str, **parts: object) -> EvidencePiece:
    return EvidencePiece(role=LINK, page=PageRead(text=words), **parts)  # type: ignore[arg-type]  # tests name them


def read_of(*pieces: EvidencePiece) -> list[str]:
    return Readings([record(evidence=pieces)], manifest=LATIN).texts


SPAM = "Pay the customs fee now or your parcel is returned. Confirm your card number within 24 hours."
HARMLESS = "The library is open on Tuesday, and the garden club meets there in the evening as always."


class Counting(Said):
    """Stands in for a content model: the more it finds of a few words, the surer it is."""

    def __init__(self) -> None:
        self.asked = list[str]()

    def probabilities(self, texts: Sequence[str]) -> Floats:
        self.asked.extend(texts)
        words = ("fee", "parcel", "card")
        margins = [2.0 * sum(word in text.lower() for word in words) - 3.0 for text in texts]
        return probabilities_of(np.array(margins))


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return release_with_evidence(tmp_path_factory.mktemp("words") / "release")


def words_of(*pieces: EvidencePiece, release: Release) -> list[tuple[str, float]]:
    return evidence_words.of(record(evidence=pieces), release=release, content=Counting())


def test_steps_reach_from_knot_to_knot() -> None:
    steps = Steps(knots=(0.0, 2.0), top=5.0, weights=(1.0, 10.0))

    np.testing.assert_array_equal(steps.said(np.array([-3.0, 1.0, 3.0, 99.0, np.nan])), [0, 1, 12, 32, 0])


def test_what_was_read_stands_in_the_contributions() -> None:
    stored = [["social.friends", 3.0, 0.1], ["content.picture_probability", 0.7, 1.2]]

    np.testing.assert_equal(evidence_model.read_before(stored), [np.nan, 0.7, np.nan])


class TestJoin:
    @pytest.mark.parametrize(
        "said", [{}, {"page_probability": 0.01}, {"page_probability": 0.5, "link_hops": 1, "page_cloaked": 0}]
    )
    def test_harmless_or_missing_evidence_changes_nothing(self, said: dict[str, float]) -> None:
        joined = MODEL.join(MARGINS, rows=rows(len(MARGINS), **said))

        np.testing.assert_array_equal(joined.margins, MARGINS)
        assert not joined.shares.any()
        assert np.isnan(joined.probabilities).all()

    def test_never_excuses(self) -> None:
        found, margins = random_rows(5_000)

        assert (MODEL.join(margins, rows=found).margins >= margins).all()

    def test_more_of_anything_never_lowers_it(self) -> None:
        found, margins = random_rows(500)
        before = MODEL.join(margins, rows=found).margins
        for place in range(found.shape[1]):
            more = found.copy()
            more[:, place] = np.minimum(1.0, more[:, place] + 0.3) if place < 3 else more[:, place] + 1.0
            assert (MODEL.join(margins, rows=more).margins >= before - 1e-12).all()

    def test_shares_add_up_to_what_was_added(self) -> None:
        found, margins = random_rows(500)

        joined = MODEL.join(margins, rows=found)

        np.testing.assert_allclose(joined.shares.sum(axis=1), joined.margins - margins, atol=1e-9)
        assert (joined.shares >= 0).all()

    def test_circumstances_alone_add_at_most_the_bound(self) -> None:
        joined = MODEL.join(MARGINS, rows=rows(len(MARGINS), link_leads_elsewhere=1, link_hops=5))

        assert (joined.shares.sum(axis=1) <= 0.4 + 1e-12).all()
        assert (joined.margins > MARGINS).any()

    def test_a_page_that_surely_is_spam_overrules_the_most_harmless_text(self) -> None:
        [margin] = MODEL.join(np.array([-13.8]), rows=rows(page_probability=0.999999)).margins

        assert margin > 3.0

    def test_a_post_is_joined_by_itself(self) -> None:
        found, _ = random_rows(40)
        together = MODEL.join(np.zeros(40), rows=found)

        for place in range(40):
            alone = MODEL.join(np.zeros(1), rows=found[place : place + 1])
            assert alone.margins[0] == together.margins[place]

    def test_tells_what_is_known_alone(self) -> None:
        joined = MODEL.join(np.zeros(1), rows=rows(page_probability=0.9, link_hops=0))

        told = joined.told(0)

        assert [name for name, _, _ in told] == ["content.page_probability", "context.link_hops"]
        assert told[0][2] > 0 == told[1][2]


class TestFile:
    def test_is_read_as_it_was_written(self, tmp_path: Path) -> None:
        stored = EvidenceModel.load(release_with_evidence(tmp_path / "release"))

        assert stored is not None
        assert dataclasses.replace(stored, reader=MODEL.reader) == MODEL
        assert EvidenceModel.load(dataclasses.replace(Release.load(STARTER), files={})) is None

    def test_is_ignored_beside_another_content_model_than_its_reader_knows(self, tmp_path: Path) -> None:
        other = release_with_evidence(tmp_path / "other", model=dataclasses.replace(MODEL, content="0123/2"))

        assert EvidenceModel.load(other) is None
        assert EvidenceModel.load(Release.load(STARTER)) is not None

    @pytest.mark.parametrize(
        ("change", "refusal"),
        [
            ({"intercept": "low"}, Corrupt),
            ({"format": 2}, Corrupt),
            (steps_of("context.link_hops", weights=[-1]), Corrupt),
            (steps_of("context.link_hops", knots=[5], top=1), Corrupt),
            (steps_of("context.gone"), SchemaMismatch),
            (steps_of("context.link_hops", version=9), SchemaMismatch),
        ],
    )
    def test_refuses_what_it_cannot_evaluate(
        self, change: dict[str, object], refusal: type[Exception], tmp_path: Path
    ) -> None:
        release = release_with_evidence(tmp_path / "release")
        path = release.folder / EVIDENCE_FILE
        path.write_text(json.dumps(json.loads(path.read_text()) | change))

        with pytest.raises(refusal):
            EvidenceModel.load(release)


class TestReadings:
    def test_a_page_is_read_with_its_title_its_article_and_its_buttons(self) -> None:
        read = page_text(PageRead(title="Sale", article="a" * 900, text="Home Sale Buy now"))

        assert read == f"Sale\n{'a' * 600}\nHome Sale Buy now"

    def test_copies_are_read_once_and_each_kind_has_its_turn(self) -> None:
        picture = EvidencePiece(role=MEDIA, picture=PictureRead(text="drawn words"))
        said = EvidencePiece(role=CAPTIONS, transcript="spoken words")
        pages = [page(f"page number {number}") for number in range(9)]

        read = read_of(pages[0], *pages, picture, said)

        assert read[:3] == ["page number 0", "drawn words", "spoken words"]
        assert len(read) == len(set(read)) == MOST_TEXTS

    @pytest.mark.parametrize("words", ["", " \n ", "12 €", "กรุงเทพมหานคร อมรรัตนโกสินทร์"])
    def test_what_says_nothing_to_the_model_is_not_read(self, words: str) -> None:
        assert read_of(page(words)) == []

    def test_the_highest_of_a_kind_counts_by_margin_and_vector(self) -> None:
        vector = np.array([4.0, 0.0], dtype=np.float32)
        reader = PlatformHead(content_slope=0.5, intercept=-1.0, vector=vector)
        posts = [record(evidence=(page("recipe for bread"), page("casino"))), record()]
        scores = [ContentScore((0.0, 2.0), b"\x00\x7f"), ContentScore((0.0, -2.0), b"\x7f\x00")]

        read = Readings(posts, manifest=LATIN).read_by(reader, scores=scores)

        np.testing.assert_allclose(read, [[1.0 / (1.0 + np.exp(-2.0)), np.nan, np.nan], [np.nan] * 3])

    def test_a_reader_of_n_grams_that_a_kept_release_has_says_what_it_said(self) -> None:
        weights = np.zeros(BUCKETS, dtype=np.float32)
        weights[grams_of("casino")[0]] = 3.0
        reader = PlatformHead(weights=weights, content_slope=0.0, intercept=-2.0)
        readings = Readings([record(evidence=(page("casino"),))], manifest=LATIN)

        assert readings.read_by(reader, scores=[ContentScore((0.0, -9.0), b"\x7f\x00")])[0, 0] > 0.9


class TestWords:
    @pytest.mark.parametrize(
        "piece",
        [
            page(SPAM),
            EvidencePiece(role="media", picture=PictureRead(text=SPAM)),
            EvidencePiece(role=CAPTIONS, transcript=SPAM),
        ],
    )
    def test_are_those_without_which_the_worst_text_reads_less_like_spam(
        self, piece: EvidencePiece, release: Release
    ) -> None:
        found = words_of(page("a card"), piece, release=release)

        assert found == [("card", 2.0), ("fee", 2.0), ("parcel", 2.0)]

    @pytest.mark.parametrize("words", ["", HARMLESS, "\u202e\u0300 ---- '' \n" * 50])
    def test_of_what_does_not_read_like_spam_there_are_none(self, words: str, release: Release) -> None:
        assert words_of(page(words), release=release) == []

    def test_are_sought_in_few_questions_however_long_the_texts_are(self, release: Release) -> None:
        content = Counting()
        long = f"{SPAM} {' '.join(f'prize{number}' for number in range(200))}"[:MOST_CHARACTERS]
        pieces = tuple(page(f"{number} {long}") for number in range(9))

        found = evidence_words.of(record(evidence=pieces), release=release, content=content)

        assert len(found) == 3
        assert len(content.asked) == MOST_TEXTS + 60
