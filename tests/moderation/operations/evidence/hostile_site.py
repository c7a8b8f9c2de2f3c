"""A site that misbehaves on a local port, under any name that ends in `.example`."""

import gzip
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.moderation.evidence import drawn

PAGE = """<!doctype html><html lang="en"><head><title>Your parcel</title>
<meta property="og:title" content="Claim it"><meta property="og:image" content="/parcel.png">
<meta name="description" content="One step left">
</head><body><nav>Menu</nav><article><h1>Pay the fee</h1>
<p>Your parcel waits at the depot, and a small fee is due before it can be brought to you.</p>
<p>Please confirm your address and your card today, otherwise it will be sent back to its sender.</p>
</article><form action="https://takes.example/in"><input name="u"><input type="PASSWORD"></form>
<a href="files/Parcel.APK">Install the app</a><a href="/other">Other</a>
<footer>Casino bonus without deposit</footer><script>var hidden = "not text";</script></body></html>"""
SPOKEN = (Path(__file__).parents[2] / "evidence" / "sounds" / "spoken.ogg").read_bytes()


class HostileSite(ThreadingHTTPServer):
    """`asked` has the path and the headers of each request, by name in lower case."""

    daemon_threads = True
    asked: list[tuple[str, dict[str, str]]]
    says: str

    def url(self, path: str, *, host: str = "site.example") -> str:
        return f"http://{host}:{self.server_port}{path}"

    def paths(self) -> list[str]:
        return [path for path, _ in self.asked]


