"""The whole product as tests with a browser need it: running, with posts that all wait for a human."""

import contextlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from deploy.local.places import ROOT
from tests import releases
from tests.deploy.product import PATIENCE_SECONDS, Product

# The shipped release sends one simulated post in eighteen to people: for a shift, two thousand would have to
# be scored. Everything else of it is the same: models, features, Triton.
_EVERYTHING_WAITS = {"review_from": 0.0, "remove_from": 1.0, "audit_rate": 0.0}


@contextlib.contextmanager
def running(*, posts: int, **settings: str) -> Iterator[Product]:
    """Run the product until so many simulated posts wait, then hand it over; `settings` are variables."""
    # Not pytest's folder: that one is private, and the database's user must pass when root runs the tests.
    with tempfile.TemporaryDirectory(prefix="spamdesk-whole-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o711)
        release = Path(folder) / "release"
        releases.release(release, thresholds=_EVERYTHING_WAITS)
        product = Product(Path(folder) / "state", SPAMDESK_RELEASE_DIR=str(release), **settings)
        try:
            product.start()
            _manage(product, "seed_demo")
            _manage(product, "simulate", "--posts", str(posts), "--seed", "7", "--bulk", "200")
            product.wait_until(lambda: waiting(product) >= posts, "all wait")
            yield product
        finally:
            product.end()


def waiting(product: Product) -> int:
    """Count the open cases."""
    return int(str(rows(product, "SELECT count(*) FROM moderation_case WHERE state = 'open'")[0][0]))


def rows(product: Product, query: str) -> list[tuple[object, ...]]:
    """Return what the product's database says to a query, or to a change (then nothing)."""
    lines = (product.state / "addresses.env").read_text().splitlines()
    url = dict(line.split("=", 1) for line in lines)["DATABASE_URL"]
    with psycopg.connect(url) as connection:
        cursor = connection.execute(query)
        return cursor.fetchall() if cursor.description else []


def demo_key(product: Product) -> str:
    """Return the API key of the simulated platform."""
    return (product.state / "secrets" / "demo-api-key").read_text().strip()


def sign_in(page: Page, name: str) -> None:
    """Type name and password into the sign-in page that is open."""
    expect(page.locator("[name=username]")).to_be_focused()
    page.keyboard.type(name)
    page.keyboard.press("Tab")
    page.keyboard.type("demo")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/(queue|today|models)/$"))
    if page.url.endswith("/today/"):  # the first page of leads
        page.goto("/queue/")


@pytest.fixture
def desk_of(new_context: Callable[..., BrowserContext], product: Product) -> Callable[[str], Page]:
    """Sign a person in, by keyboard."""

    def open_desk(name: str) -> Page:
        url = f"http://localhost:{product.port}"
        page = new_context(base_url=url, viewport={"width": 1280, "height": 800}).new_page()
        page.set_default_timeout(1_000 * PATIENCE_SECONDS)
        page.goto("/sign-in/")
        sign_in(page, name)
        return page

    return open_desk


def _manage(product: Product, *arguments: str) -> None:
    subprocess.run(
        [sys.executable, "manage.py", *arguments], cwd=ROOT, env=product.environment, check=True, timeout=180
    )
