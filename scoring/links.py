"""Find the links of a text and parse them as a browser would.

Nothing is judged or fetched here: a link is its normalised URL, its host and its registrable
domain.
"""

import functools
import ipaddress
import itertools
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import can_ada
import tldextract

MAX_LINKS = 100
MAX_HOST = 253
"""DNS knows no longer name, so no browser opens one. What stores hosts relies on this."""

# Ten thousand candidates take about 10 ms; a text with more of them is cut here, not refused.
_MAX_CANDIDATES = 10_000
_TEXT_LIMIT = 500_000

# RFC 2606 names have no public suffix; simulated traffic uses them so that it never names a real site.
_RESERVED_SUFFIXES = frozenset({"example", "test"})

_DEFANGED = (
    (re.compile(r"\s?[\[({]\s?(?:\.|dot)\s?[\])}]\s?", re.IGNORECASE), "."),
    (re.compile(r"\[\s?(:/{0,2}|/)\s?\]"), r"\1"),
    (re.compile(r"(?<=\w)\s+dot\s+(?=(?:com|net|org|info|xyz|top|ru|io)\b)", re.IGNORECASE), "."),
    (re.compile(r"\bh(?:xx|\*\*)p(?=s?:)", re.IGNORECASE), "http"),
)
_LABEL = r"[^\W_](?:[\w-]{0,61}\w)?"
# The ideographic full stop ends Chinese sentences too, so it counts only before a Latin label.
_DOT = r"(?:\.|。(?=[a-z]))"
_CANDIDATE = re.compile(
    r"(?P<schemed>(?<![a-z0-9])https?:[^\s<>\"'`]{1,2048})"
    rf"|(?<![\w@.-])(?P<bare>(?:{_LABEL}{_DOT}){{1,10}}[^\W\d_][\w-]{{1,62}})(?![\w@-])"
    r"(?P<rest>(?::\d{1,5})?(?:[/\\?#][^\s<>\"'`]{0,2048})?)",
    re.IGNORECASE,
)
_ASCII = re.compile(r"[\x00-\x7f]+")
# Scripts without spaces, where the sentence goes on right after a link.
_GOES_ON = re.compile(r"[。、「」『』【】]|(?<=[!-~])[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_TRAILING = ".,;:!?…*_~|。、"
_BRACKETS = {")": "(", "]": "[", "}": "{"}


@dataclass(frozen=True, slots=True)
class LinkParts:
    """A link as a browser would open it; `domain` is empty for an IP address or a host without a dot."""

    url: str
    host: str
    domain: str


def links_in(text: str, *, extra: Iterable[str] = ()) -> tuple[LinkParts, ...]:
    """Return the distinct links of a text, those in `extra` (URLs that the platform sent) first.

    Finds http(s) links, bare hosts with a known public suffix, and defanged ones (hxxp, [.], "dot com"). At
    most MAX_LINKS, order kept; links that no browser would open are left out.
    """
    candidates = itertools.chain(extra, _candidates(text[:_TEXT_LIMIT]))
    links: dict[str, LinkParts] = {}
    for candidate in itertools.islice(candidates, _MAX_CANDIDATES):
        link = _parse(candidate)
        if link is not None:
            links.setdefault(link.url, link)
        if len(links) == MAX_LINKS:
            break
    return tuple(links.values())


def without_ascii_of_links(text: str) -> str:
    """Return a text without the ASCII characters of its links.

    Other characters stay: without spaces a sentence continues right after a link.
    """
    return _CANDIDATE.sub(lambda match: _ASCII.sub(" ", match[0]) if _is_link(match) else match[0], text)


def spans_in(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the links of a text stand, [start, end), in order; defanged ones are not found."""
    for match in itertools.islice(_CANDIDATE.finditer(text[:_TEXT_LIMIT]), _MAX_CANDIDATES):
        if _is_link(match):
            # A host may begin in such a script: what follows "//" or "www." directly belongs to it.
            beyond = _GOES_ON.search(text, match.start() + len("https://") + 1, match.end())
            url = text[match.start() : beyond.start() if beyond else match.end()]
            yield match.start(), match.start() + len(_trimmed(url))


@functools.lru_cache(maxsize=65_536)
def registrable_domain(host: str) -> str:
    """Return the registrable domain of a host, private suffixes (github.io) counted as suffixes; "" for IP
    addresses.

    An unknown suffix counts as one label, the public suffix list's own default rule.
    """
    host = host.rstrip(".").lower()
    if _is_ip_address(host):
        return ""
    parts = _extractor()(host)
    if parts.suffix:
        return parts.top_domain_under_public_suffix
    labels = host.split(".")
    return ".".join(labels[-2:]) if len(labels) > 1 and all(labels) else ""


def _candidates(text: str) -> Iterator[str]:
    """Yield possible links, in order, from the text as a reader would see it."""
    for match in _CANDIDATE.finditer(_readable(text)):
        if match["schemed"]:
            yield _trimmed(match["schemed"])
        elif _is_link(match):
            yield "http://" + _trimmed(match["bare"] + match["rest"])


def _is_link(match: re.Match[str]) -> bool:
    return bool(match["schemed"]) or _has_known_suffix(match["bare"])


def _readable(text: str) -> str:
    """Undo disguise that a reader does not notice: full-width forms, invisible characters, defanging."""
    text = unicodedata.normalize("NFKC", text)
    if invisible := {ord(one) for one in set(text) if unicodedata.category(one) == "Cf"}:
        text = text.translate(dict.fromkeys(invisible))
    for pattern, replacement in _DEFANGED:
        text = pattern.sub(replacement, text)
    return text


def _trimmed(candidate: str) -> str:
    """Drop the sentence's punctuation from the end; keep a closing bracket opened inside the link."""
    while candidate:
        last = candidate[-1]
        opening = _BRACKETS.get(last)
        is_unopened = opening is not None and candidate.count(last) > candidate.count(opening)
        if last not in _TRAILING and not is_unopened:
            break
        candidate = candidate[:-1]
    return candidate


def _has_known_suffix(host: str) -> bool:
    """Distinguish a bare host from a sentence without a space after its full stop ("Thanks.It was")."""
    labels = re.split("[.。]", host)
    suffix = labels[-1]
    if suffix != suffix.lower() and host != host.upper():
        return False
    if labels[-2].isdigit():  # a numbered list: "1.it is late 2.i am tired"
        return False
    return suffix.lower() in _RESERVED_SUFFIXES or bool(_extractor()(host.lower()).suffix)


def _parse(candidate: str) -> LinkParts | None:
    candidate = candidate.strip()
    if not re.match(r"[a-z][a-z0-9+.-]*:(?!\d)", candidate, re.IGNORECASE):
        candidate = "http://" + candidate
    try:
        parsed = can_ada.parse(candidate)
    except ValueError:
        return None
    if parsed.protocol not in ("http:", "https:"):
        return None
    host = str(parsed.hostname).rstrip(".")
    if not 0 < len(host) <= MAX_HOST:
        return None
    return LinkParts(url=str(parsed.href), host=host, domain=registrable_domain(host))


def _is_ip_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


@functools.cache
def _extractor() -> tldextract.TLDExtract:
    """The public suffix list inside the package; the empty arguments keep it from ever asking the network."""
    return tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)
