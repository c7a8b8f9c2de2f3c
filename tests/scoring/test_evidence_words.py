"""Words of pages, pictures and captions that make them read like spam."""

from __future__ import annotations

import time
from functools import cache
from pathlib import Path

import pytest

from scoring import evidence_words
from scoring.evidence import CAPTIONS, MOST_CHARACTERS, EvidencePiece, PageRead, PictureRead
from scoring.release import Release
from tests.scoring.evidence_release import release_with_evidence
from tests.scoring.random_records import record
from tests.scoring.starter import STARTER

SPAM = "Pay the customs fee now or your parcel is returned. Confirm your card number within 24 hours."
HARMLESS = "The library is open on Tuesday, and the garden club meets there in the evening as always."


@cache
def shipped() -> Release:
    return Release.load(STARTER)


def words(*pieces: EvidencePiece) -> list[tuple[str, float]]:
    return evidence_words.of(record(evidence=pieces), release=shipped())


def page(text: str) -> EvidencePiece:
    return EvidencePiece(role="link", page=PageRead(title="Parcel", text=text))


@pytest.mark.parametrize(
    "piece",
    [
        page(SPAM),
        EvidencePiece(role="media", picture=PictureRead(text=SPAM)),
        EvidencePiece(role=CAPTIONS, transcript=SPAM),
    ],
)
def test_are_those_without_which_a_text_reads_less_like_spam(piece: EvidencePiece) -> None:
    found = words(piece)

    named = [word for word, _ in found]
    assert {"fee", "parcel", "card"} & set(named)
    assert set(named) <= set(f"parcel {SPAM}".lower().replace(".", "").split())
    shares = [share for _, share in found]
    assert shares == sorted(shares, reverse=True)
    assert min(shares) >= 0.1 * max(shares)


def test_of_what_does_not_read_like_spam_there_are_none() -> None:
    assert words(page(HARMLESS)) == []
    assert words() == []
    assert words(EvidencePiece(role="media", picture=PictureRead(text=None))) == []


def test_are_few_and_soon_there_however_long_the_texts_are() -> None:
    long = f"{SPAM} {' '.join(f'prize{number}' for number in range(2_000))}"[:MOST_CHARACTERS]
    began = time.process_time()

    found = words(*(page(f"{number} {long}") for number in range(9)))

    assert 0 < len(found) <= evidence_words.MOST_WORDS
    assert time.process_time() - began < 12


def test_a_word_of_marks_alone_is_none() -> None:
    assert words(page("\u202e\u0300 ---- '' \n" * 50)) == []


def test_a_release_without_a_reader_names_none(tmp_path: Path) -> None:
    release = release_with_evidence(tmp_path / "release")

    assert evidence_words.of(record(evidence=(page(SPAM),)), release=release) == []
