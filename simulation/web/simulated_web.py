"""The simulated web as a function: an address, a visitor and an instant → an answer."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from html import escape

from simulation.web import drawing, pages, pictures
from simulation.web.sites import Behaviour, Site, key

_PICTURE_KINDS = {"png": "image/png", "jpg": "image/jpeg", "webp": "image/webp"}
_PROGRAMS = ("spamdesk", "bot", "crawler", "python", "curl")
PICTURE_PATH = "/img/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a site answers; `location` is set for a redirect."""

    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    body: bytes = b""
    location: str = ""


class SimulatedWeb:
    """Every known site. `find` is asked by key for an unknown address."""

    def __init__(
        self, sites: Iterable[Site] = (), *, find: Callable[[str], Site | None] | None = None
    ) -> None:
        self._found: dict[str, tuple[Site, int]] = {}
        self._find = find
        for site in (*pictures.code_sites(), *sites):
            self.add(site)

    def add(self, site: Site) -> None:
        """Make a site known at each of its addresses; the first one known at an address stays."""
        for number, url in enumerate(site.urls):
            self._found.setdefault(key(url), (site, number))

    def answer(self, url: str, *, agent: str, at: datetime) -> Reply | None:
        """Return what is answered at an address; None if nothing answers there."""
        address = key(url)
        host, _, path = address.partition("/")
        if path.startswith(PICTURE_PATH[1:]):
            return _picture(path[len(PICTURE_PATH) - 1 :])
        entry = self._found.get(address)
        if entry is None and self._find and (site := self._find(address)):
            self.add(site)
            entry = self._found.get(address)
        if entry is None:
            return Reply(status=404, body=pages.missing(host).encode())
        return _answer(*entry, host=host, agent=agent, at=at)


def _answer(site: Site, number: int, *, host: str, agent: str, at: datetime) -> Reply | None:
    if number < len(site.urls) - 1:
        return _on(site, number)
    if site.behaviour == Behaviour.DEAD:
        return None
    if site.behaviour == Behaviour.GONE:
        return Reply(status=404, body=pages.missing(host).encode())
    return Reply(body=pages.page(site, is_face=_shows_face(site, agent=agent, at=at)).encode())


def _on(site: Site, number: int) -> Reply:
    """Redirect to the next address, at last by the page itself if it does so."""
    target = site.urls[number + 1]
    if site.refreshes and number == len(site.urls) - 2:
        meta = f'<meta http-equiv="refresh" content="0; url={escape(target)}">'
        return Reply(body=f"<!doctype html><html><head>{meta}</head><body>One moment</body></html>".encode())
    return Reply(status=(302, 301, 307)[number % 3], location=target)


def _shows_face(site: Site, *, agent: str, at: datetime) -> bool:
    if site.behaviour == Behaviour.CLOAKED:
        return any(name in agent.lower() for name in _PROGRAMS)
    return site.behaviour == Behaviour.TURNS and site.turns_at is not None and at < site.turns_at


def _picture(name: str) -> Reply:
    picture = pictures.pool().get(name)
    if picture is None:
        return Reply(status=404, body=pages.missing(name).encode())
    return Reply(content_type=_PICTURE_KINDS[name.rpartition(".")[2]], body=drawing.drawn(picture))
