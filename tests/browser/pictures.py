"""Pictures of every screen in the states that the demo does not reach: `docs.screenshots --staged`.

Not tests: pytest collects this file only when it is named. Each picture is of the whole page, in both sizes
and themes, to be looked at.
"""

# ruff: noqa: F811 - fixtures of other modules are arguments here

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from moderation.models import Author, Campaign, Case, Decision, Export, Platform, Post, Score, User
from moderation.models.cases import CaseReason, Verdict
from moderation.models.exports import ExportState
from moderation.models.people import Role
from moderation.operations import rules
from moderation.operations.accounts import api_keys, reasons, users
from moderation.operations.campaigns import decide
from moderation.operations.cases import claims, review
from moderation.operations.infrastructure import probe
from moderation.operations.infrastructure.probe import Part
from moderation.operations.intake.incoming_post import IncomingAuthor
from tests.browser.stage import MARKUP, SPOOFS, explain, press_and_wait, wait_for_ahead
from tests.browser.test_find import addresses, admin, full_desk  # noqa: F401 - the stage of search and bans
from tests.browser.test_hostile import hostile_case
from tests.moderation.fakes import FakeScorer
from tests.moderation.operations.campaigns.campaign_posts import opened

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.timeout(400)]

Open = Callable[..., Page]
Case_ = Callable[..., Case]
Shoot = Callable[[Page, str], None]
SIZES = ((1280, 800), (1920, 1080))
PLACES = {
    "queue": "/queue/",
    "review": "/review/",
    "campaigns": "/campaigns/",
    "decisions": "/decisions/",
    "posts": "/posts/",
    "authors": "/authors/",
    "domains": "/domains/",
    "rules": "/rules/",
    "rule": "/rules/new/?kind=domain&value=nobody.example",
    "exports": "/exports/",
    "labels": "/labels/",
    "health": "/health/",
    "account": "/account/",
    "comfort": "/account/comfort/",
    "pace": "/account/pace/",
    "platforms": "/platforms/",
    "people": "/people/",
    "reasons": "/reasons/",
}
# Trial 18 once more, and what real names look like: right to left, marks on marks, none at all.
NAMES = (
    "محمد عبد الرحمن بن عبد الله الأنصاري",
    "Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324\u031ea\u0363\u034b\u035a\u0356l\u0368\u034a\u0346g\u0357\u0315\u0321o",
    "Wolfeschlegelsteinhausenbergerdorff" * 5,
    "\u202egro.knab-ruoy\u202c",
)
LONG_HOST = "a-very-long-name-that-goes-on.and-on." * 4 + "cheap-and-entirely-genuine-watches.example"
ARABIC = (
    "فرصة ذهبية! اربح آيفون جديد مجانا الآن، اضغط على الرابط https://pay.evil.example/ar ولا تنس المشاركة"
)


@pytest.fixture
def shoot() -> Shoot:
    """Keep what a page shows, by name, in both sizes and themes."""
    folder = Path(os.environ.get("SPAMDESK_PICTURES", "pictures"))
    folder.mkdir(parents=True, exist_ok=True)

    def take(page: Page, name: str) -> None:
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
                page.screenshot(path=folder / f"{name}-{scheme}-{width}.png", full_page=True)
        page.emulate_media(color_scheme="light")

    return take


def look(page: Page, shoot: Shoot, state: str, places: dict[str, str]) -> None:
    for name, address in places.items():
        page.goto(address)
        shoot(page, f"{state}-{name}")


def still(page_of: Open, user: User) -> Page:
    return page_of(user, reduced_motion="reduce")


def test_empty(page_of: Open, admin: User, shoot: Shoot) -> None:
    look(still(page_of, admin), shoot, "empty", PLACES)


def test_full(page_of: Open, full_desk: Case, admin: User, shoot: Shoot) -> None:
    names = "queue posts none authors author hostile-author domains domain address range"
    named = f"{names} rules rule platforms platform people reasons".split()
    places = dict(zip(named, addresses(full_desk), strict=False))  # the account stands among the empty ones
    look(still(page_of, admin), shoot, "full", places | {"decisions": "/decisions/"})


def test_german(
    page_of: Open,
    full_desk: Case,
    admin: User,
    origin: str,
    shoot: Shoot,
) -> None:
    page = still(page_of, admin)
    page.context.add_cookies([{"name": "django_language", "value": "de", "url": origin}])
    look(page, shoot, "german", PLACES | {"platform": f"/platforms/{full_desk.post.platform_id}/"})
    page.goto(f"/review/{full_desk.pk}/")
    page.keyboard.press("r")
    page.locator("[data-claim]").wait_for()
    shoot(page, "german-case")


