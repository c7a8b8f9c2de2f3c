"""What does axe find on every page, in both themes, at three widths?

make bench ARGS=axe                       (while `make run` is up)
make bench ARGS="axe --only quality"      pages whose name holds a word

All of axe's rules but the experimental ones, best practices and target sizes included, on each page as the
administrator sees it; on the review page also what its keys open. A page that is wider than its window counts
as well.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, Page, sync_playwright

from deploy.local import browser as installed
from lab import _product

THEMES = ("light", "dark")
WIDTHS = {390: 844, 1280: 800, 1920: 1080}
_OPTIONS: dict[str, Any] = {"resultTypes": ["violations"], "rules": {"target-size": {"enabled": True}}}
_VIOLATIONS = """async options => (await axe.run(options)).violations.flatMap(
    each => each.nodes.map(node => `${each.id} (${each.impact}): ${node.html.slice(0, 160)}`)
)"""
_TOO_WIDE = "document.documentElement.scrollWidth - innerWidth"
_OPENED = {
    "r": "[data-claim]",
    "x": ".contributions__group",
    "c": ".lanes",
    "?": "#key-map[open]",
    "e": "#escalation[open]",
    "p": "#pause[open]",
}
"""The review page's keys and what each opens; Escape closes it again."""


def main() -> None:
    """Look at every page, print what was found; exit code 1 if anything was."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="pages whose name holds this")
    wanted = parser.parse_args().only
    _product.connect()
    from lab import _desk_rows, _pages

    session = _desk_rows.session("admin")
    pages = {name: path for name, path in _pages.addresses().items() if wanted in name}
    found: Counter[str] = Counter()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**installed.launch_options(installed.find()))
        for name, path in pages.items():
            page = _page(browser, session="" if path == _pages.SIGN_IN else session)
            for state in _states(page, name, path):
                for theme, width in product(THEMES, WIDTHS):
                    lines = _violations(page, theme=theme, width=width)
                    found["looks"] += 1
                    found["violations"] += len(lines)
                    for line in lines:
                        print(f"{state:<24} {theme:<5} {width:>5}  {line}", flush=True)
                print(f"{state}: {found['looks']} looks so far", file=sys.stderr, flush=True)
            page.context.close()
        browser.close()
    print(
        f"{len(pages)} pages, {len(THEMES)} themes, widths {', '.join(map(str, WIDTHS))}:"
        f" {found['looks']} looks, {found['violations']} violations"
    )
    if found["violations"]:
        sys.exit(1)


def _page(browser: Browser, *, session: str) -> Page:
    address = f"http://127.0.0.1:{os.environ['SPAMDESK_WEB_PORT']}"
    context = browser.new_context(base_url=address)
    if session:
        context.add_cookies([{"name": "sessionid", "value": session, "url": address}])
    return context.new_page()


def _states(page: Page, name: str, path: str) -> Iterator[str]:
    """Open a page and yield its name; for the review page go on to what each of its keys opens."""
    page.goto(path, wait_until="networkidle")
    page.evaluate(AXE_SCRIPT)
    yield name
    if name != "review":
        return
    for key, opened in _OPENED.items():
        page.set_viewport_size({"width": 1280, "height": 800})
        if not page.locator(f"[data-key='{key}']:visible").count():
            continue  # not every case has more reasons than are shown
        page.keyboard.press(key)
        page.locator(f"{opened}:visible").first.wait_for()
        yield f"{name}, key {key}"
        if key != "r":
            page.keyboard.press("Escape")


def _violations(page: Page, *, theme: str, width: int) -> list[str]:
    """Return what axe finds, and whether the page is wider than its window.

    Motion is reduced: a colour on its way from one theme to the other has no contrast yet.
    """
    page.set_viewport_size({"width": width, "height": WIDTHS[width]})
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light", reduced_motion="reduce")
    found: list[str] = page.evaluate(_VIOLATIONS, _OPTIONS)
    wider = page.evaluate(_TOO_WIDE)
    return found + ([f"{wider} px wider than the window"] if wider > 0 else [])


if __name__ == "__main__":
    main()
