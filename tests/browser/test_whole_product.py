"""Ten posts decided by keyboard in the whole product: API, broker, workers, Triton, PostgreSQL, browser."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from deploy.local.places import ROOT
from tests.browser.stage import press_and_wait
from tests.deploy.product import Product

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("product"), pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def product() -> Iterator[Product]:
    """A running product with simulated posts on their way through it."""
    # Not pytest's folder: that one is private, and the database's user must pass when root runs the tests.
    with tempfile.TemporaryDirectory(prefix="spamdesk-desk-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o711)
        product = Product(Path(folder) / "state")
        product.start()
        _manage(product, "seed_demo")
        _manage(product, "simulate", "--posts", "150", "--seed", "4", "--bulk", "50")
        yield product
        product.end()


def _manage(product: Product, *arguments: str) -> None:
    subprocess.run(
        [sys.executable, "manage.py", *arguments], cwd=ROOT, env=product.environment, check=True, timeout=120
    )


def test_ten_posts_are_decided_by_keyboard_alone(page: Page, product: Product) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"http://localhost:{product.port}/sign-in/")
    page.keyboard.type("moderator")
    page.keyboard.press("Tab")
    page.keyboard.type("demo")
    page.keyboard.press("Enter")
    page.wait_for_url("**/queue/")
    _wait_for_cases(page, at_least=12)

    press_and_wait(page, "r")
    for number in range(10):
        press_and_wait(page, "sf"[number % 2])
    press_and_wait(page, "u")

    page.goto(f"http://localhost:{product.port}/decisions/")
    expect(page.locator("tbody tr")).to_have_count(10)
    expect(page.get_by_text("undone by moderator")).to_have_count(1)


def _wait_for_cases(page: Page, *, at_least: int) -> None:
    """Reload the queue until the workers have scored enough."""
    for _ in range(60):
        if page.locator("tbody tr").count() >= at_least:
            return
        page.wait_for_timeout(1_000)
        page.reload()
    pytest.fail("the workers did not score enough posts in a minute")
