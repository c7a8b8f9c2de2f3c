"""Promise: whatever a site does, nothing inside is reached, time and memory are bounded, and it goes on."""

import resource
import time
from dataclasses import dataclass, replace

import pytest
from pytest_django import Settings

from config.evidence import Limits
from moderation.models import DeskSettings
from moderation.models.evidence import EvidenceKind, EvidenceState
from tests.moderation.operations.evidence import hostile_kinds  # noqa: F401 - adds to the site's answers
from tests.moderation.operations.evidence.conftest import Fetched
from tests.moderation.operations.evidence.hostile_site import HostileSite

pytestmark = pytest.mark.whole

STATE, PICTURE, PAGE = EvidenceState, EvidenceKind.PICTURE, EvidenceKind.PAGE


@dataclass(frozen=True)
class Trick:
    """What a site does, at which path, and how that may end."""

    name: str
    path: str
    states: tuple[EvidenceState, ...]
    kind: EvidenceKind = PAGE
    says: str = ""


TRICKS = (
    Trick("redirect to a private address", "/private", (STATE.REFUSED,)),
    Trick("redirect to loopback, as IPv6", "/loopback", (STATE.REFUSED,)),
    Trick("redirect to a name that is inside", "/name-inside", (STATE.REFUSED,)),
    Trick("redirect to a cloud's metadata", "/metadata", (STATE.REFUSED,)),
    Trick("loopback as one decimal number", "/decimal", (STATE.REFUSED,)),
    Trick("loopback in octal", "/octal", (STATE.REFUSED,)),
    Trick("loopback in short", "/short", (STATE.REFUSED,)),
    Trick("loopback with ideographic stops", "/full-width", (STATE.REFUSED, STATE.UNREACHABLE)),
    Trick("a host hidden behind a user name", "/userinfo", (STATE.REFUSED,)),
    Trick("the port of a mail server", "/port", (STATE.REFUSED,)),
    Trick("a link-local address with a zone", "/zone", (STATE.REFUSED,)),
    Trick("redirect to a script", "/script", (STATE.REFUSED,)),
    Trick("redirect to a local file", "/file", (STATE.REFUSED,)),
    Trick("redirect to gopher", "/gopher", (STATE.REFUSED,)),
    Trick("redirect to data", "/data", (STATE.REFUSED,)),
    Trick("a ring of redirects that set cookies", "/loop", (STATE.TOO_MANY_REDIRECTS,)),
    Trick("10,000 redirects", "/far/0", (STATE.TOO_MANY_REDIRECTS,)),
    Trick("pages that refresh to each other", "/refresh-loop", (STATE.TOO_MANY_REDIRECTS,), says="Moment"),
    Trick("a page without end", "/endless", (STATE.TOO_LARGE,), says="More"),
    Trick("a byte now and then", "/trickle", (STATE.TIMED_OUT,)),
    Trick("silence, and then nothing", "/silence", (STATE.TIMED_OUT, STATE.UNREACHABLE)),
    Trick("a connection that is cut", "/gone", (STATE.UNREACHABLE,)),
    Trick("no HTTP at all", "/no-http", (STATE.UNREACHABLE,)),
    Trick("a bomb of gzip", "/bomb", (STATE.TOO_LARGE,)),
    Trick("a bomb packed twice", "/zipped-twice", (STATE.FETCHED, STATE.BROKEN, STATE.TOO_LARGE)),
    Trick("plain text that says it is gzip", "/not-zipped", (STATE.BROKEN,)),
    Trick("a packing that is not read", "/brotli", (STATE.BROKEN,)),
    Trick("a bomb of XML entities", "/xml-bomb", (STATE.FETCHED, STATE.BROKEN)),
    Trick("an entity that names a local file", "/xml-file", (STATE.FETCHED, STATE.BROKEN)),
    Trick("a bomb of SVG", "/svg-bomb", (STATE.WRONG_KIND,)),
    Trick("a PNG of four thousand million pixels", "/png-bomb.png", (STATE.TOO_LARGE,), PICTURE),
    Trick("a GIF of 200 large frames", "/frames.gif", (STATE.FETCHED,), PICTURE),
    Trick("a picture that ends half-way", "/half.png", (STATE.BROKEN,), PICTURE),
    Trick("a picture that is too large a file", "/huge.png", (STATE.TOO_LARGE,), PICTURE),
    Trick("a page that says it is a picture", "/gif-page", (STATE.BROKEN, STATE.WRONG_KIND), PICTURE),
    Trick("a picture that says it is a page", "/page-png", (STATE.FETCHED, STATE.BROKEN)),
    Trick("a picture with a page behind it", "/picture-and-page.png", (STATE.FETCHED,), PICTURE, says="WIN"),
    Trick("a document", "/document", (STATE.WRONG_KIND,)),
    Trick("an installer that says it is a page", "/installer", (STATE.WRONG_KIND,)),
    Trick("a charset that does not exist", "/no-charset", (STATE.FETCHED,)),
    Trick("bytes that are not of the charset", "/wrong-charset", (STATE.FETCHED,), says="Gewinn"),
    Trick("100,000 headers", "/many-headers", (STATE.UNREACHABLE,)),
    Trick("a header of 3 MB", "/long-header", (STATE.UNREACHABLE,)),
    Trick("a chunk longer than what comes", "/chunk-lie", (STATE.UNREACHABLE,)),
    Trick("a chunk without a length", "/chunk-no-number", (STATE.UNREACHABLE,)),
    Trick("a length that is not kept", "/length-lie", (STATE.UNREACHABLE, STATE.FETCHED)),
    Trick("two lengths", "/two-lengths", (STATE.UNREACHABLE,)),
    Trick("a thousand times: continue", "/continues", (STATE.FETCHED, STATE.UNREACHABLE, STATE.BROKEN)),
    Trick("20,000 elements in each other", "/deep", (STATE.FETCHED,), says="Deep words"),
    Trick("45,000 open elements", "/elements", (STATE.FETCHED,), says="Much"),
    Trick("20,000 attributes", "/attributes", (STATE.FETCHED, STATE.BROKEN)),
    Trick("control characters and half pairs", "/odd", (STATE.FETCHED,), says="pair"),
    Trick("a form for a password that goes elsewhere", "/page", (STATE.FETCHED,), says="Pay the fee"),
)
MOST_SECONDS = 50.0
"""A hop, and a picture that is read twice for want of time, by the limits; most take a tenth of a second."""
MOST_GROWTH_MB = 200


