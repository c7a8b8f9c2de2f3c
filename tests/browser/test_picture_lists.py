"""A list of pictures in a browser: imported with a wrong line, then right, activated; on a phone."""

import pytest
from playwright.sync_api import FilePayload, expect

from moderation.models import User
from tests.browser.stage import Open, violations

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.timeout(300)]
HASH = "0f" * 32


def file_of(data: str) -> FilePayload:
    return {"name": "list.txt", "mimeType": "text/plain", "buffer": data.encode()}


def test_is_imported_and_activated(page_of: Open, lead: User) -> None:
    page = page_of(lead)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/rules/")
    page.get_by_role("link", name="Import list of pictures").click()
    page.get_by_label("Name of the list").fill("Scams " + "W" * 80)
    page.get_by_label("Reason").fill("Known \u202escams")
    page.get_by_label("File of PDQ hashes").set_input_files(file_of(f"{HASH}\nx"))
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_text("Line 2: “x” is no PDQ hash of 64 hex digits.")).to_be_visible()
    assert violations(page) == []
    page.get_by_label("File of PDQ hashes").set_input_files(file_of(HASH))
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_text("1 hash imported.")).to_be_visible()
    page.get_by_role("button", name="Activate rule").click()
    expect(page.get_by_text("is on hold: a person reviews every matching post")).to_be_visible()
    page.reload()
    expect(page.get_by_text("No posts judged by people")).to_be_visible()
    assert violations(page) == []
