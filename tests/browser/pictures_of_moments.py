"""Pictures of what happens on the desk, between one page and the next: `docs.screenshots --staged`.

Not tests: pytest collects this file only when it is named.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, expect

from moderation.models import Campaign, Case, Decision, Platform, User
from moderation.models.decisions import Verdict
from moderation.operations.campaigns import campaign_decisions
from moderation.operations.cases import claims, review
from tests.browser.pictures import Open, Shoot, look, still
from tests.browser.stage import Settle, explain, press_and_wait, wait_for_ahead
from tests.moderation.fakes import FakeScorer
from tests.moderation.operations.campaigns.campaign_posts import opened

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.timeout(400)]

Case_ = Callable[..., Case]


def test_api_client(
    new_context: Callable[..., BrowserContext], origin: str, moderator: User, shoot: Shoot
) -> None:
    page = new_context(base_url=origin, reduced_motion="reduce").new_page()
    page.goto("/sign-in/")
    shoot(page, "api-sign-in")
    closed = page.get_by_role("heading", name="Too many attempts")
    is_first = True
    while not closed.count():
        page.get_by_label("Name").fill("moderator")
        page.get_by_label("Password").fill("a wrong one")
        page.get_by_role("button", name="Sign in").click()
        page.locator("[role=alert]:visible, h1:text('Too many attempts')").wait_for()
        if is_first:
            shoot(page, "api-wrong")
        is_first = False
    shoot(page, "api-closed")


def test_refusals(page_of: Open, open_case: Case_, moderator: User, lead: User, shoot: Shoot) -> None:
    now = timezone.now()
    page = still(page_of, moderator)
    look(page, shoot, "refused", {"role": "/users/", "nowhere": "/nowhere/"})
    page.context.clear_cookies(name="csrftoken")
    page.goto("/account/")
    page.evaluate("document.querySelector('main form [name=csrfmiddlewaretoken]').value = 'x'.repeat(64)")
    page.evaluate("document.querySelector('main form').submit()")
    page.wait_for_load_state()
    shoot(page, "refused-token")
    held = open_case(text="held by a lead")
    claims.claim(case_id=held.pk, moderator=lead, at=now)
    look(page, shoot, "refused", {"held": f"/review/{held.pk}/"})
    User.objects.filter(pk=moderator.pk).update(must_change_password=True)
    look(page, shoot, "refused", {"password": "/account/"})


def test_moments(
    page_of: Open,
    open_case: Case_,
    moderator: User,
    other_moderator: User,
    shoot: Shoot,
    settle: Settle,
) -> None:
    for number in range(20):
        open_case(text=f"cheap pills {number} at https://pills.example/ " + "and more words " * 30)
    page = still(page_of, moderator)
    page.goto("/review/")
    press_and_wait(page, "r")
    shoot(page, "moment-case")
    wait_for_ahead(page)
    for key, name in (("e", "escalate"), ("?", "keys"), ("c", "context")):
        page.keyboard.press(key)
        settle(page)
        shoot(page, f"moment-{name}")
        page.keyboard.press("Escape")
    page.keyboard.press("c")
    press_and_wait(page, "s")
    expect(page.locator(".undo")).to_be_visible()
    shoot(page, "moment-undo")
    case = Case.objects.get(pk=page.locator("[data-case]").get_attribute("data-case") or 0)
    now = timezone.now()
    Case.objects.filter(pk=case.pk).update(lease_end_at=now - timedelta(seconds=1))
    claims.claim(case_id=case.pk, moderator=other_moderator, at=now)
    review.decide(
        case_id=case.pk,
        case_version=case.version,
        moderator=other_moderator,
        verdict=Verdict.NOT_SPAM,
        at=now,
    )
    page.keyboard.press("s")
    expect(page.locator("#notices")).to_contain_text("already decided this case")
    shoot(page, "moment-lost-race")
    press_and_wait(page, "r")
    page.keyboard.press("p")
    page.locator("#pause").wait_for()
    shoot(page, "moment-pause")
    page.keyboard.press("Enter")
    User.objects.update(stored_preferences={"blur": "always", "is_greyscale": True})
    page.reload()
    wait_for_ahead(page)
    shoot(page, "moment-blurred")
    page.context.clear_cookies()
    page.keyboard.press("s")
    expect(page.get_by_role("alert")).to_contain_text("Your session has ended")
    shoot(page, "moment-session")


def test_settled(page_of: Open, open_case: Case_, lead: User, shoot: Shoot, settings: Any) -> None:
    settings.UNDO_SECONDS = 0
    case = open_case(text="cheap pills at https://pills.example/")
    claims.claim(case_id=case.pk, moderator=lead, at=timezone.now())
    made = review.decide(
        case_id=case.pk, case_version=1, moderator=lead, verdict=Verdict.SPAM, at=timezone.now()
    )
    page = still(page_of, lead)
    correct = f"/decisions/{made.pk}/correct/?verdict=not_spam"
    look(
        page,
        shoot,
        "settled",
        {"correct": correct, "decisions": "/decisions/", "case": f"/review/{case.pk}/"},
    )


def test_campaign(
    page_of: Open, platform: Platform, fake_scorer: FakeScorer, lead: User, shoot: Shoot, settings: Any
) -> None:
    settings.UNDO_SECONDS = 90
    at = timezone.now() - timedelta(hours=1)
    made = opened(platform, 200, at=at, links=("https://pills.example/buy",), ip="203.0.113.9")
    address = f"/campaigns/{made.pk}/"
    page = still(page_of, lead)
    look(page, shoot, "campaign", {"list": "/campaigns/", "full": address})
    page.keyboard.press("s")
    page.get_by_label("to decide").wait_for()
    shoot(page, "campaign-count")
    page.get_by_label("to decide").fill("20")
    page.keyboard.press("Enter")
    page.get_by_role("alert").filter(has_text="does not match").wait_for()
    shoot(page, "campaign-wrong-count")
    page.goto(address)
    case = Case.objects.order_by("pk").first()
    assert case is not None
    claims.claim(case_id=case.pk, moderator=lead, at=timezone.now())
    review.decide(case_id=case.pk, case_version=1, moderator=lead, verdict=Verdict.SPAM, at=timezone.now())
    page.keyboard.press("s")
    page.locator(".notice--standing, [role=alert]:visible").first.wait_for()
    shoot(page, "campaign-moved")
    wanted = campaign_decisions.Wanted(verdict=Verdict.SPAM, expected_count=199, confirmed_count=199)
    campaign_decisions.decide(campaign_id=made.pk, wanted=wanted, moderator=lead, at=timezone.now())
    look(page, shoot, "campaign", {"decided": address, "all": "/campaigns/?show=all"})
    assert Campaign.objects.count() == 1
    assert Decision.objects.count() == 200


def test_explained(
    page_of: Open,
    counted_case: Case,
    lead: User,
    origin: str,
    shoot: Shoot,
) -> None:
    """A case whose every reason is said, and the lists behind its counts; in German, too."""
    explain(counted_case)
    page = still(page_of, lead)
    for language in ("en", "de"):
        page.context.add_cookies([{"name": "django_language", "value": language, "url": origin}])
        page.goto(f"/review/{counted_case.pk}/")
        page.keyboard.press("x")
        shoot(page, f"explained-case-{language}")
        for kind in ("similar/", "author/", "domain/?domain=pills.example"):
            page.goto(f"/review/{counted_case.pk}/counted/{kind}")
            shoot(page, f"explained-{kind.partition('/')[0]}-{language}")
