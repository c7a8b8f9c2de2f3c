"""Take the pictures of the guides from the running product: `make screenshots`.

Signs in with the demo accounts, so a demo installation is needed. On the way it decides a few cases, bans a
domain and asks for an export, so that no page is empty; cases that are only looked at are handed back.
`ARGS="--all --out FOLDER"` takes every page in three sizes and both themes, to be looked at, with
`--language de` in German.
"""

import argparse
import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from deploy.local import browser as installed

PICTURES = Path(__file__).parent / "pictures"
PAGES = {
    "today": "/today/",
    "queue": "/queue/",
    "named-queues": "/queues/",
    "campaigns": "/campaigns/",
    "decisions": "/decisions/",
    "posts": "/posts/",
    "authors": "/authors/",
    "domains": "/domains/",
    "rules": "/rules/",
    "policies": "/policies/",
    "appeals": "/appeals/",
    "second-reviews": "/second-reviews/",
    "golden-items": "/golden-items/",
    "mentions": "/mentions/",
    "audit": "/audit/",
    "labels": "/labels/",
    "quality": "/quality/",
    "drift": "/quality/drift/",
    "thresholds": "/thresholds/",
    "models": "/models/",
    "model-errors": "/models/errors/",
    "feature-search": "/models/features/?feature=social.friends&compared=at_least&value=0",
    "exports": "/exports/",
    "health": "/health/",
    "try-out": "/try/?example=1",
    "account": "/account/",
    "preferences": "/account/preferences/",
    "pace": "/account/pace/",
    "platforms": "/platforms/",
    "platform": "/platforms/1/",
    "users": "/users/",
    "reasons": "/reasons/",
    "guidelines": "/guidelines/",
}
SIZES = {"1280": (1280, 800), "1920": (1920, 1080), "390": (390, 844)}
# Every screen once; the ones that people live in also dark and large.
_MOST_SEEN = ("queue", "review", "hostile", "campaign")
_DECIDED = 8
_LOOKED_AT = 50
# What makes a case worth a picture: as much as possible of what the review page can show.
_TELLING = (
    ".complaints__row",
    ".domains__row",
    ".journey",
    ".facts__row--warn",
    ".word--spam-3",
    ".word--ham-1, .word--ham-2, .word--ham-3",
    ".verdict--spam",
    ".flip",
    ".near__post",
    ".campaign-strip__link",
)
_LARGEST = """
() => {
  const posts = (row) => Number(row.children[2].textContent.replace(/\\D/g, ""));
  const rows = [...document.querySelectorAll("tbody tr")].sort((one, other) => posts(other) - posts(one));
  return rows[0]?.querySelector("a").getAttribute("href") ?? null;
}
"""
_DISGUISE = ".post-text .mark, .post-text .link--target"


@dataclass
class Camera:
    """A browser and the address of the desk; keeps pictures in a folder."""

    browser: Browser
    url: str
    folder: Path
    language: str

    def translate(self, page: Page) -> None:
        """Show the next pages in the language of the pictures."""
        page.context.add_cookies([{"name": "django_language", "value": self.language, "url": self.url}])

    @contextmanager
    def page(self, *, name: str = "admin", size: str = "1280", scheme: str = "light") -> Iterator[Page]:
        """Open a page of somebody who has signed in."""
        page = self._page(size=size, scheme=scheme)
        page.goto("/sign-in/")
        page.get_by_label("Name").fill(name)
        page.get_by_label("Password").fill("demo")
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(re.compile(r"/(queue|today)/$"))
        page.goto("/queue/")
        yield page
        page.context.close()

    def sign_in(self, *, suffix: str) -> None:
        """Take the picture of the sign-in page."""
        page = self._page(size="1280", scheme="light")
        page.goto("/sign-in/")
        self.take(page, f"sign-in-{suffix}")
        page.context.close()

    def take(self, page: Page, name: str) -> None:
        """Keep what the page shows."""
        # At most 256 colours: a third of the size, and no eye tells the difference.
        picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        picture.quantize(256, dither=Image.Dither.NONE).save(self.folder / f"{name}.png", optimize=True)

    def _page(self, *, size: str, scheme: str) -> Page:
        width, height = SIZES[size]
        return self.browser.new_context(
            base_url=self.url,
            viewport={"width": width, "height": height},
            color_scheme="dark" if scheme == "dark" else "light",
            reduced_motion="reduce",
        ).new_page()


