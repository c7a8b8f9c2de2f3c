"""A campaign of two hundred in the whole product: API, broker, workers, Triton, PostgreSQL, browser."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_whole_product import product as product  # noqa: PLC0414 - the same fixture
from tests.deploy.product import Product
from tests.moderation.operations.campaigns import CITIES, TEXT

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("product"), pytest.mark.timeout(300)]

SIZE = 200
FEWEST = 100
"""Some are drawn as samples and judged alone, and of some the filter says the same."""


def _posts() -> list[dict[str, Any]]:
    posted_at = datetime.now(UTC) - timedelta(minutes=10)
    return [
        {
            "external_id": f"whole-campaign-{number}",
            "text": TEXT.format(city=CITIES[number % len(CITIES)], number=number),
            "posted_at": (posted_at + timedelta(seconds=number)).isoformat(),
            "author": {"external_id": f"whole-campaign-author-{number % 30}"},
        }
        for number in range(SIZE)
    ]


def _send(product: Product) -> None:
    key = (Path(product.environment["SPAMDESK_STATE_DIR"]) / "secrets" / "demo-api-key").read_text().strip()
    with httpx.Client(
        base_url=f"http://127.0.0.1:{product.port}", headers={"authorization": f"Bearer {key}"}, timeout=30
    ) as client:
        for post in _posts():
            client.post("/api/v1/posts", json=post).raise_for_status()


def test_two_hundred_are_decided_and_undone_by_keyboard(page: Page, product: Product) -> None:
    _send(product)
    page.goto(f"http://localhost:{product.port}/sign-in/")
    page.keyboard.type("lead")
    page.keyboard.press("Tab")
    page.keyboard.type("demo")
    page.keyboard.press("Enter")
    page.wait_for_url("**/queue/")
    address = _campaign(page, product)

    # Whatever the filter made of them: the verdict that settles most, also against the filter.
    key = max("sf", key=lambda one: _decidable(page, one))
    count = _decidable(page, key)
    assert count >= FEWEST
    also = page.locator("[data-filtered]")
    if also.count():
        also.focus()
        page.keyboard.press("Space")
    page.keyboard.press(key)
    page.get_by_label("to decide").wait_for()
    page.keyboard.type(str(count))
    page.keyboard.press("Enter")
    expect(page.get_by_text(f"{count} posts decided")).to_be_visible()
    page.keyboard.press("u")

    expect(page.get_by_text("Undone.")).to_be_visible()
    page.goto(address)
    assert _decidable(page, key) == count


def _campaign(page: Page, product: Product) -> str:
    """Wait until the workers have scored all and open the campaign."""
    for _ in range(60):
        page.goto(f"http://localhost:{product.port}/campaigns/?show=all")
        link = page.get_by_role("link", name=re.compile("Cheap pills without prescription")).first
        if link.count():
            link.click()
            page.locator("#campaign-bar").wait_for()
            is_whole = page.get_by_role("heading", level=1).inner_text() == f"{SIZE} similar posts"
            if is_whole and not page.get_by_text("not scored yet").count():
                return page.url
        page.wait_for_timeout(1_000)
    pytest.fail(
        f"no whole campaign after a minute; the page says: {page.locator('#main').inner_text()[:600]}"
    )


def _decidable(page: Page, key: str) -> int:
    """Return how many a verdict settles, those that the filter judged the other way included."""
    return int(page.locator(f"[data-key={key}] [data-together]").get_attribute("data-together") or 0)
