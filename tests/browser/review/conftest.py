"""The review page of a moderator, with cases behind the one in front."""

import pytest
from playwright.sync_api import Page

from moderation.models import User
from tests.browser.stage import Open, press_and_wait, wait_for_ahead
from tests.moderation.conftest import Cases
from tests.moderation.web.conftest import reasons  # noqa: F401 - the same policy as in the app's own tests


@pytest.fixture
def page(page_of: Open, open_cases: Cases, moderator: User) -> Page:
    """A moderator's page with one case in front and three behind it."""
    open_cases([{"text": f"Post number {number}"} for number in range(14)])
    page = page_of(moderator)
    page.goto("/review/")
    press_and_wait(page, "r")
    wait_for_ahead(page)
    return page
