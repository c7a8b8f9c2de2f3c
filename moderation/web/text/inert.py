"""Inert rendering of hostile text: segments that a template escapes and prints.

Links are defanged so that nobody can follow or paste them, the real domain is marked, and invisible,
reordering or look-alike characters become labelled marks. The template engine does the escaping.
"""

import bisect
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from django.utils.translation import gettext

from moderation.web.text import characters
from moderation.web.text.text_marks import Marker, Segment, hidden_in_all, without_hidden

# Parses a link as a browser would: (host, registrable domain or ""), None if no browser would open it.
LinkReader = Callable[[str], tuple[str, str] | None]

_MAX_LINKS = 200
_MAX_LINK_LENGTH = 2_500
# Split first, then look for a dot: one pattern for both would backtrack quadratically on a long word.
_TOKEN = re.compile(r"[^\s<>\"']+")
_PLAIN_LINE = re.compile(r"[!-~]+(?: [!-~]+)*")
_LINKISH = re.compile(r"[.。:]")
_SCHEME = re.compile(r"(?i)h(?:tt|xx)ps?:[/\\]*")
_EDGE = " \t\n.,;:!?…*_~|()[]{}«»“”„。、"
_GIANT = 240
_MARKED_IN_PLACE = 3
_GIANT_WORD = re.compile(rf"[^\s:/]{{{_GIANT},}}")


def segments(
    text: str,
    *,
    read_link: LinkReader | None = None,
    tones: Sequence[tuple[int, int, int]] = (),
) -> list[Segment]:
    """Return a text as segments, in order. `tones` are (start, end, tone) by character of the text."""
    spans = list(_links(text, read_link)) if read_link else []
    marker = Marker(text)
    if not spans and not tones:
        return list(marker.pieces(text))
    parts: list[Segment] = []
    for start, end, style in _stretches(text, spans, tones):
        for piece in marker.pieces(text[start:end]):
            printed = _BROKEN.get(style.link, str)(piece.text)
            parts.append(Segment(printed, piece.mark, piece.label, piece.title, style.tone, style.link))
        if style.label:
            parts.append(Segment(style.label, link="target", title=style.title))
    return parts


