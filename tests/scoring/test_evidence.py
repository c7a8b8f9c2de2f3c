"""Evidence joined to a margin: it adds, it is bounded, its shares add up; which texts are read."""

import json
import time
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from scoring import evidence_model, evidence_words
from scoring.evidence import CAPTIONS, LINK, MEDIA, MOST_CHARACTERS, EvidencePiece, PageRead, PictureRead
from scoring.evidence_model import EVIDENCE_FILE, EvidenceModel, Steps
from scoring.features import collected
from scoring.ngrams import BUCKETS
from scoring.platform_head import PlatformHead, grams_of
from scoring.readings import MOST_TEXTS, Readings, page_text
from scoring.release import Corrupt, Release, SchemaMismatch
from scoring.trees import Floats
from tests.scoring.evidence_release import MODEL, release_with_evidence
from tests.scoring.random_records import record
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


@cache
def shipped() -> Release:
    return Release.load(STARTER)


def words_of(*pieces: EvidencePiece) -> list[tuple[str, float]]:
    return evidence_words.of(record(evidence=pieces), release=shipped())


def parcel_page(text: str) -> EvidencePiece:
    return EvidencePiece(role="link", page=PageRead(title="Parcel", text=text))


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
        MODEL.save(tmp_path)

        assert EvidenceModel.load(tmp_path, files=[EVIDENCE_FILE]) == MODEL
        assert EvidenceModel.load(tmp_path, files=[]) is None

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
        [path] = MODEL.save(tmp_path)
        path.write_text(json.dumps(json.loads(path.read_text()) | change))

        with pytest.raises(refusal):
            EvidenceModel.load(tmp_path, files=[EVIDENCE_FILE])


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

    def test_the_highest_of_a_kind_counts_and_a_reader_asks_nobody(self) -> None:
        weights = np.zeros(BUCKETS, dtype=np.float32)
        weights[grams_of("casino")[0]] = 3.0
        reader = PlatformHead(weights=weights, content_slope=0.7, intercept=-2.0)
        posts = [record(evidence=(page("recipe for bread"), page("casino"))), record()]
        readings = Readings(posts, manifest=LATIN)
        said: Floats = np.array([0.99, 0.01])

        plain, by_reader = readings.highest(said), readings.read_by(reader)

        np.testing.assert_equal(plain, [[0.99, np.nan, np.nan], [np.nan] * 3])
        assert by_reader[0, 0] > 0.9
        np.testing.assert_equal(by_reader[1], [np.nan] * 3)


class TestWords:
    @pytest.mark.parametrize(
        "piece",
        [
            parcel_page(SPAM),
            EvidencePiece(role="media", picture=PictureRead(text=SPAM)),
            EvidencePiece(role=CAPTIONS, transcript=SPAM),
        ],
    )
    def test_are_those_without_which_a_text_reads_less_like_spam(self, piece: EvidencePiece) -> None:
        found = words_of(piece)

        named = [word for word, _ in found]
        assert {"fee", "parcel", "card"} & set(named)
        assert set(named) <= set(f"parcel {SPAM}".lower().replace(".", "").split())
        shares = [share for _, share in found]
        assert shares == sorted(shares, reverse=True)
        assert min(shares) >= 0.1 * max(shares)

    def test_of_what_does_not_read_like_spam_there_are_none(self) -> None:
        assert words_of(parcel_page(HARMLESS)) == []
        assert words_of() == []
        assert words_of(EvidencePiece(role="media", picture=PictureRead(text=None))) == []

    def test_are_few_and_soon_there_however_long_the_texts_are(self) -> None:
        long = f"{SPAM} {' '.join(f'prize{number}' for number in range(2_000))}"[:MOST_CHARACTERS]
        began = time.process_time()

        found = words_of(*(parcel_page(f"{number} {long}") for number in range(9)))

        assert 0 < len(found) <= evidence_words.MOST_WORDS
        assert time.process_time() - began < 12

    def test_a_word_of_marks_alone_is_none(self) -> None:
        assert words_of(parcel_page("\u202e\u0300 ---- '' \n" * 50)) == []

    def test_a_release_without_a_reader_names_none(self, tmp_path: Path) -> None:
        release = release_with_evidence(tmp_path / "release")

        assert evidence_words.of(record(evidence=(parcel_page(SPAM),)), release=release) == []
