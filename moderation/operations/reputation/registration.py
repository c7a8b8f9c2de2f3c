"""Registration dates of domains, by RDAP (RFC 9083, section 4.5), and IANA's list of servers (RFC 9224).

`rdap_dns.json` is a copy of https://data.iana.org/rdap/dns.json, published by IANA on 2026-07-23, one service
a line; IANA dedicates its registries to the public domain (CC0). `manage.py refresh_rdap_list` fetches a
newer one into the state folder; the newer of the two counts.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from django.conf import settings

from moderation.models import PostLink
from moderation.models.reputation import ReputationProvider
from moderation.operations.reputation.provider import Line, NoAnswer, Said

_HOLDS_FOR = timedelta(days=30)
_NOT_FOUND_HOLDS_FOR = timedelta(days=1)
"""A domain that was registered an hour ago may not be known there yet."""
_FAILURE_HOLDS_FOR = timedelta(hours=3)
_NOT_FOUND = (404,)
_REDIRECTS = 3
_HEADERS = {"accept": "application/rdap+json"}

SOURCE = "https://data.iana.org/rdap/dns.json"
SHIPPED = Path(__file__).with_name("rdap_dns.json")
_LEAST_SHARE = 0.5
"""A list with fewer entries than this share of those in force is no newer list but a broken one."""
_LIST_HEADERS = {"accept": "application/json"}


class Registration:
    """Asks the registry of a domain, or one server for all of them; it needs no key.

    A failure is an answer, too, that says nothing and holds for hours: no registry is asked again with each
    post of a campaign.
    """

    name = ReputationProvider.REGISTRATION

    def __init__(self, *, address: str = "") -> None:
        """Ask the server at an address about all domains; without one, those of IANA's list."""
        self._address = address
        # One for each server, with a circuit breaker of its own: a slow registry costs its own domains alone.
        self._lines: dict[str, Line] = {}

    def subject(self, link: PostLink) -> str:
        """Return the domain; empty for an address, which was never registered, and for a suffix that no
        server answers for.
        """
        name = link.domain.name
        if name.startswith("[") or name.replace(".", "").isdigit():
            return ""
        return name if self._server(name) else ""

    def ask(self, link: PostLink, *, at: datetime) -> Said:  # noqa: ARG002 - the answer bears its own times
        """Return when the domain was registered, unknown if no registry knows or says it.

        Raises content.Unavailable while nobody is asked, since the server has failed several times.
        """
        server = self._server(link.domain.name)
        line = self._lines.setdefault(server, Line(base=server, headers=_HEADERS, redirects=_REDIRECTS))
        try:
            answer = line.get(f"/domain/{quote(link.domain.name)}", unknown=_NOT_FOUND)
            return _read(answer)
        except NoAnswer as failure:
            return Said(detail=str(failure)[:200], holds_for=_FAILURE_HOLDS_FOR)

    def _server(self, domain: str) -> str:
        return self._address or current().server_of(domain)


def _read(answer: Any) -> Said:
    if answer is None:
        return Said(detail="not registered, says the registry", holds_for=_NOT_FOUND_HOLDS_FOR)
    try:
        dates = [
            datetime.fromisoformat(event["eventDate"])
            for event in answer.get("events", ())
            if event["eventAction"] == "registration"
        ]
    except (AttributeError, KeyError, TypeError, ValueError) as wrong:
        raise NoAnswer(f"unexpected answer: {type(wrong).__name__}") from wrong
    if not dates:
        return Said(holds_for=_HOLDS_FOR)
    registered_at = min(date if date.tzinfo else date.replace(tzinfo=UTC) for date in dates)
    return Said(live_since_at=registered_at, holds_for=_HOLDS_FOR)


class Invalid(Exception):
    """The data is no list of RDAP servers, or must not replace the one in force."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Registries:
    """Servers by the suffix that they answer for, in small letters; when IANA published the list."""

    servers: Mapping[str, str]
    published_at: datetime

    def server_of(self, domain: str) -> str:
        """Return the address of the server for a domain, "" if there is none. The longest suffix counts."""
        labels = _ascii(domain).split(".")
        for start in range(len(labels)):
            if server := self.servers.get(".".join(labels[start:])):
                return server
        return ""


def parse(data: bytes) -> Registries:
    """Read a list. Raises Invalid."""
    try:
        document = json.loads(data)
        published_at = datetime.fromisoformat(document["publication"])
        servers = {
            str(suffix).lower().strip("."): _best(addresses)
            for suffixes, addresses in document["services"]
            for suffix in suffixes
        }
    except (AttributeError, KeyError, TypeError, ValueError) as wrong:
        raise Invalid(f"This is no list of RDAP servers ({type(wrong).__name__}).") from wrong
    servers = {suffix: server for suffix, server in servers.items() if suffix and server}
    if not servers:
        raise Invalid("The list names no server.")
    published_at = published_at if published_at.tzinfo else published_at.replace(tzinfo=UTC)
    return Registries(servers=servers, published_at=published_at)


def current() -> Registries:
    """Return the newer one of the shipped list and the fetched one; a broken fetched one does not count."""
    shipped = _listed(SHIPPED, SHIPPED.stat().st_mtime_ns)
    try:
        fetched = _listed(settings.RDAP_LIST, settings.RDAP_LIST.stat().st_mtime_ns)
    except (OSError, Invalid):
        return shipped
    return max(shipped, fetched, key=lambda registries: registries.published_at)


def refresh(*, url: str) -> Registries:
    """Fetch a list, and keep it if it is newer than the one in force; return the one in force now.

    Raises provider.NoAnswer, Invalid or OSError.
    """
    document = Line(base=url, headers=_LIST_HEADERS, redirects=_REDIRECTS).get("")
    data = json.dumps(document).encode()
    fetched, in_force = parse(data), current()
    if len(fetched.servers) < _LEAST_SHARE * len(in_force.servers):
        raise Invalid(
            f"The list has {len(fetched.servers)} suffixes, the one in force {len(in_force.servers)}."
        )
    if fetched.published_at <= in_force.published_at:
        return in_force
    _write(settings.RDAP_LIST, data)
    return fetched


@lru_cache(maxsize=4)
def _listed(path: Path, _changed_at: int) -> Registries:
    return parse(path.read_bytes())


def _write(path: Path, data: bytes) -> None:
    """Write beside, then rename: nobody ever reads half a list."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_bytes(data)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def _best(addresses: list[str]) -> str:
    """Return the first address by https, else the first by http; "" for none. RFC 9224 prefers https."""
    for scheme in ("https", "http"):
        for address in addresses:
            if urlsplit(address).scheme == scheme:
                return address
    return ""


def _ascii(domain: str) -> str:
    name = domain.rstrip(".").lower()
    try:
        return name if name.isascii() else name.encode("idna").decode("ascii")
    except UnicodeError:
        return name
