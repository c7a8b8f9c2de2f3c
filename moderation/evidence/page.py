"""An HTML page → what it says. Hostile by default: bounded in size here, in time and memory by the reader."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import html_text
import lxml.html
from lxml.etree import LxmlError
from trafilatura import bare_extraction

from moderation.evidence import page_offers
from moderation.evidence.addresses import absolute
from moderation.evidence.facts import MOST_TEXT, PageFacts, Reason, Unreadable, line, storable

MOST_BYTES = 1_000_000
"""Of a longer page the beginning is read."""
MOST_ARTICLE_ELEMENTS = 5_000
"""In a page of more elements no article is looked for: that takes time by their square."""
MOST_JSON_LD, MOST_JSON_LD_CHARACTERS, MOST_JSON_LD_VALUES = 5, 20_000, 40
_MOST_PROPERTIES = 40
_CHARSET = re.compile(r"charset=[\"']?([\w-]{1,40})", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_JSON_LD = "application/ld+json"


def read(data: bytes, hints: Mapping[str, str]) -> PageFacts:
    """Return what a page says; `hints` are its `url` and `content_type`. Raises Unreadable."""
    html = _decoded(data[:MOST_BYTES], hints.get("content_type", ""))
    if not html.strip():
        raise Unreadable(Reason.BROKEN)
    tree = _parsed(html)
    properties = _properties(tree)
    url = hints.get("url", "")
    return PageFacts(
        title=line(tree.findtext(".//title")) or properties.get("og:title", ""),
        description=properties.pop("description", ""),
        language=line(tree.get("lang"))[:16],
        json_ld=list(_json_ld(tree)),
        forms=page_offers.forms(tree, url=url),
        downloads=page_offers.downloads(tree, url=url),
        refresh_url=page_offers.refresh_url(tree, url=url),
        preview_url=absolute(properties.get("og:image", ""), url=url),
        open_graph={name: value for name, value in properties.items() if name.startswith("og:")},
        # The last two: an extractor may change the tree.
        text=_visible(tree, html),
        article=_article(tree),
        is_cut=len(data) > MOST_BYTES,
    )


def _decoded(data: bytes, content_type: str) -> str:
    """Decode as a browser would, roughly: the header, then the page's own word, then UTF-8."""
    named = _CHARSET.search(content_type) or _CHARSET.search(data[:2048].decode("latin-1"))
    try:
        return data.decode(named[1] if named else "utf-8", "replace")
    except (LookupError, ValueError):
        return data.decode("utf-8", "replace")


def _parsed(html: str) -> Any:
    # An encoding declaration inside a decoded text is refused by lxml, and its word does not matter any more.
    parser = lxml.html.HTMLParser(encoding="utf-8", remove_comments=True, huge_tree=False)
    try:
        return lxml.html.document_fromstring(html.encode("utf-8", "replace"), parser=parser)
    except (LxmlError, ValueError) as broken:
        raise Unreadable(Reason.BROKEN) from broken


def _properties(tree: Any) -> dict[str, str]:
    found: dict[str, str] = {}
    for meta in tree.iterfind(".//meta"):
        name = line(meta.get("property") or meta.get("name")).lower()
        if (name.startswith("og:") or name == "description") and len(found) < _MOST_PROPERTIES:
            found.setdefault(name, line(meta.get("content")))
    return found


def _json_ld(tree: Any) -> Iterator[dict[str, Any]]:
    scripts = [script for script in tree.iterfind(".//script") if script.get("type") == _JSON_LD]
    for script in scripts[:MOST_JSON_LD]:
        try:
            said = json.loads((script.text or "")[:MOST_JSON_LD_CHARACTERS])
        except (ValueError, RecursionError):
            continue
        for part in said if isinstance(said, list) else [said]:
            if isinstance(part, dict):
                # The plain values: what the page calls itself, not a tree of whatever depth.
                yield dict(_plain(part))
                break


def _plain(part: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in list(part.items())[:MOST_JSON_LD_VALUES]:
        if isinstance(value, str):
            yield line(name), line(value)
        elif isinstance(value, dict) and isinstance(value.get("name"), str):
            yield line(name), line(value["name"])


def _visible(tree: Any, html: str) -> str:
    try:
        found = html_text.extract_text(tree)
    except (RecursionError, ValueError):
        found = ""
    # The parser drops what is nested deeper than 256 elements: a page that hides there is read without tags.
    return storable(found) or storable(" ".join(_TAG.sub(" ", html).split()))


def _article(tree: Any) -> str:
    elements = 0
    for elements, _element in enumerate(tree.iter(), start=1):
        if elements > MOST_ARTICLE_ELEMENTS:
            return ""
    if not elements:
        return ""
    try:
        found = bare_extraction(tree, with_metadata=False, include_comments=False)
    except (LxmlError, ValueError, TypeError, AttributeError, RecursionError):
        return ""  # the extractor's own trouble with an odd page; the visible text is there
    return storable(getattr(found, "text", "") or "", most=MOST_TEXT)
