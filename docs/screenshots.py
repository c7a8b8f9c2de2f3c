"""Take the pictures of the guides from the running product: `make screenshots`.

Signs in with the demo accounts, so a demo installation is needed. Cases are looked at and handed back.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from deploy.local import browser as installed

PICTURES = Path(__file__).parent / "pictures"
PAGES = {
    "queue": "/queue/",
    "campaigns": "/campaigns/",
    "decisions": "/decisions/?whose=everyone",
    "domains": "/domains/",
    "exports": "/exports/",
    "health": "/health/",
}
SIZES = {"1280": (1280, 800), "1920": (1920, 1080)}
# Every screen once; the ones that people live in also dark and large.
_MOST_SEEN = ("queue", "review", "hostile", "campaign")
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
)
_DISGUISE = ".post-text .mark, .post-text .link--target"


def main() -> None:
    """Take every picture in every size and scheme."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default=f"http://127.0.0.1:{os.environ.get('SPAMDESK_WEB_PORT', '8000')}")
    parser.add_argument("--out", type=Path, default=PICTURES)
    asked = parser.parse_args()
    chromium = installed.find()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(chromium),
            env={**os.environ, **installed.launch_environment(chromium)},
            args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
        )
        cases = _choose(_signed_in(browser, asked.url, size="1280", scheme="light"))
        pages = PAGES | {"campaign": _campaign(_signed_in(browser, asked.url, size="1280", scheme="light"))}
        for size in SIZES:
            for scheme in ("light", "dark"):
                shown = (*pages, *cases, "keys") if (size, scheme) == ("1280", "light") else _MOST_SEEN
                page = _signed_in(browser, asked.url, size=size, scheme=scheme)
                _take(page, pages, cases, shown=shown, folder=asked.out, suffix=f"{scheme}-{size}")
        browser.close()


def _signed_in(browser: Browser, url: str, *, size: str, scheme: str) -> Page:
    width, height = SIZES[size]
    page = browser.new_context(
        base_url=url,
        viewport={"width": width, "height": height},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
    ).new_page()
    page.goto("/sign-in/")
    page.get_by_label("Name").fill("lead")
    page.get_by_label("Password").fill("demo")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/queue/")
    return page


def _choose(page: Page) -> dict[str, str]:
    """Return the addresses of the most telling and of the most hostile case among the first of the queue."""
    links = page.locator(".table__link").evaluate_all("links => links.map(link => link.getAttribute('href'))")
    scored: list[tuple[int, float, str]] = []
    for link in links[:_LOOKED_AT]:
        page.goto(link)
        shown = sum(page.locator(part).count() > 0 for part in _TELLING)
        # A case whose score is hidden shows less; half a mark decides between equals.
        disguises = page.locator(_DISGUISE).count() + page.locator(".verdict").count() / 2
        scored.append((shown, disguises, link))
    page.context.close()
    if not scored:
        raise SystemExit("The queue is empty: send posts first (make demo-data).")
    return {"review": max(scored)[2], "hostile": max(scored, key=lambda case: case[1])[2]}


def _campaign(page: Page) -> str:
    """Return the address of the campaign with most posts waiting, or of the list if there is none."""
    page.goto(PAGES["campaigns"])
    link = page.locator(".table__link").first
    address = link.get_attribute("href") if link.count() else None
    page.context.close()
    return address or PAGES["campaigns"]


def _take(
    page: Page,
    pages: dict[str, str],
    cases: dict[str, str],
    *,
    shown: tuple[str, ...],
    folder: Path,
    suffix: str,
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, address in pages.items():
        if name in shown:
            page.goto(address)
            page.screenshot(path=folder / f"{name}-{suffix}.png")
    for name, address in cases.items():
        page.goto(address)
        page.keyboard.press("r")
        page.locator("[data-key=s]").wait_for()
        page.screenshot(path=folder / f"{name}-{suffix}.png")
        if name == "review" and "keys" in shown:
            page.keyboard.press("?")
            page.screenshot(path=folder / f"keys-{suffix}.png")
            page.keyboard.press("Escape")
        page.keyboard.press("h")
        page.wait_for_url("**/queue/")
    page.context.close()


if __name__ == "__main__":
    main()
