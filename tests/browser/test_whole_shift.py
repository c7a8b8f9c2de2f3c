"""A shift in the whole product: workers, Triton, PostgreSQL, a web server that dies, a browser."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from deploy.local.places import ROOT
from tests.browser.stage import press_and_wait
from tests.deploy.product import Product

pytestmark = [
    pytest.mark.browser,
    pytest.mark.faults,
    pytest.mark.xdist_group("product"),
    pytest.mark.timeout(600),
]
# About one simulated post in eighteen waits for a human; the tests below need so many cases.
POSTS = 2_200
ENOUGH_CASES = 85


@pytest.fixture(scope="module")
def product() -> Iterator[Product]:
    """A running product with simulated posts, enough of which wait for a human."""
    # Not pytest's folder: that one is private, and the database's user must pass when root runs the tests.
    with tempfile.TemporaryDirectory(prefix="spamdesk-shift-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o711)
        product = Product(Path(folder) / "state")
        product.start()
        _manage(product, "seed_demo")
        _manage(product, "simulate", "--posts", str(POSTS), "--seed", "7", "--bulk", "200")
        _wait_for_cases(product)
        yield product
        product.end()


def _manage(product: Product, *arguments: str) -> None:
    subprocess.run(
        [sys.executable, "manage.py", *arguments], cwd=ROOT, env=product.environment, check=True, timeout=180
    )


def _rows(product: Product, query: str) -> list[tuple[object, ...]]:
    lines = (product.state / "addresses.env").read_text().splitlines()
    url = dict(line.split("=", 1) for line in lines)["DATABASE_URL"]
    with psycopg.connect(url) as connection:
        return connection.execute(query).fetchall()


def _wait_for_cases(product: Product) -> None:
    query = "SELECT count(*) FROM moderation_case WHERE state = 'open'"
    for _ in range(4):  # a busy machine scores slowly
        with contextlib.suppress(AssertionError):
            product.wait_until(
                lambda: int(str(_rows(product, query)[0][0])) >= ENOUGH_CASES, "enough cases wait"
            )
            return
    pytest.fail(f"of {POSTS} posts fewer than {ENOUGH_CASES} wait")


@pytest.fixture
def desk_of(new_context: Callable[..., BrowserContext], product: Product) -> Callable[[str], Page]:
    """Sign a person in, by keyboard."""

    def sign_in(name: str) -> Page:
        url = f"http://localhost:{product.port}"
        page = new_context(base_url=url, viewport={"width": 1280, "height": 800}).new_page()
        page.goto("/sign-in/")
        page.keyboard.type(name)
        page.keyboard.press("Tab")
        page.keyboard.type("demo")
        page.keyboard.press("Enter")
        page.wait_for_url("**/queue/")
        return page

    return sign_in


@pytest.fixture
def stored(product: Product) -> Callable[[], int]:
    """Count the decisions of people since the test began."""
    query = "SELECT count(*) FROM moderation_decision WHERE source = 'moderator'"
    before = int(str(_rows(product, query)[0][0]))
    return lambda: int(str(_rows(product, query)[0][0])) - before


def test_fifty_cases_are_decided_by_keyboard_alone(
    desk_of: Callable[[str], Page], product: Product, stored: Callable[[], int]
) -> None:
    page = desk_of("moderator")
    press_and_wait(page, "r")
    for number in range(50):
        press_and_wait(page, "sf"[number % 2])

    product.wait_until(lambda: stored() == 50, "all stored")
    press_and_wait(page, "u")
    expect(page.locator("#announcements")).to_contain_text("Undone")
    assert _rows(product, "SELECT count(*) FROM moderation_reversal")[0][0] == 1


def test_two_moderators_at_once_never_decide_the_same_case(
    desk_of: Callable[[str], Page], product: Product, stored: Callable[[], int]
) -> None:
    desks = [desk_of("moderator"), desk_of("lead")]
    shown: list[set[str]] = [set(), set()]
    for page in desks:
        press_and_wait(page, "r")
    for _ in range(12):
        for page, seen in zip(desks, shown, strict=True):
            seen.add(page.url)
            press_and_wait(page, "s")

    assert not shown[0] & shown[1]
    product.wait_until(lambda: stored() == 24, "all stored")
    cases = (
        "SELECT count(*), count(DISTINCT d.case_id) FROM moderation_decision d"
        " LEFT JOIN moderation_reversal r ON r.decision_id = d.id"
        " WHERE d.source = 'moderator' AND r.id IS NULL"
    )
    [(decisions, decided)] = _rows(product, cases)
    assert decisions == decided


def test_a_restart_of_the_server_loses_nothing(
    desk_of: Callable[[str], Page], product: Product, stored: Callable[[], int]
) -> None:
    page = desk_of("moderator")
    press_and_wait(page, "r")
    press_and_wait(page, "s")
    product.wait_until(lambda: stored() == 1, "stored")
    killed = product.process("granian")

    os.kill(killed, signal.SIGKILL)
    decided = page.url
    page.keyboard.press("f")
    product.wait_until(lambda: killed not in product.processes(), "gone")
    product.wait_until(product.is_ready, "ready again")
    page.wait_for_timeout(11_000)  # the page's own tries end within this time
    if page.url == decided:
        press_and_wait(page, "f")

    product.wait_until(lambda: stored() == 2, "the decision made meanwhile stored, once")
    press_and_wait(page, "s")
    product.wait_until(lambda: stored() == 3, "the shift went on")
