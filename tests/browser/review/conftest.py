"""The review page of a moderator, with cases behind the one in front."""

import pytest
from playwright.sync_api import Page

from moderation.models import Case, User
from tests.browser.stage import Open, reviewing
from tests.moderation.conftest import Cases
from tests.moderation.web.conftest import reasons  # noqa: F401 - the same policy as in the app's own tests


@pytest.fixture
def cases(open_cases: Cases) -> list[Case]:
    return open_cases([{"text": f"Post number {number}"} for number in range(14)])


@pytest.fixture
def page(page_of: Open, cases: list[Case], moderator: User) -> Page:
    """A moderator's page with one case in front and three behind it."""
    return reviewing(page_of(moderator))
