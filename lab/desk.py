"""How fast is the desk? Fill 100,000 posts and 20,000 open cases, then review in a real browser.

make bench ARGS="desk --fill"      (while `make run` is up, in a state folder of its own: the rows stay)
"""

import argparse
import statistics
import sys
import time
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

from deploy.local import browser as installed
from lab import _product, _stack

_PAINT = Path(__file__).with_name("paint.js").read_text(encoding="utf-8")
_TRANSFER = """
() => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
  .reduce((bytes, entry) => bytes + entry.transferSize, 0)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--fill", action="store_true", help="make the rows first; once")
    parser.add_argument("--posts", type=int, default=100_000)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--decisions", type=int, default=60, help="keys pressed in the browser")
    parser.add_argument("--requests", type=int, default=100, help="requests of each page")
    parser.add_argument("--think-ms", type=int, default=700, help="pause between two keys")


def main(options: argparse.Namespace) -> None:
    """Fill if asked, measure, print; exit code 1 where a promise is broken."""
    _product.connect()
    from lab import _crowd
    from moderation.models import Case, Post

    if options.fill:
        _crowd.fill(posts=options.posts, cases=options.cases)
    print("posts, open cases:", Post.objects.count(), Case.objects.filter(state="open").count())
    # Before the browser starts: beside its event loop Django refuses to ask the database.
    sessions = {name: _session(name) for name in ("moderator", "lead")}
    results: list[Result] = []
    for results_of_part in (_server(sessions["moderator"], options), _in_browser(sessions, options)):
        results += results_of_part
        for name, value, unit, limit in results_of_part:
            verdict = "" if limit is None else ("  ok" if value <= limit else f"  OVER {limit}")
            print(f"{name:<48}  {value:>9.1f} {unit}{verdict}", flush=True)
    if any(limit is not None and value > limit for _, value, _, limit in results):
        sys.exit(1)


Result = tuple[str, float, str, float | None]


def _session(name: str) -> str:
    """Return the session of a demo account."""
    from django.test import Client

    from moderation.models import User

    client = Client()
    client.force_login(User.objects.get(username=name))
    return client.cookies["sessionid"].value


def _server(session: str, options: argparse.Namespace) -> list[Result]:
    """Time whole answers of the queue page over loopback, one after the other."""
    import httpx

    times = []
    with httpx.Client(
        base_url=_stack.web_url(), cookies={"sessionid": session}, trust_env=False, timeout=30
    ) as desk:
        for _ in range(5):
            desk.get("/queue/")
        for _ in range(options.requests):
            began = time.perf_counter()
            answer = desk.get("/queue/")
            times.append((time.perf_counter() - began) * 1000)
            answer.raise_for_status()
    return [("queue page, p95", float(np.percentile(times, 95)), "ms", 50.0)]


def _in_browser(sessions: dict[str, str], options: argparse.Namespace) -> list[Result]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**installed.launch_options(installed.find()))
        try:
            return _shift(browser, sessions, options)
        finally:
            browser.close()


def _shift(browser: Browser, sessions: dict[str, str], options: argparse.Namespace) -> list[Result]:
    page = _page(browser, session=sessions["moderator"])
    page.goto("/review/")
    page.keyboard.press("r")
    page.wait_for_selector("[data-claim]")
    cold = _cold_transfer(browser, sessions, page.url)
    page.evaluate(_PAINT)
    page.wait_for_timeout(2_000)
    for number in range(options.decisions):
        page.keyboard.press("sf"[number % 2])
        page.wait_for_timeout(options.think_ms)
    page.wait_for_timeout(1_500)
    painted = page.evaluate("window.painted")
    notices = page.locator("#failure:visible, #notices .notice").count()
    page.close()
    return [
        (
            f"next case painted after the key, median of {len(painted)}",
            statistics.median(painted),
            "ms",
            100.0,
        ),
        ("next case painted after the key, p95", float(np.percentile(painted, 95)), "ms", None),
        ("keys without a next case", float(options.decisions - len(painted)), "", 0.0),
        ("notices or failures", float(notices), "", 0.0),
        ("transfer of the review page, cold", cold, "kB", 150.0),
    ]


def _cold_transfer(browser: Browser, sessions: dict[str, str], url: str) -> float:
    """Load the page with an empty cache, as somebody who reads along; return the kilobytes."""
    page = _page(browser, session=sessions["lead"])
    page.goto(url)
    page.wait_for_load_state("networkidle")
    transferred = float(page.evaluate(_TRANSFER))
    page.close()
    return transferred / 1000


def _page(browser: Browser, *, session: str) -> Page:
    """Open a page of a browser with an empty cache, signed in."""
    page = browser.new_page(base_url=_stack.web_url(), viewport={"width": 1280, "height": 800})
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": _stack.web_url()}])
    return page
