"""The filter of the queue, by keyboard: it stays while one works, says what is left, and can be taken off."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from moderation.models import Case, User
from tests.browser.stage import Open, Watch, press_and_wait, wait_for_decisions
from tests.moderation.conftest import Case_

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.gate
def test_steers_the_work_until_it_is_taken_off(
    page_of: Open, open_case: Case_, moderator: User, watch: Watch
) -> None:
    german = [open_case(text=f"Beitrag {number}").pk for number in range(3)]
    english = [open_case(text=f"Post {number}").pk for number in range(3)]
    Case.objects.filter(pk__in=german).update(language="de", priority=0.01)
    Case.objects.filter(pk__in=english).update(language="en")
    page = page_of(moderator)
    page.goto("/queue/")
    with page.expect_response(lambda answer: "language=de" in answer.url):
        page.get_by_label("Language").select_option("de")
    expect(page.locator("#rows tbody tr")).to_have_count(3)

    press_and_wait(page, "r")
    chip = page.locator("#working")
    expect(chip).to_contain_text("language de")
    expect(chip).to_contain_text("3 left")
    press_and_wait(page, "s")
    expect(chip).to_contain_text("2 left")
    press_and_wait(page, "s")
    press_and_wait(page, "s")
    wait_for_decisions(3)
    expect(chip).to_contain_text("0 left")
    assert not Case.objects.filter(pk__in=german, state="open").exists()

    page.get_by_role("button", name="Work on everything").click()
    page.wait_for_url("**/review/*/")
    expect(chip).to_be_empty()
    assert int(page.url.rstrip("/").rpartition("/")[2]) in english
    assert watch.findings == []
