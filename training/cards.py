"""Generated parts of docs/models.md, each between its own two marks."""

from __future__ import annotations

from pathlib import Path


def marked(text: str, *, part: str) -> str:
    """Return a part's text between its marks, ready to print or insert."""
    return f"{_begin(part)}\n{text.strip()}\n{_end(part)}\n"


def insert(card: str, *, part: str, page: Path) -> None:
    """Replace a marked part of a page, or append it."""
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    if _begin(part) in text and _end(part) in text:
        before, after = text.partition(_begin(part))[0], text.partition(_end(part))[2]
        text = before + card.rstrip("\n") + after
    else:
        text = f"{text.rstrip()}\n\n{card}".lstrip("\n")
    page.write_text(text, encoding="utf-8")


def _begin(part: str) -> str:
    return f"<!-- {part}: begin -->"


def _end(part: str) -> str:
    return f"<!-- {part}: end -->"
