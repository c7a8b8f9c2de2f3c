"""HTML and Markdown as platforms send them, turned into text with the links kept."""

from __future__ import annotations

from dataclasses import dataclass

import html_text
import lxml.html
from lxml.etree import LxmlError
from markdown_it import MarkdownIt

MOST_CHARACTERS, MOST_LINKS = 50_000, 100
_MARKDOWN = MarkdownIt("commonmark", {"html": False})


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """What people read, and where its links lead, in order, each once; relative links are left out."""

    text: str
    links: tuple[str, ...] = ()


def from_html(html: str, *, leaves_out: tuple[str, ...] = ()) -> Text:
    """Return the text of an HTML fragment; links of a class in `leaves_out` (mention, hashtag) are none."""
    clean = "".join(letter for letter in html[: 4 * MOST_CHARACTERS] if letter not in "\0\ufeff")
    if not clean.strip():
        return Text(text="")
    try:
        tree = lxml.html.fragment_fromstring(clean, create_parent="div", parser=_parser())
    except (LxmlError, ValueError):
        return Text(text=clean[:MOST_CHARACTERS])
    links = [
        target
        for anchor in tree.iter("a")
        if (target := (anchor.get("href") or "").strip()).lower().startswith(("http://", "https://"))
        and not set(leaves_out) & set((anchor.get("class") or "").split())
    ]
    text = html_text.etree_to_text(tree).strip()
    return Text(text=text[:MOST_CHARACTERS], links=tuple(dict.fromkeys(links))[:MOST_LINKS])


def from_markdown(markdown: str) -> Text:
    """Return the text of Markdown; its HTML counts as text, as CommonMark without HTML shows it."""
    return from_html(_MARKDOWN.render(markdown[:MOST_CHARACTERS]))


def _parser() -> lxml.html.HTMLParser:
    return lxml.html.HTMLParser(encoding="utf-8", remove_comments=True, huge_tree=False)
