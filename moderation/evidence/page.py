"""An HTML page → what it says. Hostile by default: bounded in size here, in time and memory by the reader."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from itertools import islice
from typing import Any

import html_text
import lxml.html
from lxml.etree import LxmlError
from trafilatura import bare_extraction

from moderation.evidence import page_offers
from moderation.evidence.addresses import absolute
from moderation.evidence.facts import MOST_TEXT, PageFacts, Reason, Unreadable, line, storable

MOST_BYTES = 1_000_000
"""Only the beginning of a longer page is read."""
MOST_ARTICLE_ELEMENTS = 5_000
"""No article is looked for in a page of more elements: that takes quadratic time."""
_MOST_PROPERTIES = 40
_PREVIEWS = ("og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src")
"""Names of a page's picture, in the order in which platforms look for one."""
_OTHER_NAMES = frozenset(("description", *_PREVIEWS))
_CHARSET = re.compile(r"charset=[\"']?([\w-]{1,40})", re.IGNORECASE)
_AS_BROWSERS = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "shift_jis": "cp932",
    "gb2312": "gbk",
}
_ENCODINGS = frozenset(
    (
        *("utf-8", "utf-16", "utf-16-le", "utf-16-be", "ascii", "cp866", "koi8-r", "koi8-u", "mac-roman"),
        *("mac-cyrillic", "cp874", "gb2312", "gbk", "gb18030", "big5", "big5hkscs", "euc_jp", "iso2022_jp"),
        *("shift_jis", "cp932", "euc_kr", "cp949", "tis-620"),
        *(f"cp125{number}" for number in range(9)),
        *(f"iso8859-{number}" for number in range(1, 17)),
    )
)
"""Python's names of the encodings of the WHATWG list (https://encoding.spec.whatwg.org/#names-and-labels).

Python knows others that browsers do not: punycode takes quadratic time, and some encode no text.
"""
_TAG = re.compile(r"<[^<>]*>")


def read(data: bytes, hints: Mapping[str, str]) -> PageFacts:
    """Return what a page says; `hints` are its `url` and `content_type`. Raises Unreadable."""
    html = _decoded(data[:MOST_BYTES], hints.get("content_type", ""))
    if not html.strip():
        raise Unreadable(Reason.BROKEN)
    tree = _parsed(html)
    properties = _properties(tree)
    url = hints.get("url", "")
    base = page_offers.base_url(tree, url=url)
    return PageFacts(
        title=line(tree.findtext(".//title")) or properties.get("og:title", ""),
        description=properties.pop("description", ""),
        language=line(tree.get("lang"))[:16],
        forms=page_offers.forms(tree, url=url, base=base),
        downloads=page_offers.downloads(tree, base=base),
        refresh_url=page_offers.refresh_url(tree, url=url, base=base),
        preview_url=next(
            filter(None, (absolute(properties.get(name, ""), url=base) for name in _PREVIEWS)), ""
        ),
        open_graph={name: value for name, value in properties.items() if name.startswith("og:")},
        # The last two: an extractor may change the tree.
        text=_visible(tree, html),
        article=_article(tree),
        is_cut=len(data) > MOST_BYTES,
    )


def start(_hints: Mapping[str, str]) -> None:
    """Load what the first page would load."""
    read(b"<!doctype html><title>Start</title><p>A first page</p>", {})


def _decoded(data: bytes, content_type: str) -> str:
    """Decode roughly as a browser does: by the header, else by the page's declaration, else as UTF-8."""
    named = _CHARSET.search(content_type) or _CHARSET.search(data[:2048].decode("latin-1"))
    return data.decode(_encoding(named[1]) if named else "utf-8", "replace")


def _encoding(label: str) -> str:
    """Return the encoding that browsers know by a label, UTF-8 for what they do not know."""
    try:
        name = codecs.lookup(label).name
    except (LookupError, ValueError):
        return "utf-8"
    return _AS_BROWSERS.get(name, name) if name in _ENCODINGS else "utf-8"


def _parsed(html: str) -> Any:
    # An encoding declaration inside a decoded text is refused by lxml, and its word does not matter any more.
    parser = lxml.html.HTMLParser(encoding="utf-8", remove_comments=True, huge_tree=False)
    try:
        return lxml.html.document_fromstring(html.encode("utf-8", "replace"), parser=parser)
    except (LxmlError, ValueError) as broken:
        raise Unreadable(Reason.BROKEN) from broken


def _properties(tree: Any) -> dict[str, str]:
    properties: dict[str, str] = {}
    for meta in tree.iterfind(".//meta"):
        name = line(meta.get("property") or meta.get("name")).lower()
        if (name.startswith("og:") or name in _OTHER_NAMES) and len(properties) < _MOST_PROPERTIES:
            properties.setdefault(name, line(meta.get("content")))
    return properties


def _visible(tree: Any, html: str) -> str:
    try:
        text = html_text.extract_text(tree)
    except (RecursionError, ValueError):
        text = ""
    # The parser drops what is nested deeper than 256 elements: a page that hides there is read without tags.
    return storable(text) or storable(" ".join(_TAG.sub(" ", html).split()))


def _article(tree: Any) -> str:
    if sum(1 for _ in islice(tree.iter(), MOST_ARTICLE_ELEMENTS + 1)) > MOST_ARTICLE_ELEMENTS:
        return ""
    try:
        article = bare_extraction(tree, with_metadata=False, include_comments=False)
    except (LxmlError, ValueError, TypeError, AttributeError, RecursionError):
        return ""  # the extractor's own trouble with an odd page; the visible text is there
    return storable(getattr(article, "text", "") or "", most=MOST_TEXT)
