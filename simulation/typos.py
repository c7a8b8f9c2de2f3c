"""Small differences between the copies of a campaign: case, punctuation, typing errors."""

import random

from scoring.links import links_in

_ENDINGS = ("!", "!!", "...", ".", "?!", " :)", " 🙂", " 😀")


def with_typos(text: str, *, rng: random.Random) -> str:
    """Return the text as somebody might have typed it; links stay as they are."""
    has_links = bool(links_in(text))
    if rng.random() < 0.14 and not has_links:
        text = text.lower()
    if rng.random() < 0.04 and not has_links:
        text = text.upper()
    if rng.random() < 0.12 and len(text) > 12 and not has_links:
        text = _slip(text, rng=rng)
    if rng.random() < 0.15:
        text = text.rstrip(".!") + rng.choice(_ENDINGS) if not has_links else f"{text} {rng.choice(_ENDINGS)}"
    return text


def _slip(text: str, *, rng: random.Random) -> str:
    """Swap two neighbouring letters or leave one out."""
    at = rng.randrange(1, len(text) - 1)
    if not (text[at].isalpha() and text[at - 1].isalpha()):
        return text
    if rng.random() < 0.5:
        return text[: at - 1] + text[at] + text[at - 1] + text[at + 1 :]
    return text[:at] + text[at + 1 :]