def excerpt(text: str, *, length: int) -> str:
    """Return the beginning of a text on one line, cut at a word where there is one near, with an ellipsis."""
    line = " ".join(text[: length * 4].split())
    if len(line) <= length and len(text) <= length * 4:
        return line
    cut = line[:length]
    return (cut.rsplit(" ", 1)[0] if " " in cut[length // 2 :] else cut) + "…"


def line(text: str, *, length: int, read_link: LinkReader | None = None) -> list[Segment]:
    """Return the beginning of a text on one line; more than a few hidden characters become one mark."""
    if read_link is None and len(text) <= length and _PLAIN_LINE.fullmatch(text):
        return [Segment(text)]
    visible, labels = without_hidden(text[: length * 4])
    if labels.total() <= _MARKED_IN_PLACE:
        start = excerpt(text, length=length)
        return segments(start, read_link=_of_whole(text, start, length=length, read_link=read_link))
    start = excerpt(visible, length=length)
    if len(text) > length * 4 and not start.endswith("…"):
        start += "…"
    whole, _ = without_hidden(text[: length * 4 + _MAX_LINK_LENGTH])
    read_link = _of_whole(whole, start, length=length, read_link=read_link)
    return [*segments(start, read_link=read_link), hidden_in_all(labels)]


def _of_whole(text: str, shown: str, *, length: int, read_link: LinkReader | None) -> LinkReader | None:
    """Return a reader that completes a link cut at the end: a part names another domain."""
    if read_link is None or not shown.endswith("…"):
        return read_link
    start = shown.removesuffix("…")
    whole = " ".join(text[: length * 4 + _MAX_LINK_LENGTH].split())

    def read(candidate: str) -> tuple[str, str] | None:
        at = len(start.rstrip(_EDGE)) - len(candidate)
        if at < 0 or start[at : at + len(candidate)] != candidate or not whole.startswith(start):
            return read_link(candidate)
        token = _TOKEN.match(whole, at)
        return read_link(token[0].rstrip(_EDGE)) if token else None

    return read


def beginning(text: str, *, length: int, lines: int) -> str:
    """Return at most so many characters and lines of a text; the whole when it is short enough.

    A word longer than _GIANT letters without a space is cut inside.
    """
    part = "".join(text[:length].splitlines(keepends=True)[:lines])
    giant = None if characters.is_cjk(part) else _GIANT_WORD.search(part)
    part = part[: giant.start() + _GIANT // 2] if giant else part
    return text if len(part) == len(text) else part.rstrip()


def tones_of(contributions: Iterable[tuple[int, int, float]]) -> list[tuple[int, int, int]]:
    """Turn word contributions (start, end, share of the margin) into tones relative to the strongest word.

    Words below a tenth of the strongest keep tone 0, so that only the strong ones stand out.
    """
    words = list(contributions)
    strongest = max((abs(share) for _, _, share in words), default=0.0)
    if not strongest:
        return []
    levels = (0.1, 0.33, 0.66)
    graded = (
        (start, end, bisect.bisect_right(levels, abs(share) / strongest), share)
        for start, end, share in words
    )
    return [(start, end, level if share > 0 else -level) for start, end, level, share in graded if level]


@dataclass(frozen=True, slots=True)
class _Style:
    tone: int = 0
    link: str = ""
    label: str = ""
    title: str = ""


def _stretches(
    text: str, spans: Sequence[tuple[int, int, _Style]], tones: Sequence[tuple[int, int, int]]
) -> Iterator[tuple[int, int, _Style]]:
    """Cut the text wherever a link part or a tone begins or ends."""
    tones = sorted(tones)
    edges = {0, len(text)}
    for start, end, _ in (*spans, *tones):
        edges.update(edge for edge in (start, end) if 0 <= edge <= len(text))
    borders = sorted(edges)
    link_starts, tone_starts = [span[0] for span in spans], [span[0] for span in tones]
    for start, end in pairwise(borders):
        style, tone = _Style(), 0
        at = bisect.bisect_right(link_starts, start) - 1
        if at >= 0 and spans[at][1] > start:
            style = spans[at][2] if spans[at][1] == end else replace(spans[at][2], label="", title="")
        at = bisect.bisect_right(tone_starts, start) - 1
        if at >= 0 and tones[at][1] > start:
            tone = tones[at][2]
        yield start, end, replace(style, tone=tone) if tone else style


def _links(text: str, read_link: LinkReader) -> Iterator[tuple[int, int, _Style]]:
    """Yield the parts of every link; where its domain is disguised, the last part is labelled with it."""
    count = 0
    for token in _TOKEN.finditer(text):
        if count == _MAX_LINKS:
            return
        if _LINKISH.search(token[0]) is None:
            continue
        start = token.start() + _lead(token[0])
        end = start + len(text[start : token.end()].rstrip(_EDGE))
        candidate = text[start : min(end, start + _MAX_LINK_LENGTH)]
        if candidate.isascii() and candidate.isalpha():  # the last word of a sentence
            continue
        link = read_link(candidate) if candidate else None
        if link:
            count += 1
            yield from _link_parts(candidate, start, end, *link)


def _lead(token: str) -> int:
    """Return where the link begins inside a token such as `(see:https://…`."""
    scheme = _SCHEME.search(token)
    return scheme.start() if scheme else len(token) - len(token.lstrip(_EDGE))


def _link_parts(
    candidate: str, start: int, end: int, host: str, domain: str
) -> Iterator[tuple[int, int, _Style]]:
    scheme = _SCHEME.match(candidate)
    at = scheme.end() if scheme else 0
    if scheme:
        yield start, start + at, _Style(link="scheme")
    really = domain or host
    # The authority ends at the first slash, and the host after the last @ counts; the rest is a decoy.
    authority = re.match(r"[^/?#\\]*", candidate[at:])
    limit = at + (authority.end() if authority else 0)
    position = candidate.lower().rfind(really, at, limit)
    if position < 0:
        yield (
            start + at,
            end,
            _Style(
                link="rest", label=_broken_host(really), title=gettext("the host that a browser would open")
            ),
        )
        return
    if position > at:
        yield start + at, start + position, _Style(link="rest")
    yield start + position, start + position + len(really), _Style(link="domain")
    if start + position + len(really) < end:
        yield start + position + len(really), end, _Style(link="rest")


def _broken_scheme(text: str) -> str:
    return re.sub(r"(?i)tt", "xx", text, count=1)


def _broken_host(text: str) -> str:
    return text.replace(".", "[.]").replace("。", "[.]")


_BROKEN: dict[str, Callable[[str], str]] = {"scheme": _broken_scheme, "domain": _broken_host}
