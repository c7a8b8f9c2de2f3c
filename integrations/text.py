"""HTML, Markdown and Bluesky's records as platforms send them, turned into text with the links kept."""

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import html_text
import lxml.html
from lxml.etree import LxmlError, strip_elements
from markdown_it import MarkdownIt

from integrations.fields import part, parts, string, url

MOST_CHARACTERS, MOST_LINKS = 50_000, 100
# As deep as browsers' own Markdown goes; the preset stops at 20 and drops the words inside.
_MARKDOWN = MarkdownIt("commonmark", {"html": False, "maxNesting": 100})
_TAG, _TARGET = (
    re.compile(r"<[^<>]*>"),
    re.compile(r"""href\s*=\s*["']?(https?://[^"'\s<>]+)""", re.IGNORECASE),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """What people read, and where its links lead, in order, each once; relative links are left out."""

    text: str
    links: tuple[str, ...] = ()


def from_html(source: str, *, leaves_out: tuple[str, ...] = ()) -> Text:
    """Return the text of an HTML fragment; links of a class in `leaves_out` (mention, hashtag) are none."""
    whole = source[: 4 * MOST_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
    clean = "".join(letter for letter in whole if letter not in "\0\ufeff")
    if not clean.strip():
        return Text(text="")
    parser = lxml.html.HTMLParser(encoding="utf-8", remove_comments=True, huge_tree=False)
    try:
        tree = lxml.html.fragment_fromstring(clean, create_parent="div", parser=parser)
    except (LxmlError, ValueError):
        return _without_tags(clean)
    if parser.error_log.filter_from_fatals():
        return _without_tags(clean)  # nested deeper than the parser goes: the rest would be missing
    strip_elements(tree, "script", "style", with_tail=False)
    links = [
        target
        for anchor in tree.iter("a")
        if (target := (anchor.get("href") or "").strip()).lower().startswith(("http://", "https://"))
        and not set(leaves_out) & set((anchor.get("class") or "").split())
    ]
    return _cut(html_text.etree_to_text(tree).strip(), links)


def from_markdown(markdown: str, *titles: str) -> Text:
    """Return titles and Markdown; its HTML counts as text, as CommonMark without HTML shows it."""
    written = from_html(_MARKDOWN.render(markdown[:MOST_CHARACTERS]))
    return replace(written, text="\n\n".join(filter(None, [*titles, written.text])))


def from_record(record: Mapping[str, Any]) -> Text:
    """Return what people read of a post, a profile or a list, with its card and what pictures show."""
    media = part(record, "embed", "media") or part(record, "embed")
    card = part(media, "external")
    said = [string(record, name) for name in ("text", "displayName", "name", "description")]
    said += [string(card, name) for name in ("title", "description")]
    said += [string(picture, "alt") for picture in parts(media, "images")]
    features = [feature for facet in parts(record, "facets") for feature in parts(facet, "features")]
    # Links may lead elsewhere than their words say.
    links = filter(None, [url(feature, "uri") for feature in (*features, card)])
    return _cut("\n\n".join(filter(None, said)), list(links))


def _without_tags(source: str) -> Text:
    return _cut(html.unescape(_TAG.sub(" ", source)).strip(), _TARGET.findall(source))


def _cut(text: str, links: list[str]) -> Text:
    return Text(text=text[:MOST_CHARACTERS], links=tuple(dict.fromkeys(links))[:MOST_LINKS])
