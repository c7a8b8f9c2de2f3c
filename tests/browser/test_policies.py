"""Policies in words in a browser: written, tried, activated, seen on posts; hostile and long content."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from moderation.models import Case, Policy, User
from moderation.models.decisions import Verdict
from moderation.operations.cases import claims, review
from moderation.operations.policies import policy, trial
from tests.browser.stage import Open, violations
from tests.moderation.conftest import Case_
from tests.moderation.fakes import FakeTopics

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.timeout(300)]

LONG = "cats " + "\u202e<b>w</b>" * 20 + "W" * 60


@pytest.fixture
def judged(open_case: Case_, lead: User, fake_topics: FakeTopics) -> Case:
    """Decided posts to try on, hostile and long ones among them; one more waits."""
    for number in range(24):
        text = f"cats for sale, number {number} {LONG if number % 5 == 0 else ''}"
        case = open_case(text=text, at=timezone.now())
        claims.claim(case_id=case.pk, moderator=lead, at=timezone.now())
        verdict = Verdict.NOT_SPAM if number % 4 == 0 else Verdict.SPAM
        review.decide(case_id=case.pk, case_version=1, moderator=lead, verdict=verdict, at=timezone.now())
    return open_case(text="black cats", at=timezone.now())


def test_is_written_tried_and_activated_by_another_lead(page_of: Open, judged: Case, lead: User) -> None:
    page = page_of(lead)
    page.goto("/policies/")
    page.get_by_label("Name").fill("Pets")
    page.get_by_label("This text is about").fill("cats and dogs")
    page.get_by_role("button", name="Try it on decided posts").click()
    expect(page.get_by_text("18 of 24")).not_to_have_count(0)
    page.get_by_label("Effect").select_option("hold")
    page.get_by_role("button", name="Activate policy").click()
    expect(page.get_by_text("let another lead activate it")).to_be_visible()
    assert Policy.objects.get().is_draft
    page = page_of(User.objects.create_user("other-lead", role=lead.role))
    page.goto(f"/policies/{Policy.objects.get().pk}/")
    page.get_by_label("Effect").select_option("hold")
    page.get_by_role("button", name="Activate policy").click()
    expect(page.get_by_role("button", name="End policy")).to_be_visible()
    assert Policy.objects.get().effect == "hold"


def test_axe_finds_nothing_and_nothing_overflows(page_of: Open, judged: Case, lead: User) -> None:
    at = timezone.now()
    made = policy.draft(name=LONG, words=LONG, reason=LONG * 3, actor=lead, at=at)
    trial.run(policy_id=made.pk, at=at)
    begun = policy.draft(name=LONG[5:], words="cats", actor=lead, at=at)
    trial.run(policy_id=begun.pk, at=at)
    ends = at + timedelta(days=7)
    other = User.objects.create_user("other-lead", role=lead.role)
    policy.activate(policy_id=begun.pk, effect="hold", threshold=0.3, expires_at=ends, actor=other, at=at)
    begun.matches.create(post=judged.post, revision=judged.score.revision, probability=0.8, matched_at=at)
    page = page_of(lead, reduced_motion="reduce")
    found = {}
    for address in (
        "/policies/",
        "/policies/?state=draft",
        f"/policies/{made.pk}/",
        f"/policies/{begun.pk}/",
        f"/posts/{judged.post_id}/",
        f"/review/{judged.pk}/",
    ):
        page.goto(address)
        found[address] = violations(page)
        page.set_viewport_size({"width": 390, "height": 800})
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        found[f"{address} at 390"] = ["overflows"] if wide > 0 else []
        page.set_viewport_size({"width": 1280, "height": 800})

    assert not any(found.values()), found