def test_hostile(page_of: Open, open_case: Case_, admin: User, platform: Platform, shoot: Shoot) -> None:
    now = timezone.now()
    cases = {str(n): hostile_case(open_case, admin, text) for n, text in enumerate((*MARKUP[:3], *SPOOFS))}
    for number, name in enumerate(NAMES):
        author = IncomingAuthor(external_id=f"named-{number}", display_name=name, email_domain=LONG_HOST[:90])
        cases[f"name-{number}"] = open_case(
            text=f"{ARABIC} {name}",
            author=author,
            language="ar",
            ip="2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff",
            links=(f"https://{LONG_HOST}/{'path/' * 60}",),
            at=now - timedelta(hours=number),
        )
    rules.impose(value="198.51.100.0/24", kind="address", reason=" ".join(MARKUP)[:500], actor=admin, at=now)
    rules.impose(value=f"www.{LONG_HOST}"[:200], kind="host", reason="W" * 400, actor=admin, at=now)
    wording = reasons.Wording(title="W" * 40, digit=0, verdict="spam", needs_note=True, signals=("context.",))
    reasons.add(code="w" * 40, wording=wording, actor=admin, at=now)
    person = users.Person(first_name="W" * 100, last_name=NAMES[0], role=Role.MODERATOR)
    users.create(username="w" * 60, person=person, actor=admin, at=now)
    Platform.objects.filter(pk=platform.pk).update(name="W" * 80)
    api_keys.issue(platform=platform, name="W" * 80, scopes=["posts:write"], expires_at=None, at=now)
    page = still(page_of, admin)
    look(page, shoot, "hostile", PLACES | {"platform": f"/platforms/{platform.pk}/"})
    for name, case in cases.items():
        look(page, shoot, "hostile", {f"case-{name}": f"/review/{case.pk}/"})
    for number in range(len(NAMES)):
        author_id = Author.objects.get(external_id=f"named-{number}").pk
        look(page, shoot, "hostile", {f"author-{number}": f"/authors/{author_id}/"})
    look(page, shoot, "hostile", {"address": "/addresses/2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff/"})
    revision = Post.objects.get(pk=cases["name-0"].post_id).revisions.last()
    assert revision is not None
    link = revision.post_links.first()
    assert link is not None
    domain = link.domain.name
    look(
        page,
        shoot,
        "hostile",
        {"domain": f"/domains/{domain}/", "rule": f"/rules/new/?kind=domain&value={domain}"},
    )


def test_degraded(
    page_of: Open, open_case: Case_, lead: User, shoot: Shoot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> str:
        raise ConnectionError

    cases = [open_case(text=f"cheap pills {number} at https://pills.example/") for number in range(6)]
    Case.objects.filter(pk__lte=cases[3].pk).update(reason=CaseReason.DEGRADED)
    Score.objects.filter(pk__lte=cases[3].score_id).update(
        is_degraded=True, content_probability=None, sub_models={}
    )
    Case.objects.filter(pk=cases[4].pk).update(reason=CaseReason.AUDIT)
    for part in (Part.TRITON, Part.WORKERS):
        monkeypatch.setitem(probe._ASKED, part, refuse)
    page = still(page_of, lead)
    cases_of = {"case": f"/review/{cases[0].pk}/", "audit": f"/review/{cases[4].pk}/"}
    look(page, shoot, "degraded", {"queue": "/queue/", "health": "/health/"} | cases_of)
    rules.impose(value="pills.example", reason="Sells pills", actor=lead, at=timezone.now())
    drafted = rules.draft(value="shop.example", reason="Looks like the last", actor=lead, at=timezone.now())
    now = timezone.now()
    Export.objects.create(
        requested_by=lead, requested_at=now, state=ExportState.FAILED, error="the disk is full"
    )
    Export.objects.create(
        requested_by=lead, requested_at=now, state=ExportState.BUILDING, rows_written=400, rows_expected=1000
    )
    look(
        page,
        shoot,
        "degraded",
        {"exports": "/exports/", "rules": "/rules/", "draft": f"/rules/{drafted.pk}/"},
    )


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
    look(page, shoot, "refused", {"role": "/people/", "nowhere": "/nowhere/"})
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
    page_of: Open, open_case: Case_, moderator: User, other_moderator: User, shoot: Shoot
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
        page.wait_for_timeout(400)  # for what it opens
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
    expect(page.locator("#notices")).to_contain_text("decided this case before")
    shoot(page, "moment-lost-race")
    press_and_wait(page, "r")
    page.keyboard.press("p")
    page.locator("#pause").wait_for()
    shoot(page, "moment-pause")
    page.keyboard.press("Enter")
    User.objects.update(comfort_settings={"blur": "always", "is_greyscale": True})
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
    page.get_by_role("alert").filter(has_text="not the count").wait_for()
    shoot(page, "campaign-wrong-count")
    page.goto(address)
    case = Case.objects.order_by("pk").first()
    assert case is not None
    claims.claim(case_id=case.pk, moderator=lead, at=timezone.now())
    review.decide(case_id=case.pk, case_version=1, moderator=lead, verdict=Verdict.SPAM, at=timezone.now())
    page.keyboard.press("s")
    page.locator(".notice--standing, [role=alert]:visible").first.wait_for()
    shoot(page, "campaign-moved")
    wanted = decide.Wanted(verdict=Verdict.SPAM, expected_count=199, confirmed_count=199)
    decide.decide(campaign_id=made.pk, wanted=wanted, moderator=lead, at=timezone.now())
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
