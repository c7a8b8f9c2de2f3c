"""One answer of one site: status, kind and a body that is bounded as received and as unpacked."""

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import httpcore
from django.conf import settings

from moderation.evidence import addresses
from moderation.models import desk_settings
from moderation.models.evidence import EvidenceKind
from moderation.operations.infrastructure import egress

SOUNDS = ("video/", "audio/", "application/ogg")
"""Beginnings of the kinds that may hold speech."""
_RATIO_FROM_BYTES = 65_536
"""A short text may shrink to very little; only what becomes larger is suspicious."""
_PIECE = 65_536
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_HEADERS = {
    "accept": "text/html,application/xhtml+xml,image/*;q=0.8,*/*;q=0.5",
    "accept-encoding": "gzip",
    "accept-language": "en,*;q=0.5",
}


class Unpackable(Exception):
    """The body has an unknown or a broken encoding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A site's answer. `location` is set for a redirect, also by the header `Refresh`; its body is not read.

    `is_cut` says that the body is longer than what was read.
    """

    status: int
    location: str = ""
    content_type: str = ""
    file_name: str = ""
    body: bytes = b""
    is_cut: bool = False


def get(url: str, *, seconds: float, most_bytes: int | None = None, is_browser: bool = False) -> Answer:
    """Get an address through the guard: without cookies, and without following a redirect.

    By our own name, or as a browser does.

    Raises egress.Refused, egress.TimedOut, egress.Failed or Unpackable.
    """
    with (
        egress.Client(url, is_page=True) as client,
        client.opened(
            headers=_browsers_headers()
            if is_browser
            else {**_HEADERS, "user-agent": desk_settings.current().evidence_agent},
            timeout_seconds=seconds,
        ) as response,
    ):
        headers = {
            name.lower().decode("latin-1"): value.decode("latin-1") for name, value in response.headers
        }
        if response.status in _REDIRECTS and headers.get("location"):
            return Answer(status=response.status, location=headers["location"])
        refreshed = addresses.refreshed(headers.get("refresh", ""), base=url)
        if refreshed and refreshed != url:
            return Answer(status=response.status, location=refreshed)
        most = most_bytes or _most(headers.get("content-type", ""))
        body, is_cut = _body(response, packing=headers.get("content-encoding", ""), most=most)
        return Answer(
            status=response.status,
            content_type=headers.get("content-type", "").strip(),
            file_name=_file_name(headers.get("content-disposition", "")),
            body=body,
            is_cut=is_cut,
        )


def _browsers_headers() -> dict[str, str]:
    return {
        **_HEADERS,
        "user-agent": settings.EVIDENCE_BROWSER_AGENT,
        "upgrade-insecure-requests": "1",
        "sec-fetch-dest": "document",
        "sec-fetch-mode": "navigate",
        "sec-fetch-site": "none",
        "sec-fetch-user": "?1",
    }


def _most(content_type: str) -> int:
    limits, kind = settings.EVIDENCE_LIMITS, content_type.strip().lower()
    if kind.startswith(SOUNDS):
        # Without a model nobody listens: then it is not loaded either.
        return limits.sound_bytes if settings.SPEECH_MODEL else 1
    return limits.picture_bytes if kind.startswith("image/") else limits.most_bytes


def _body(response: httpcore.Response, *, packing: str, most: int) -> tuple[bytes, bool]:
    body = bytearray()
    for piece in _unpacked(_Received(response.iter_stream(), most), packing=packing.strip().lower()):
        body += piece
        if len(body) > most:
            return bytes(body[:most]), True
    return bytes(body), False


@dataclass(slots=True)
class _Received:
    """The received pieces and their number of bytes; ends once that exceeds `most`."""

    pieces: Iterable[bytes]
    most: int
    count: int = 0

    def __iter__(self) -> Iterator[bytes]:
        for piece in self.pieces:
            self.count += len(piece)
            yield piece
            if self.count > self.most:
                return


def _unpacked(received: _Received, *, packing: str) -> Iterator[bytes]:
    if packing in ("", "identity"):
        yield from received
        return
    if packing not in ("gzip", "x-gzip", "deflate"):
        raise Unpackable(f"packed as {packing[:20]}")
    unpacker, count = zlib.decompressobj(wbits=47 if packing != "deflate" else 15), 0
    try:
        for piece in received:
            rest = piece
            while rest:
                data = unpacker.decompress(rest, _PIECE)
                rest = unpacker.unconsumed_tail
                count += len(data)
                if count > max(_RATIO_FROM_BYTES, settings.EVIDENCE_LIMITS.ratio * received.count):
                    raise Unpackable("unpacks to far more than it is")
                yield data
    except zlib.error as wrong:
        raise Unpackable("not packed as it says") from wrong


def _file_name(disposition: str) -> str:
    """Return the name under which a file is offered, "file" for one without a name, "" if none is offered."""
    kind, _, rest = disposition.partition(";")
    if kind.strip().lower() != "attachment":
        return ""
    for part in rest.split(";"):
        name, _, value = part.partition("=")
        if name.strip().lower() == "filename" and value.strip():
            return value.strip().strip('"')[:200]
    return "file"


_PAGES = ("text/html", "application/xhtml+xml", "text/plain")
_PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8", b"BM")
_BOX, _BRANDS = slice(4, 12), (b"ftypavif", b"ftypavis")


def kind_of(answer: Answer, *, expected: str) -> str | None:
    """Return the kind of reader for an answer, None if there is none. Without a header its first bytes
    decide.

    Where a picture is expected they always do, as in a browser: stores, and people who hide pictures, send
    them as files of no kind.
    """
    content_type = answer.content_type.partition(";")[0].strip().lower()
    if (expected == EvidenceKind.PICTURE or not content_type) and _begins_as_picture(answer.body):
        return "picture"
    if answer.file_name:
        return None
    if content_type in _PAGES or (not content_type and answer.body.lstrip()[:1] == b"<"):
        return "page"
    if content_type.startswith("image/") and not content_type.startswith("image/svg"):
        return "picture"
    return "speech" if content_type.startswith(SOUNDS) else None


def _begins_as_picture(body: bytes) -> bool:
    is_webp = body[:4] == b"RIFF" and body[8:12] == b"WEBP"
    return is_webp or body[_BOX] in _BRANDS or body.startswith(_PICTURES)
