"""An HTML page → what it says, asks for and offers. Hostile by default: bounded in
size here, in time and memory by the reader.
"""

import codecs
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

import html_text
import lxml.html
from lxml.etree import LxmlError
from trafilatura import bare_extraction

from moderation.evidence.addresses import absolute, refreshed
from moderation.evidence.facts import MOST_TEXT, Download, Form, PageFacts, Reason, Unreadable, line, storable

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

MOST_FORMS, MOST_DOWNLOADS, MOST_LINKS, MOST_FIELDS = 20, 20, 5_000, 1_000
_INSIDE = re.compile(r"\s*(?:data|blob):", re.IGNORECASE)
_UNNAMED = "file"
_FILES = re.compile(
    r"\.(7z|apk|app|bat|cmd|com|deb|dll|dmg|docm|exe|gz|hta|img|ipa|iso|jar|jse?|lnk|msi|pkg|ps1|rar|rpm|scr|sh"
    r"|vbs|wsf|xlsm|xpi|zip)$",
    re.IGNORECASE,
)


def read(data: bytes, hints: Mapping[str, str]) -> PageFacts:
    """Return what a page says; `hints` are its `url` and `content_type`. Raises Unreadable."""
    html = _decoded(data[:MOST_BYTES], hints.get("content_type", ""))
    if not html.strip():
        raise Unreadable(Reason.BROKEN)
    tree = _parsed(html)
    properties = _properties(tree)
    url = hints.get("url", "")
    base = base_url(tree, url=url)
    return PageFacts(
        title=line(tree.findtext(".//title")) or properties.get("og:title", ""),
        description=properties.pop("description", ""),
        language=line(tree.get("lang"))[:16],
        forms=forms(tree, url=url, base=base),
        downloads=downloads(tree, base=base),
        refresh_url=refresh_url(tree, url=url, base=base),
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


def base_url(tree: Any, *, url: str) -> str:
    """Return the address that a page's own addresses are relative to: its own, or what it names instead."""
    for base in tree.iterfind(".//base"):
        if base.get("href") is not None:
            return absolute(base.get("href"), url=url) or url
    return url


def forms(tree: Any, *, url: str, base: str) -> list[Form]:
    """Return the page's forms. A password field outside of any form counts as one that posts nowhere."""
    named = _named_fields(tree)
    page_forms = [
        _form(
            form,
            fields=[*form.iter("input", "button"), *named.get(form.get("id") or "", ())],
            url=url,
            base=base,
        )
        for form in islice(tree.iterfind(".//form"), MOST_FORMS)
    ]
    if not any(form.asks_password for form in page_forms) and _asks_password(tree.iter("input")):
        page_forms.append(Form(action_host="", posts_elsewhere=False, asks_password=True))
    return page_forms


def downloads(tree: Any, *, base: str) -> list[Download]:
    """Return links to files that run, install or unpack, and those that the page marks as downloads.

    A file that the page carries itself has no address.
    """
    files: dict[tuple[str, str], Download] = {}
    for link in islice(tree.iter("a", "area"), MOST_LINKS):
        href, marked = link.get("href") or "", link.get("download")
        target = absolute(href, url=base)
        is_inside = not target and marked is not None and bool(_INSIDE.match(href))
        name = line(marked) or line(urlsplit(target).path.rpartition("/")[2])
        if is_inside or (target and (marked is not None or _FILES.search(name))):
            key = (target, name if is_inside else "")
            files.setdefault(key, Download(url=target, name=name or _UNNAMED))
        if len(files) == MOST_DOWNLOADS:
            break
    return list(files.values())


def refresh_url(tree: Any, *, url: str, base: str) -> str:
    """Return where the page sends a browser within seconds by itself, "" if nowhere else."""
    for meta in tree.iterfind(".//meta"):
        if (meta.get("http-equiv") or "").strip().lower() == "refresh":
            target = refreshed(meta.get("content") or "", base=base)
            if target:
                return "" if target == url else target
    return ""


def _named_fields(tree: Any) -> dict[str, list[Any]]:
    """Return the fields that name their form instead of standing in it, by its id."""
    named: dict[str, list[Any]] = defaultdict(list)
    for field in islice(tree.iter("input", "button"), MOST_FIELDS):
        if field.get("form"):
            named[field.get("form")].append(field)
    return named


def _form(form: Any, *, fields: Sequence[Any], url: str, base: str) -> Form:
    """Describe a form; a button may send what is typed elsewhere than the form says."""
    own = absolute(form.get("action") or url, url=base)
    buttons = [absolute(field.get("formaction"), url=base) for field in fields if field.get("formaction")]
    hosts = [urlsplit(target).hostname or "" for target in (own, *buttons)]
    here = urlsplit(url).hostname or ""
    elsewhere = [host for host in hosts if host and host != here]
    return Form(
        action_host=line(elsewhere[0] if elsewhere else hosts[0]),
        posts_elsewhere=bool(elsewhere),
        asks_password=_asks_password(fields),
    )


def _asks_password(fields: Iterable[Any]) -> bool:
    return any((field.get("type") or "").strip().lower() == "password" for field in fields)
