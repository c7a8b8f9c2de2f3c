"""Policies in words in a browser: hostile and long content, seen on posts, too."""

from datetime import timedelta

import pytest
from django.utils import timezone

from moderation.models import Case, User
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
