"""Which scripts a content model reads, by its vocabulary: those of which it holds words, not just letters."""

import json
from collections import Counter
from pathlib import Path

from scoring.release import loading
from scoring.unread_script import script_of

FILE = "tokenizer.json"
LEAST_WORDS = 500
"""Pieces of two letters or more. The shipped vocabulary has 36,479 Latin ones, 544 Hiragana ones."""
LEAST_CHARACTERS = 3_000
"""Where a character is a word, as in Han: 3,000 cover nearly all of a Chinese text. Shipped are 7,721."""
_KANA = ("HIRAGANA", "KATAKANA")  # one text has both, so they are read together


def of(tokenizer: Path) -> tuple[str, ...]:
    """Return the Unicode names of the scripts that a tokenizer's vocabulary holds words of, in order.

    Raises Corrupt if the file is no tokenizer's.
    """
    with loading(tokenizer):
        vocabulary = json.loads(tokenizer.read_text(encoding="utf-8"))["model"]["vocab"]
        # A dictionary of pieces, or a list of pairs (piece, log probability).
        pieces = [piece if isinstance(piece, str) else str(piece[0]) for piece in vocabulary]
    words: Counter[str] = Counter()
    characters: Counter[str] = Counter()
    for piece in pieces:
        scripts = [script_of(character) for character in piece if character.isalpha()]
        counts = words if len(scripts) > 1 else characters
        counts.update(set(scripts))
    read = {script for script, count in words.items() if count >= LEAST_WORDS}
    if characters["HAN"] >= LEAST_CHARACTERS:
        read.add("HAN")
    return tuple(sorted(read | set(_KANA) if read & set(_KANA) else read))
