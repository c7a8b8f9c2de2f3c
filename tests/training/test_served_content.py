"""The scripts that a vocabulary holds words of."""

import json
from pathlib import Path
from typing import Any

import pytest

from scoring.release import Corrupt
from training import served_content
from training.served_content import LEAST_CHARACTERS, LEAST_WORDS


def tokenizer_of(folder: Path, vocabulary: Any) -> Path:
    path = folder / "tokenizer.json"
    path.write_text(json.dumps({"model": {"vocab": vocabulary}}), encoding="utf-8")
    return path


def pieces_from(first: str, count: int) -> list[str]:
    """Pieces of two letters each, from `first` on."""
    return [f"{chr(ord(first) + place // 20)}{chr(ord(first) + place % 20)}" for place in range(count)]


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
