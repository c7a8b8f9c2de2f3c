"""Pictures of every screen in the states that the demo does not reach: `docs.screenshots --staged`.

Not tests: pytest collects this file only when it is named. Each picture is of the whole page, in every size
and theme, to be looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from moderation.models import Author, Case, Export, Platform, Post, Score, User
from moderation.models.cases import CaseReason
from moderation.models.exports import ExportState
from moderation.models.users import Role
from moderation.operations import rules
from moderation.operations.accounts import api_keys, reasons, users
from moderation.operations.infrastructure import probe
from moderation.operations.infrastructure.probe import Part
from moderation.operations.posts.incoming_post import IncomingAuthor
from tests.browser.full_desk import addresses
from tests.browser.pictures import ARABIC, LONG_HOST, NAMES, PLACES, Open, Shoot, look, still
from tests.browser.stage import MARKUP, SPOOFS
from tests.browser.test_hostile import hostile_case

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.timeout(400)]

Case_ = Callable[..., Case]


def test_empty(page_of: Open, admin: User, shoot: Shoot) -> None:
    look(still(page_of, admin), shoot, "empty", PLACES)


def test_full(page_of: Open, full_desk: Case, admin: User, shoot: Shoot) -> None:
    names = "queue posts none authors author hostile-author domains domain address range"
    named = f"{names} rules rule platforms platform people reasons".split()
    places = dict(zip(named, addresses(full_desk), strict=False))  # the account stands among the empty ones
    look(still(page_of, admin), shoot, "full", places | {"decisions": "/decisions/", "today": "/today/"})


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
    profile = users.Profile(first_name="W" * 100, last_name=NAMES[0], role=Role.MODERATOR)
    users.create(username="w" * 60, profile=profile, actor=admin, at=now)
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
    monkeypatch.setitem(probe._ASKED, Part.TRITON, refuse)
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


def test_post(page_of: Open, full_desk: Case, lead: User, shoot: Shoot) -> None:
    page = still(page_of, lead)
    chosen = Post.objects.filter(decisions__isnull=False).order_by("pk")
    places = {"post": chosen.first(), "post-hostile": Post.objects.order_by("pk")[8]}
    for name, row in places.items():
        assert row is not None
        page.goto(f"/posts/{row.pk}/")
        shoot(page, name)


def test_beside(page_of: Open, full_desk: Case, lead: User, shoot: Shoot) -> None:
    page = still(page_of, lead)
    chosen = Case.objects.filter(state="open", post__author__external_id="author-0").order_by("pk")
    for name, case in (("hostile", chosen[0]), ("pills", chosen.last())):
        assert case is not None
        for key, kind in (("", "closed"), ("a", "author"), ("d", "domain"), ("i", "address")):
            page.goto(f"/review/{case.pk}/")
            if key and page.locator(f"[data-key={key}]").count():
                page.keyboard.press(key)
                page.locator(".beside__subject").wait_for()
            shoot(page, f"beside-{name}-{kind}")
    page.goto(f"/review/{full_desk.pk}/beside/author/")
    shoot(page, "beside-alone")
