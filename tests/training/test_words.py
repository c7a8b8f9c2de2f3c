"""The normaliser's word list: vocabulary and corpora, most frequent first, from the train part alone."""

from __future__ import annotations

import json
from pathlib import Path

from scoring.normalise import words as shipped
from scoring.splits import Split, split_of
from tests.json_lines import written
from training import words


def tokenizer(folder: Path) -> Path:
    entries = ["[PAD]", "##ing", "the", "e", "qz", "offer", "naïve", "2nd"]
    path = folder / "tokenizer.json"
    path.write_text(json.dumps({"model": {"vocab": {entry: place for place, entry in enumerate(entries)}}}))
    return path


def corpus(folder: Path, *, groups: list[str], text: str) -> Path:
    row = {"source": "s", "text": text, "label": 1}
    return written(folder / f"{groups[0]}.jsonl", (row | {"id": name, "group": name} for name in groups))


def names(split: Split, *, count: int) -> list[str]:
    return [name for name in map(str, range(1_000)) if split_of(name) is split][:count]


def test_keeps_whole_words_and_what_corpora_repeat(tmp_path: Path) -> None:
    data = corpus(tmp_path, groups=names(Split.TRAIN, count=5), text="Airdrop offer at gems.example/moonshot")

    found = words.word_list(tokenizer=tokenizer(tmp_path), data=[data])

    assert found[:2] == ["the", "offer"]
    assert "airdrop" in found
    assert not {"moonshot", "gems", "e", "qz", "2nd", "##ing"} & set(found)


def test_learns_nothing_from_the_test_part(tmp_path: Path) -> None:
    data = corpus(tmp_path, groups=names(Split.TEST, count=9), text="airdrop airdrop")

    assert "airdrop" not in words.word_list(tokenizer=tokenizer(tmp_path), data=[data])


def test_the_shipped_list_ranks_the_frequent_first() -> None:
    ranks = [shipped.rank(word) for word in ("the", "free", "airdrop", "pharmacies")]

    assert ranks[0] == 0
    assert ranks[:3] == sorted(rank for rank in ranks[:3] if rank is not None)
    assert (ranks[2] or shipped.FREQUENT) < shipped.FREQUENT
    assert shipped.rank("v1agra") is None