@pytest.mark.timeout(300)
def test_nothing_a_site_does_reaches_inside_or_stops_the_worker(
    fetched: Fetched, site: HostileSite, settings: Settings, remembered: DeskSettings
) -> None:
    remembered.evidence_obeys_robots = False
    settings.EVIDENCE_LIMITS = _quick(settings)
    fetched("/page?first"), fetched("/picture.png?first", PICTURE)  # the readers are started, and loaded
    before = _peak_mb()
    wrong = []
    for trick in TRICKS:
        began = time.monotonic()
        row = fetched(trick.path, trick.kind)
        seconds = time.monotonic() - began
        says = str((row.facts or {}).get("text", ""))
        if row.state not in trick.states or trick.says not in says or seconds > MOST_SECONDS:
            wrong.append((trick.name, row.state, row.detail, says[:40], round(seconds, 1)))

    assert not wrong
    assert len({trick.name for trick in TRICKS}) == len(TRICKS) >= 30
    assert "/inside" not in site.paths()
    assert not [headers for _, headers in site.asked if {"cookie", "authorization", "referer"} & set(headers)]
    assert _peak_mb() - before < MOST_GROWTH_MB
    assert fetched("/page?last").state == STATE.FETCHED, "the worker goes on"


def _quick(settings: Settings) -> Limits:
    limits: Limits = settings.EVIDENCE_LIMITS
    return replace(limits, hop_seconds=2.0, seconds=4.0)


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
