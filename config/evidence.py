"""Limits of fetching what links lead to (moderation/operations/evidence/)."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Seconds and bytes. `links`, `media` and all `addresses` are of one revision, `codes` of one picture;
    after complaints as many addresses are fetched anew, `renewals` times in all.

    `ratio` is unpacked to received; `read_*` and `picture_seconds` bound the process that parses.

    `site_at_once` and `site_per_second` are fetches at one registrable domain, under way and begun.
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
    site_at_once: int = 3
    site_per_second: int = 5
