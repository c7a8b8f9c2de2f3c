"""What else the site of `hostile_site` does to who opens it: lies in headers, bombs, files of two kinds."""

import io
import zlib
from collections.abc import Callable

from PIL import Image

from tests.moderation.evidence import drawn
from tests.moderation.operations.evidence.hostile_site import ANSWERS, Answering, picture, redirects, sends

_LAUGHS = b"".join(b'<!ENTITY a%d "%s">' % (number, b"&a%d;" % (number - 1) * 10) for number in range(1, 12))
_XML_BOMB = b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a0 "ha">' + _LAUGHS + b"]><a>&a11;</a>"
_FILE_ENTITY = b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><p>&x;</p>'


def _raw(*pieces: bytes) -> Callable[[Answering], None]:
    """Send these bytes, whatever HTTP says of them."""

    def send(site: Answering) -> None:
        for piece in pieces:
            site.wfile.write(piece)
        site.close_connection = True

    return send


def _far(site: Answering) -> None:
    """Redirect ten thousand times, each time to another address."""
    number = int(site.path.rpartition("/")[2])
    redirects(f"/far/{number + 1}" if number < 10_000 else "/page")(site)


def _frames() -> bytes:
    """Return a GIF of many frames that all have to be decoded to know the last."""
    frames = [Image.new("P", (800, 800), number % 256) for number in range(200)]
    written = io.BytesIO()
    frames[0].save(written, "GIF", save_all=True, append_images=frames[1:])
    return written.getvalue()


_OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
_ZIPPED_TWICE = zlib.compress(zlib.compress(b"<p>" + b"0" * 50_000_000))

ANSWERS |= {f"/far/{number}": _far for number in range(7)} | {
    "/userinfo": redirects("http://site.example:PORT@10.0.0.1/inside"),
    "/decimal": redirects("http://2130706433:PORT/inside"),
    "/octal": redirects("http://0177.0.0.1:PORT/inside"),
    "/short": redirects("http://127.1:PORT/inside"),
    "/full-width": redirects("http://127\u30020\u30020\u30021:PORT/inside".encode().decode("latin-1")),
    "/port": redirects("http://lists.example:25/inside"),
    "/zone": redirects("http://[fe80::1%25eth0]/inside"),
    "/gopher": redirects("gopher://site.example:PORT/inside"),
    "/data": redirects("data:text/html,<h1>inside</h1>"),
    "/xml-bomb": sends(_XML_BOMB, kind="application/xhtml+xml"),
    "/xml-file": sends(_FILE_ENTITY, kind="application/xhtml+xml"),
    "/svg-bomb": sends(b"<svg>" + b"<g>" * 200_000, kind="image/svg+xml"),
    "/zipped-twice": sends(_ZIPPED_TWICE, kind="text/html", content_encoding="deflate"),
    "/frames.gif": sends(_frames(), kind="image/gif"),
    "/png-bomb.png": sends(drawn.png(width=65_000, height=65_000), kind="image/png"),
    "/gif-page": sends(b"GIF89a<html><script>x()</script>Both", kind="image/gif"),
    "/page-png": sends(picture("WIN")[:200], kind="text/html"),
    "/picture-and-page.png": sends(picture("WIN") + b"<html><script>x()</script>", kind="image/png"),
    "/no-charset": sends("<p>Gewinn f\u00fcr Sie".encode("utf-16"), kind="text/html; charset=no-such"),
    "/wrong-charset": sends(b"<p>Gewinn \xff\xfe Sie", kind="text/html; charset=utf-8"),
    "/many-headers": _raw(_OK + b"X-A: b\r\n" * 100_000 + b"\r\n<p>Hello"),
    "/long-header": _raw(_OK + b"X-A: " + b"b" * 3_000_000 + b"\r\n\r\n<p>Hello"),
    "/chunk-lie": _raw(_OK + b"Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFF\r\n<p>Hello"),
    "/chunk-no-number": _raw(_OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n<p>Hello\r\n"),
    "/length-lie": _raw(_OK + b"Content-Length: 500000\r\n\r\n<p>Hello"),
    "/two-lengths": _raw(_OK + b"Content-Length: 8\r\nContent-Length: 9\r\n\r\n<p>Hello."),
    "/continues": _raw(b"HTTP/1.1 100 Continue\r\n\r\n" * 1_000 + _OK + b"Content-Length: 3\r\n\r\n<p>"),
    "/no-http": _raw(b"SSH-2.0-OpenSSH_9.7\r\n"),
    "/elements": sends(b"<p>Much" + b"<b>x" * 45_000),
    "/refresh-header": sends(b"<p>Moment", refresh="0; url=/page"),
    "/refresh-late": sends(b"<p>Moment", refresh="90; url=/page"),
    "/refresh-itself": sends(b"<p>Moment", refresh="5"),
    "/gone.json": lambda site: site.answer(b"{}", status=404, kind="application/json"),
    "/stored-picture": sends(picture("WIN"), kind="application/octet-stream"),
    "/attached.png": sends(picture("WIN"), kind="image/png", content_disposition="attachment"),
    "/called-text.png": sends(picture("WIN"), kind="text/plain"),
    "/attributes": sends(b"<p " + b" ".join(b"a%d=1" % number for number in range(20_000)) + b">Much"),
}