class Answering(BaseHTTPRequestHandler):
    """One answer of the site."""

    server: HostileSite

    def do_GET(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.asked.append((self.path, headers))
        with suppress(OSError):  # the caller had enough
            ANSWERS.get(self.path, _page)(self)

    def answer(
        self, body: bytes = b"", *, status: int = 200, kind: str = "text/html", **headers: str
    ) -> None:
        self.send_response(status)
        for name, value in {"content_type": kind, **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def without_end(self, piece: bytes, *, pause_seconds: float, kind: str = "text/html") -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.end_headers()
        while True:
            self.wfile.write(piece)
            time.sleep(pause_seconds)

    def log_message(self, *_: object) -> None:
        """Stay quiet."""


def _page(site: Answering) -> None:
    site.answer(PAGE.encode())


def words(count: int, *, start: int = 0) -> str:
    """Return different words, as many as are asked for."""
    return " ".join(f"word{number:03}" for number in range(start, start + count))


def _by_agent(program: bytes, browser: bytes, *, status: int = 200) -> Callable[[Answering], None]:
    """Show programs that name themselves something else than browsers."""

    def answer(site: Answering) -> None:
        is_program = "Spamdesk" in (site.headers["user-agent"] or "")
        site.answer(program if is_program else browser, status=status if is_program else 200)

    return answer


def _cloaked_redirect(site: Answering) -> None:
    if "Spamdesk" in (site.headers["user-agent"] or ""):
        _page(site)
    else:
        redirects("http://lands.example:PORT/page")(site)


def _changing(site: Answering) -> None:
    site.answer(f"<title>Today</title><p>{words(60)} {site.server.says}".encode())


def _exchanged(site: Answering) -> None:
    site.answer((site.server.says or f"<title>Cakes</title><p>{words(60)}").encode())


def redirects(location: str, *, wait_seconds: float = 0.0) -> Callable[[Answering], None]:
    def redirect(site: Answering) -> None:
        time.sleep(wait_seconds)
        target = location.replace(":PORT", f":{site.server.server_port}")
        site.answer(status=302, location=target, set_cookie="seen=1")

    return redirect


def sends(body: bytes, *, status: int = 200, **given: str) -> Callable[[Answering], None]:
    return lambda site: site.answer(body, status=status, **given)


@cache
def picture(*lines: str, code: str = "", height: int = 200) -> bytes:
    """Return a PNG that says these lines, beside a QR code."""
    drawing = drawn.with_text(*lines, size=(900, height))
    if code:
        squares = drawn.with_code(code)
        drawing.paste(squares, (900 - squares.width, 0))
    return drawn.encoded(drawing, "PNG")


def _draws(*lines: str, code: str = "", height: int = 200) -> Callable[[Answering], None]:
    return lambda site: site.answer(picture(*lines, code=code, height=height), kind="image/png")


ANSWERS: dict[str, Callable[[Answering], None]] = {
    "/elsewhere": redirects("http://lands.example:PORT/page"),
    "/private": redirects("http://10.0.0.1/"),
    "/loopback": redirects("http://[::ffff:127.0.0.1]:PORT/inside"),
    "/name-inside": redirects("http://inside.test:PORT/inside"),
    "/script": redirects("javascript:alert(1)"),
    "/file": redirects("file:///etc/passwd"),
    "/metadata": redirects("http://169.254.169.254/latest/meta-data/"),
    "/loop": redirects("/loop"),
    "/patience": redirects("/patience", wait_seconds=0.25),
    "/refresh": sends(b"<meta http-equiv=refresh content='0; URL=/elsewhere'><p>Moment"),
    "/refresh-loop": sends(b"<meta http-equiv=refresh content='0;url=/refresh-back'>Moment"),
    "/refresh-back": sends(b"<meta http-equiv=refresh content='0;url=/refresh-loop'>Moment"),
    "/endless": lambda site: site.without_end(b"<p>More " * 1_000, pause_seconds=0.0),
    "/trickle": lambda site: site.without_end(b"<", pause_seconds=0.05),
    "/silence": lambda _site: time.sleep(1.0),
    "/gone": lambda site: site.connection.shutdown(socket.SHUT_RDWR),
    "/bomb": sends(gzip.compress(b"<p>" + b"0" * 30_000_000), content_encoding="gzip"),
    "/zipped": sends(gzip.compress(PAGE.encode()), content_encoding="gzip"),
    "/not-zipped": sends(b"<p>plain", content_encoding="gzip"),
    "/brotli": sends(b"\x8b\x01\x80<p>\x03", content_encoding="br"),
    "/document": sends(b"%PDF-1.7", kind="application/pdf"),
    "/drawing": sends(b"<svg onload='x()'/>", kind="image/svg+xml"),
    "/installer": sends(b"MZ", kind="text/html", content_disposition='attachment; filename="Update.exe"'),
    "/cloaked": _by_agent(f"<p>{words(60)}".encode(), f"<p>{words(60, start=90)}".encode()),
    "/cloaked-form": _by_agent(
        f"<p>{words(60)}".encode(), f"<form><input type=password></form><p>{words(60)}".encode()
    ),
    "/cloaked-redirect": _cloaked_redirect,
    "/blocked": _by_agent(b"<p>Who are you", f"<p>{words(60)}".encode(), status=403),
    "/tailored": _by_agent(f"<p>{words(60)}".encode(), f"<p>{words(80, start=10)}".encode()),
    "/empty-for-one": _by_agent(b"<p>Loading", f"<p>{words(60)}".encode()),
    "/bait": sends(
        b"<meta property=og:title content='Kittens of the week, twelve photographs'>"
        + f"<p>{words(60)}".encode()
    ),
    "/changing": _changing,
    "/exchanged": _exchanged,
    "/error": lambda site: site.answer(b"<h1>No such page</h1>", status=404),
    "/nothing": sends(b""),
    "/deep": sends(b"<div>" * 20_000 + b"Deep words"),
    "/odd": sends(b"<html><title>A\0B\x01</title><body>Half \xed\xa0\x80 pair \xff</body>"),
    "/parcel.png": _draws(code="http://takes.example/from-preview"),
    "/picture.png": _draws("WIN 5000 EUR TODAY", code="http://site.example/behind-code"),
    "/copy.png": _draws("WIN 5000 EUR TODAY", code="http://site.example/behind-code"),
    "/words.png": _draws(*["MANY WORDS OF SPAM IN ONE PICTURE, AND MORE"] * 30, height=1900),
    "/wide.png": sends(drawn.png(width=30_000, height=30_000), kind="image/png"),
    "/half.png": lambda site: site.answer(picture("WIN")[:-400], kind="image/png"),
    "/slow.png": lambda site: site.without_end(b"\x89", pause_seconds=0.05, kind="image/png"),
    "/huge.png": sends(b"\x89PNG\r\n\x1a\n" + bytes(11_000_000), kind="image/png"),
    "/clip.webm": sends(SPOKEN, kind="video/webm"),
    "/no-clip.mp4": sends(b"ftyp" * 900, kind="video/mp4"),
    "/robots.txt": sends(b"User-agent: Spamdesk\nDisallow: /closed\n", kind="text/plain"),
}


@contextmanager
def serving() -> Iterator[HostileSite]:
    """Serve on a free port of the loopback until the block ends."""
    site = HostileSite(("127.0.0.1", 0), Answering)
    site.asked, site.says = [], ""
    threading.Thread(target=site.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield site
    finally:
        site.shutdown()
        site.server_close()
