"""The corpus of curated posts keeps the rules that the ML guide gives for adding to it."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from typing import Any

import pytest

from deploy.local.places import ROOT
from scoring.links import links_in
from scoring.splits import Split, split_of

FILE = ROOT / "training" / "curated_posts.jsonl"
_NUMBER = re.compile(r"(?<![\w.-])\+?\d[\d ().-]{7,}\d(?![\w.-])")
_ADDRESS = re.compile(r"\d{1,3}(\.\d{1,3}){3}")
_FICTION = ("5550", "7700900", "2079460", "1713920", "3023125", "63998", "19900", "491570")
"""Beginnings that regulators keep free for fiction: North America, Britain, Germany, France, Australia."""


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def test_has_many_families_of_both_kinds_in_many_languages(rows: list[dict[str, Any]]) -> None:
    families = Counter((row["label"], row["group"]) for row in rows)
    spoken = defaultdict(set)
    for row in rows:
        spoken[row["group"]].add(row["lang"])

    counts = Counter(label for label, _ in families)
    assert min(counts.values()) >= 190
    assert abs(counts[0] - counts[1]) <= 2
    assert len({family for _, family in families}) == len(families), "a family is spam or it is not"
    assert min(families.values()) >= 40
    assert min(map(len, spoken.values())) >= 12
    assert {row["meta"]["judged"] for row in rows} == {"bare", "context"}


def test_no_text_stands_twice(rows: list[dict[str, Any]]) -> None:
    assert len({row["text"].lower() for row in rows}) == len({row["id"] for row in rows}) == len(rows)


def test_whole_families_are_kept_back(rows: list[dict[str, Any]]) -> None:
    kept = {row["group"]: row["label"] for row in rows if split_of(row["group"]) is Split.TEST}

    assert min(Counter(kept.values()).values()) >= 5


def test_neither_kind_shows_by_having_links(rows: list[dict[str, Any]]) -> None:
    linked = Counter((row["label"], bool(links_in(row["text"]))) for row in rows)
    shares = [linked[label, True] / (linked[label, True] + linked[label, False]) for label in (0, 1)]

    assert abs(shares[0] - shares[1]) < 0.05
    assert min(shares) > 0.3


def test_telephone_numbers_are_of_fiction(rows: list[dict[str, Any]]) -> None:
    found = [number for row in rows for number in _NUMBER.findall(row["text"])]
    digits = [re.sub(r"\D", "", number) for number in found if not _ADDRESS.match(number)]

    real = [one for one in digits if len(one) >= 10 and not any(part in one for part in _FICTION)]
    assert real == []
