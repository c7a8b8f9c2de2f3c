"""A real Chromium against Django's live server."""

import os
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.signals import request_finished, request_started
from playwright.sync_api import BrowserContext, Page, expect

from deploy.local import browser
from moderation.models import User
from tests.browser.full_desk import admin, full_desk  # noqa: F401 - fixtures
from tests.browser.stage import PATIENCE_SECONDS, Settle, Watch, sign_in, wait_until_idle
from tests.django_fixtures import wait_until
from tests.moderation.counted_case import counted_case, judged_at, scored_posts  # noqa: F401 - fixtures

# Playwright drives its browser from an event loop, beside which Django refuses database calls unless told.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")

# Two cores carry the browser, the server, the database and Triton at once.
expect.set_options(timeout=1_000 * PATIENCE_SECONDS)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Launch the Chromium of this machine; Playwright would look for a download of its own."""
    return browser_type_launch_args | browser.launch_options(browser.find())


@pytest.fixture
def origin(live_server: Any) -> str:
    """The address of the desk."""
    return str(live_server.url)


@pytest.fixture
def watch(origin: str) -> Watch:
    """Notes what pages must not do; a test ends by looking at its findings."""
    return Watch(origin)


@pytest.fixture
def requests_in_flight() -> Iterator[list[int]]:
    """One number for each request that the live server has begun and not yet ended."""
    begun: list[int] = []

    def begin(**_: object) -> None:
        begun.append(1)

    def end(**_: object) -> None:
        begun[:] = begun[1:]

    request_started.connect(begin)
    request_finished.connect(end)
    yield begun
    request_started.disconnect(begin)
    request_finished.disconnect(end)


@pytest.fixture
def settle(watch: Watch, requests_in_flight: list[int]) -> Settle:
    """Wait until a page is at rest: what did not happen until then does not happen by itself."""
    return lambda page: wait_until_idle(page, lambda: bool(watch.in_flight or requests_in_flight))


@pytest.fixture
def page_of(
    new_context: Callable[..., BrowserContext], origin: str, watch: Watch, requests_in_flight: list[int]
) -> Iterator[Callable[..., Page]]:
    """Open a page of a person who has signed in; `scheme` is light or dark, `is_detailed` shows whole cases.

    Pages are left before the tables are emptied: a page that closes gives its cases back, and that request
    must not meet the emptying.
    """
    opened: list[Page] = []

    def open_page(user: User, *, scheme: str = "light", is_detailed: bool = True, **options: Any) -> Page:
        stored = user.stored_preferences | {"is_detailed": is_detailed}
        User.objects.filter(pk=user.pk).update(stored_preferences=stored)
        size = {"width": 1280, "height": 800}
        context = new_context(base_url=origin, color_scheme=scheme, viewport=size, **options)
        context.set_default_timeout(1_000 * PATIENCE_SECONDS)
        sign_in(context, user, origin)
        opened.append(watch.over(context.new_page()))
        return opened[-1]

    yield open_page
    for page in opened:
        page.close()
    if opened:
        time.sleep(0.3)  # what a closing page sends arrives after it is closed
        wait_until(lambda: not requests_in_flight)
