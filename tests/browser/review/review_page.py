"""What the tests of the review page wait for and look at."""

from threading import Event
from typing import Any

import pytest
from playwright.sync_api import Page

from moderation.models import Case
from moderation.operations.cases import shift
from tests.browser.stage import wait_for_ahead


def reload(page: Page) -> None:
    """Load the page anew and wait until it has its cases again."""
    page.evaluate("document.getElementById('desk').dataset.held = ''")
    page.reload()
    wait_for_ahead(page)


def in_front(page: Page) -> str:
    """The case in front."""
    return str(page.evaluate("document.querySelector('#current-case [data-case]')?.dataset.case ?? ''"))


def after_leaving(monkeypatch: pytest.MonkeyPatch, act: str) -> Event:
    """Let the server hear that the page was left before it takes the act; the event tells that it did."""
    is_left, is_taken = Event(), Event()
    take, leave_page = getattr(shift, act), shift.leave_page

    def take_late(**given: Any) -> Any:
        assert is_left.wait(20)
        taken = take(**given)
        is_taken.set()
        return taken

    def leave_and_tell(**given: Any) -> None:
        leave_page(**given)
        is_left.set()

    monkeypatch.setattr(shift, act, take_late)
    monkeypatch.setattr(shift, "leave_page", leave_and_tell)
    return is_taken


def nothing_is_claimed() -> bool:
    return not Case.objects.filter(claimed_by__isnull=False).exists()
