"""The normaliser's word list, and the scripts that a vocabulary holds words of."""

import json
from pathlib import Path
from typing import Any

import pytest

from scoring.normalise import words as shipped
from scoring.release import Corrupt
from scoring.splits import Split, split_of
from tests.json_lines import written
from training import served_content, words
from training.served_content import LEAST_CHARACTERS, LEAST_WORDS


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


def tokenizer_of(folder: Path, vocabulary: Any) -> Path:
    path = folder / "tokenizer.json"
    path.write_text(json.dumps({"model": {"vocab": vocabulary}}), encoding="utf-8")
    return path


def pieces_from(first: str, count: int) -> list[str]:
    """Pieces of two letters each, from `first` on."""
    return [f"{chr(ord(first) + place // 20)}{chr(ord(first) + place % 20)}" for place in range(count)]


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


class TestScripts:
    def test_letters_alone_are_not_read(self, tmp_path: Path) -> None:
        cyrillic_letters = [chr(ord("а") + place) for place in range(32)]
        pieces = [*pieces_from("a", LEAST_WORDS), *cyrillic_letters, *pieces_from("ก", LEAST_WORDS - 1)]

        path = tokenizer_of(tmp_path, {piece: place for place, piece in enumerate(pieces)})

        assert served_content.scripts_read(path) == ("LATIN",)

    def test_reads_lists_of_pairs_and_pieces_with_marks(self, tmp_path: Path) -> None:
        path = tokenizer_of(tmp_path, [[f"▁{word}", -3.5] for word in pieces_from("а", LEAST_WORDS)])

        assert served_content.scripts_read(path) == ("CYRILLIC",)

    def test_where_a_character_is_a_word_characters_count(self, tmp_path: Path) -> None:
        few, many = (
            served_content.scripts_read(
                tokenizer_of(tmp_path, {chr(0x4E00 + place): place for place in range(count)})
            )
            for count in (LEAST_CHARACTERS - 1, LEAST_CHARACTERS)
        )

        assert (few, many) == ((), ("HAN",))

    def test_refuses_what_is_no_tokenizer(self, tmp_path: Path) -> None:
        path = tmp_path / "tokenizer.json"
        path.write_text("{}", encoding="utf-8")

        with pytest.raises(Corrupt, match=r"tokenizer\.json.*model"):
            served_content.scripts_read(path)
