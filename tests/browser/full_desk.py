"""A desk on which no page is empty, some of it hostile, and the addresses of its pages."""

from datetime import timedelta

import pytest
from django.utils import timezone

from moderation.models import ActionRule, Case, Decision, Platform, User
from moderation.models.decisions import Verdict
from moderation.models.users import Role
from moderation.operations import activity, rules
from moderation.operations.accounts import api_keys, preferences, reasons
from moderation.operations.cases import claims, review
from moderation.operations.posts import complaints
from moderation.operations.posts.incoming_post import IncomingAuthor
from tests.browser.stage import MARKUP, SPOOFS
from tests.moderation.conftest import Cases

HOSTILE_NAME = "<img src=x onerror=alert(1)> \u202egnp." + "W" * 120


@pytest.fixture
def admin(db: None) -> User:
    return User.objects.create_user("admin", role=Role.ADMIN, first_name="Ada", last_name="Admin")


@pytest.fixture
def full_desk(open_cases: Cases, admin: User, platform: Platform) -> Case:
    """Posts, complaints, decisions, bans, keys and filters, so that no page is empty; some of it hostile."""
    now = timezone.now()
    texts = (*MARKUP[:6], *SPOOFS[:4], *(f"cheap pills {n} https://pay.evil.example/{n}" for n in range(10)))
    cases = open_cases(
        {
            "text": text,
            "language": ("en", "ar", "de")[number % 3],
            "ip": f"203.0.113.{number % 4 + 1}",
            "at": now - timedelta(hours=3 * number),
            "author": IncomingAuthor(
                external_id=f"author-{number % 5}",
                display_name=HOSTILE_NAME if number % 5 == 0 else f"Author {number % 5}",
                followers=1200,
                email_domain="mail.example",
                created_at=now - timedelta(days=400),
            ),
        }
        for number, text in enumerate(texts)
    )
    for seconds, reason in ((True, ""), (False, "scam")):
        rule = {"action": "suspend", "needs_second_name": seconds, "reason": reason, "days": 7}
        ActionRule.objects.create(platform=platform, verdict="spam", **rule)
    for number, case in enumerate(cases):
        if number % 3 == 0:
            claims.claim(case_id=case.pk, moderator=admin, at=now)
            verdict = "not_spam" if number % 9 == 0 else "spam"
            review.decide(case_id=case.pk, case_version=1, moderator=admin, verdict=Verdict(verdict), at=now)
        if number % 4 == 0:
            complaint = complaints.IncomingComplaint(
                post=case.post.external_id, reporter=f"reader-{number}", reason="spam", reported_at=now
            )
            complaints.record(platform=platform, complaint=complaint, at=now)
    other = User.objects.create_user("other", role=Role.MODERATOR, first_name=HOSTILE_NAME[:28])
    Decision.objects.filter(case=cases[3]).update(decided_by=other)
    rules.impose(value="198.51.100.0/24", kind="address", reason=" ".join(MARKUP)[:500], actor=admin, at=now)
    rules.impose(value="www.shop.example", kind="host", reason="Sells pills", actor=admin, at=now)
    preferences.keep_filter(user=admin, page="posts", name="Arabic", query="language=ar", at=now)  # type: ignore[arg-type]  # a value of the choices
    wording = reasons.Wording(
        title="Fake shop", digit=0, verdict="spam", needs_note=True, signals=("complaint:scam", "context.")
    )
    reasons.add(code="fake-shop", wording=wording, actor=admin, at=now)
    activity.count(at=now)
    api_keys.issue(platform=platform, name="ingest", scopes=["posts:write"], expires_at=None, at=now)
    return case


def addresses(case: Case) -> list[str]:
    """Every page of these subjects, full."""
    return [
        "/queue/?sort=uncertainty",
        "/posts/",
        "/posts/?q=nothinglikethis",
        "/authors/",
        f"/authors/{case.post.author_id}/",
        f"/authors/{case.post.platform.authors.get(external_id='author-0').pk}/",
        "/domains/",
        "/domains/evil.example/",
        "/addresses/203.0.113.1/",
        "/addresses/203.0.113.0/24/",
        "/rules/",
        "/rules/new/?kind=domain&value=evil.example",
        "/rules/pictures/",
        "/platforms/",
        f"/platforms/{case.post.platform_id}/",
        f"/platforms/{case.post.platform_id}/settings/",
        "/users/",
        "/reasons/",
        "/account/",
        f"/posts/{case.post_id}/",
        f"/posts/{case.post.platform.posts.get(external_id='post-1').pk}/",
        "/today/",
        "/today/?days=28",
        "/audit/",
        "/settings/",
        "/appeals/",
        "/second-reviews/",
        "/golden-items/",
        "/decisions/",
        "/decisions/actions/",
    ]
