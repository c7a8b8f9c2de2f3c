"""Which texts of evidence are read, and what is made of several."""

from __future__ import annotations

import numpy as np
import pytest

from scoring.evidence import CAPTIONS, LINK, MEDIA, EvidencePiece, PageRead, PictureRead
from scoring.ngrams import BUCKETS
from scoring.platform_head import PlatformHead, grams_of
from scoring.readings import MOST_TEXTS, Readings, page_text
from scoring.trees import Floats
from tests.scoring.random_records import record

LATIN = {"content": {"scripts": ["LATIN"]}, "safety": {"unread_from": 0.3}}


def page(words: str, **parts: object) -> EvidencePiece:
    return EvidencePiece(role=LINK, page=PageRead(text=words), **parts)  # type: ignore[arg-type]  # tests name them


def texts(*pieces: EvidencePiece) -> list[str]:
    return Readings([record(evidence=pieces)], manifest=LATIN).texts


def test_a_page_is_read_with_its_title_its_article_and_its_buttons() -> None:
    read = page_text(PageRead(title="Sale", article="a" * 900, text="Home Sale Buy now"))

    assert read == f"Sale\n{'a' * 600}\nHome Sale Buy now"


def test_copies_are_read_once_and_each_kind_has_its_turn() -> None:
    picture = EvidencePiece(role=MEDIA, picture=PictureRead(text="drawn words"))
    said = EvidencePiece(role=CAPTIONS, transcript="spoken words")
    pages = [page(f"page number {number}") for number in range(9)]

    read = texts(pages[0], *pages, picture, said)

    assert read[:3] == ["page number 0", "drawn words", "spoken words"]
    assert len(read) == len(set(read)) == MOST_TEXTS


@pytest.mark.parametrize("words", ["", " \n ", "12 €", "กรุงเทพมหานคร อมรรัตนโกสินทร์"])
def test_what_says_nothing_to_the_model_is_not_read(words: str) -> None:
    assert texts(page(words)) == []


def test_the_highest_of_a_kind_counts_and_a_reader_asks_nobody() -> None:
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
