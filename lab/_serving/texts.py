"""Texts to ask servers with: made of the tokenizer's own words, with known token counts; a load test's."""

from __future__ import annotations

import json
import random
from pathlib import Path

MAX_TOKENS = 128
# The published load test asks with four messages of the SMS Spam Collection (CC BY 4.0), by their id there.
PUBLISHED_IDS = ("40af7c84d3e93eae", "c15a0102e0ab45f6", "cc37fee8920317a1", "5fa99fa3bc1eb077")
# Four texts of this project's own, for users without the collection: longer, so other figures.
OWN_LOAD_TEST = (
    "Cheap Viagra and Cialis, no prescription needed! Call toll-free 1-800-555-0199 today.",
    "Your Microsoft account has been compromised! Verify now at http://micros0ft-login.example/secure",
    "Covid cases rise across Europe as a new variant spreads, health officials say",
    "Cryptocurrencies are a form of digital cash that can be exchanged without a bank.",
)
KINDS = ("short", "long", "mixed")


def published(collection: Path) -> list[str]:
    """Return the published load test's four texts from the SMS collection in JSON lines, in its order.

    Raises KeyError naming an id that the file lacks.
    """
    rows = map(json.loads, collection.read_text(encoding="utf-8").splitlines())
    texts = {row["id"]: row["text"] for row in rows if row["id"] in PUBLISHED_IDS}
    return [texts[id_] for id_ in PUBLISHED_IDS]


def make(*, kind: str, tokenizer: Path, count: int, seed: int = 1) -> list[str]:
    """Make texts of 24 to 40 tokens (short), 128 (long), or lognormal around 35, at most 128 (mixed)."""
    draw, words = random.Random(seed), _words(tokenizer)
    return [" ".join(draw.choices(words, k=_tokens(kind, draw) - 2)) for _ in range(count)]


def exactly(tokens: int, *, tokenizer: Path, count: int, seed: int = 1) -> list[str]:
    """Make texts of so many tokens each."""
    draw, words = random.Random(seed), _words(tokenizer)
    return [" ".join(draw.choices(words, k=tokens - 2)) for _ in range(count)]


def _words(tokenizer: Path) -> list[str]:
    """Return the words that are a token each."""
    vocabulary = json.loads(tokenizer.read_text(encoding="utf-8"))["model"]["vocab"]
    return sorted(word for word in vocabulary if word.isascii() and word.isalpha() and word.islower())


def _tokens(kind: str, draw: random.Random) -> int:
    """Tokens of one text, the two that the tokenizer adds included."""
    if kind == "short":
        return draw.randint(24, 40)
    if kind == "long":
        return MAX_TOKENS
    return min(MAX_TOKENS, max(4, round(draw.lognormvariate(3.35, 0.65))))  # mean near 35