def main() -> None:
    """Take every picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default=f"http://127.0.0.1:{os.environ.get('SPAMDESK_WEB_PORT', '8000')}")
    parser.add_argument("--out", type=Path, default=PICTURES)
    parser.add_argument("--all", action="store_true", help="every page in every size and scheme")
    parser.add_argument("--language", choices=("en", "de"), default="en")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**installed.launch_options(installed.find()))
        camera = Camera(browser, asked.url, asked.out, asked.language)
        with camera.page() as page:
            cases = _choose(page)
            _work(page, spare=set(cases.values()))
            pages = PAGES | _found(page)
        for size in SIZES if asked.all else ("1280", "1920"):
            for scheme in ("light", "dark"):
                is_whole = asked.all or (size, scheme) == ("1280", "light")
                with camera.page(size=size, scheme=scheme) as page:
                    camera.translate(page)
                    _round(camera, page, pages, cases, is_whole=is_whole, suffix=f"{scheme}-{size}")
        camera.sign_in(suffix="light-1280")
        browser.close()


class _Case(NamedTuple):
    """What a picture of a case would show; the greatest is the one for the README."""

    is_english: bool
    shown: int
    disguises: float
    link: str


def _choose(page: Page) -> dict[str, str]:
    """Return the addresses of the most telling case in the README's language, and of the most hostile
    one among the first of the queue.
    """
    links = page.locator(".table__link").evaluate_all("links => links.map(link => link.getAttribute('href'))")
    seen: list[_Case] = []
    for link in links[:_LOOKED_AT]:
        page.goto(link)
        if page.locator(".case--blurred").count():
            continue
        shown = sum(page.locator(part).count() > 0 for part in _TELLING)
        # A case whose score is hidden shows less; half a mark decides between equals.
        disguises = page.locator(_DISGUISE).count() + page.locator(".verdict").count() / 2
        is_english = page.locator(".post-text[lang^=en]").count() > 0
        seen.append(_Case(is_english, shown, disguises, link))
    if not seen:
        raise SystemExit("The queue is empty: send posts first (make demo-data).")
    review = max(seen)
    others = [case for case in seen if case != review] or [review]
    return {"review": review.link, "hostile": max(others, key=lambda case: case.disguises).link}


def _work(page: Page, *, spare: set[str]) -> None:
    """Decide a few cases as the models would, ban a domain of one, ask for an export."""
    page.goto("/review/")
    page.keyboard.press("r")
    page.locator("[data-claim]").wait_for()
    for _ in range(_DECIDED):
        before = page.locator("[data-case]").get_attribute("data-case")
        is_spared = any(f"/{before}/" in address for address in spare)
        key = "n" if is_spared else "s" if page.locator(".verdict--spam").count() else "f"
        page.keyboard.press(key)
        page.wait_for_function(
            "before => document.querySelector('[data-case]').dataset.case !== before", arg=before
        )
    page.wait_for_load_state("networkidle")  # a page with a decision on its way asks before it is left
    page.keyboard.press("h")
    page.wait_for_url("**/queue/")
    page.goto("/domains/?which=banned")
    if not page.locator(".table__link").count():
        page.goto("/posts/?state=spam")
        page.goto(_first(page, ".table__foot a[href^='/domains/']") or "/domains/")
        page.get_by_label("Reason").fill("Posted by accounts a day old, all to the same shop")
        page.get_by_label("Re-score").select_option("")
        page.get_by_label("Reason").press("Enter")
        page.locator(".tag--spam").first.wait_for()
    page.goto("/exports/")
    page.get_by_role("button", name="Create export").click()
    page.locator("a[href$='/download/']").first.wait_for()


def _found(page: Page) -> dict[str, str]:
    """Return the addresses of one campaign, author, domain, post, address, dry run and correction."""
    page.goto(PAGES["campaigns"])
    found = {"campaign": page.evaluate(_LARGEST)}
    page.goto("/authors/?state=reported")
    found["author"] = _first(page, ".table__author")
    page.goto("/domains/")
    found["domain"] = _first(page, "tr:has(.mini-bar) .table__link") or _first(page, ".table__link")
    found["rule"] = f"/rules/new/?kind=domain&value={(found['domain'] or '').strip('/').rpartition('/')[2]}"
    page.goto("/posts/?state=spam")
    found["post"] = _first(page, ".table__post a[href^='/posts/']")
    found["address"] = _first(page, "a[href^='/addresses/']")
    page.goto("/decisions/")
    found["correct"] = _first(page, "a[href$='/correct/']")
    return {name: address for name, address in found.items() if address}


def _first(page: Page, links: str) -> str | None:
    link = page.locator(links).first
    return link.get_attribute("href") if link.count() else None


def _round(
    camera: Camera, page: Page, pages: dict[str, str], cases: dict[str, str], *, is_whole: bool, suffix: str
) -> None:
    for name, address in pages.items():
        if is_whole or name in _MOST_SEEN:
            page.goto(address)
            camera.take(page, f"{name}-{suffix}")
    for name, address in cases.items():
        page.goto(address)
        page.keyboard.press("r")
        page.locator("[data-key=s]").wait_for()
        page.wait_for_load_state("networkidle")  # what stands around the case is asked for a moment later
        camera.take(page, f"{name}-{suffix}")
        if name == "review" and is_whole:
            _closer(camera, page, suffix=suffix)
        page.keyboard.press("h")
        page.wait_for_url("**/queue/")


def _closer(camera: Camera, page: Page, *, suffix: str) -> None:
    """Take the map of keys, the context over time, and the author beside the case."""
    page.keyboard.press("?")
    camera.take(page, f"keys-{suffix}")
    page.keyboard.press("Escape")
    page.keyboard.press("c")
    page.locator(".lanes").wait_for()
    camera.take(page, f"context-{suffix}")
    page.keyboard.press("a")
    page.locator(".beside__subject").first.wait_for()
    page.wait_for_load_state("networkidle")
    camera.take(page, f"beside-{suffix}")
    page.keyboard.press("Escape")


if __name__ == "__main__":
    main()
