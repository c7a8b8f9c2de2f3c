"""Limits of fetching what links lead to, and where pictures are kept (moderation/operations/evidence/)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from django.core.exceptions import ImproperlyConfigured

_HIGHEST_PORT = 65_535
_BUCKET = re.compile(
    r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[\w.-]+)*/?"  # name and prefix
    r"(\?endpoint=https?://[^/?#\s@]+/?)?"
)


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Seconds and bytes. `links`, `media` and all `addresses` are of one revision, `codes` of one picture;
    after complaints as many addresses are fetched anew, `renewals` times in all.

    `ratio` is unpacked to received; `read_*`, `picture_seconds` and `speech_*` bound the process that
    parses; of speech the first `speech_of_seconds` are read.

    `site_at_once` and `site_per_second` are fetches at one registrable domain, under way and begun;
    `platform_at_once` those for one platform in a worker, fewer than it has threads. `page_readers` are the
    processes of a worker that parse pages.
    """

    links: int = 10
    media: int = 5
    codes: int = 3
    addresses: int = 30
    renewals: int = 24
    redirects: int = 5
    seconds: float = 20.0
    hop_seconds: float = 8.0
    most_bytes: int = 2_000_000
    picture_bytes: int = 10_000_000
    ratio: float = 50.0
    read_seconds: float = 8.0
    picture_seconds: float = 20.0
    read_bytes: int = 2 * 1024**3
    sound_bytes: int = 30_000_000
    speech_of_seconds: float = 60.0
    speech_seconds: float = 30.0
    speech_memory_bytes: int = 4 * 1024**3
    site_at_once: int = 3
    site_per_second: int = 5
    platform_at_once: int = 5
    page_readers: int = 2


def store(variables: Mapping[str, str]) -> str:
    """Return the address of the bucket that pictures are kept in, "" for the state folder.

    Raises ImproperlyConfigured.
    """
    address = variables.get("SPAMDESK_EVIDENCE_STORE", "")
    if address and not _BUCKET.fullmatch(address):
        raise ImproperlyConfigured(
            "SPAMDESK_EVIDENCE_STORE must be s3://BUCKET or s3://BUCKET/PREFIX, and ?endpoint=https://HOST:PORT"
            " after it for a store that is not AWS's; keys come from where every AWS tool finds them."
        )
    return address


def simulated_web_port(variables: Mapping[str, str], *, is_production: bool) -> int:
    """Return the local port that serves pages of simulated posts, 0 for none, which production always has.

    Raises ImproperlyConfigured.
    """
    name = "SPAMDESK_SIMULATED_WEB_PORT"
    value = variables.get(name) or "0"
    if is_production and variables.get(name):
        raise ImproperlyConfigured(f"{name} is for demonstrations; leave it out in production.")
    if not (value.isascii() and value.isdigit() and len(value) <= 5 and int(value) <= _HIGHEST_PORT):
        raise ImproperlyConfigured(f"{name} is {value!r}; it must be a whole number from 0 to 65535.")
    return int(value)
