"""axe on every page, in both themes, and what axe cannot see."""

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from moderation.models import Case, Decision, DeskSettings, Score, User
from moderation.models.cases import CaseReason
from moderation.models.decisions import Verdict
from moderation.models.users import Role
from moderation.operations import rules
from moderation.operations.accounts import invitations
from moderation.operations.cases import claims, review
from moderation.operations.labels import exports
from moderation.queries.labels.labels import LabelFilter
from tests.browser.stage import Open, explain, press_and_wait, violations
from tests.moderation.conftest import Case_

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# Search, entities, bans and administration are in test_full_desk, campaigns in test_campaign.
PAGES = (
    "/review/",
    "/exports/",
    "/labels/",
    "/models/",
    "/quality/",
    "/quality/drift/",
    "/models/errors/",
    "/models/features/",
    "/thresholds/",
    "/account/second-factor/",
    "/account/preferences/",
    "/account/pace/",
    "/guidelines/",
    "/mentions/",
    "/health/",
    "/nowhere/",
    "/users/",  # closed to a lead
)


@pytest.fixture
def full_desk(open_case: Case_, lead: User, remembered: DeskSettings) -> list[Case]:
    """Cases, a decision that the platform was told of, a ban and an export, so that no page is empty."""
    remembered.undo_seconds = 0
    cases = [open_case(text=f"fr\u200bee pills {number} at https://evil.example/x") for number in range(4)]
    Score.objects.update(word_contributions=[[0, 5, 1.0], [6, 11, -0.5]])
    [case] = claims.claim_next(moderator=lead, at=timezone.now())
    review.decide(case_id=case.pk, case_version=1, moderator=lead, verdict=Verdict.SPAM, at=timezone.now())
    rules.impose(value="evil.example", reason="Sells pills", actor=lead, at=timezone.now())
    exports.request(requested_by=lead, wanted=LabelFilter(), at=timezone.now())
    return cases


class TestAxe:
    def test_finds_nothing_on_any_page(self, page_of: Open, full_desk: list[Case], lead: User) -> None:
        page = page_of(lead, reduced_motion="reduce")
        decision = Decision.objects.get()
        correction = f"/decisions/{decision.pk}/correct/?verdict=not_spam"
        found = {}
        release = f"/models/releases/{decision.score.release_id}/"
        for address in (*PAGES, correction, release, f"/review/{decision.case_id}/"):
            page.goto(address)
            found[address] = violations(page)

        assert not any(found.values()), found

    def test_finds_nothing_on_an_explained_case_and_the_list_behind_a_count(
        self, page_of: Open, counted_case: Case, lead: User
    ) -> None:
        explain(counted_case)
        page = page_of(lead, reduced_motion="reduce")
        found = {}
        for address in ("", "counted/similar/", "counted/domain/?domain=pills.example"):
            page.goto(f"/review/{counted_case.pk}/{address}")
            found[address] = violations(page)

        assert not any(found.values()), found

    @pytest.mark.gate
    def test_finds_nothing_on_a_case(self, page_of: Open, full_desk: list[Case], lead: User) -> None:
        page = page_of(lead, reduced_motion="reduce")
        page.goto("/review/")
        press_and_wait(page, "r")
        found = {"case": violations(page)}
        shown = {"x?": "#key-map", "e": "#escalation", "c": ".lanes", "p": "#pause"}
        for keys, part in shown.items():
            for key in ("Escape", *keys):
                page.keyboard.press(key)
            page.locator(part).wait_for()
            found[part] = violations(page)

        assert not any(found.values()), found

    def test_finds_nothing_where_the_score_is_hidden_or_lacks_the_text(
        self, page_of: Open, full_desk: list[Case], lead: User
    ) -> None:
        hidden, degraded = Case.objects.filter(decisions=None).order_by("pk")[:2]
        Case.objects.filter(pk=hidden.pk).update(reason=CaseReason.AUDIT)
        Case.objects.filter(pk=degraded.pk).update(reason=CaseReason.DEGRADED)
        Score.objects.filter(pk=degraded.score_id).update(is_degraded=True, content_probability=None)
        page = page_of(lead, reduced_motion="reduce")
        found = {}
        for case, part in ((hidden, ".hidden-score"), (degraded, ".degraded")):
            page.goto(f"/review/{case.pk}/")
            page.locator(part).wait_for()
            found[part] = violations(page)

        assert not any(found.values()), found

    def test_finds_nothing_at_the_gate(self, page: Page, origin: str, moderator: User) -> None:
        page.emulate_media(reduced_motion="reduce")
        link = invitations.invite(
            address="nadia@example.org", role=Role.LEAD, desk=origin, actor=moderator, at=timezone.now()
        )
        page.goto(link)
        found = {"invitation": violations(page)}
        page.goto(f"{origin}/sign-in/")
        found["sign-in"] = violations(page)
        closed = page.get_by_role("heading", name="Too many attempts")
        while not closed.count():
            page.get_by_label("Name").fill("moderator")
            page.get_by_label("Password").fill("a wrong one")
            with page.expect_navigation():
                page.get_by_role("button", name="Sign in").click()
            found.setdefault("wrong password", violations(page))
        found["closed"] = violations(page)

        assert not any(found.values()), found


class TestReading:
    @pytest.mark.gate
    def test_the_decision_is_in_sight_at_1280_by_800(
        self, page_of: Open, full_desk: list[Case], lead: User
    ) -> None:
        page = page_of(lead)
        page.goto(f"/review/{full_desk[-1].pk}/")
        page.keyboard.press("r")

        for part in (".why", ".verdict", ".bars", ".contributions", ".facts", "[data-key=s]", "[data-key=f]"):
            expect(page.locator(part).first).to_be_in_viewport(ratio=1)

    def test_the_theme_is_remembered(self, page_of: Open, lead: User) -> None:
        page = page_of(lead)
        page.goto("/queue/")
        page.get_by_role("button", name="Light or dark").click()
        page.reload()

        expect(page.locator("html")).to_have_attribute("data-theme", "dark")
