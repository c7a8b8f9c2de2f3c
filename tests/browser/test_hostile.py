"""Trials 17 and 18: hostile content neither runs, nor calls out, nor breaks out of its box."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from moderation.models import Author, Case, Complaint, Domain, User
from moderation.operations import rules
from moderation.operations.cases import claims, review
from moderation.operations.posts.incoming_post import IncomingAuthor, IncomingParent
from tests.browser.stage import MARKUP, SPOOFS, Open, Settle, Watch
from tests.moderation.conftest import Case_

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.timeout(300)]


def hostile_case(open_case: Case_, lead: User, payload: str) -> Case:
    """A case with the payload in every field that somebody else writes."""
    now = timezone.now()
    case = open_case(
        text=f"{payload} https://evil.example/?q={payload[:200]}",
        author=IncomingAuthor(
            external_id=payload[:150] + str(Case.objects.count()),
            display_name=payload[:200],
            email_domain=payload[:90],
        ),
        parent=IncomingParent(
            external_id=payload[:150] + "parent",
            text=payload[:10_000],
            author_external_id=payload[:150] + "parent",
            author_name=payload[:200],
        ),
        links=("https://evil.example/" + payload[:500],),
        media_urls=("https://evil.example/" + payload[:500],),
        journey=((payload[:60], 0), (payload[:60], 500), ("send", 900)),
        at=now,
    )
    score = case.score
    score.word_contributions = [[0, len(payload), 1.0], [len(payload) // 2, len(payload), -1.0]]
    score.contributions = [[payload[:90], 1.0, 0.5], ["social.followers", None, 0.2]]
    score.counterfactual = {
        "change": "word_removed",
        "subject": payload[:200],
        "probability": 0.1,
        "route": "allow",
    }
    score.save(update_fields=("word_contributions", "contributions", "counterfactual"))
    reporter = Author.objects.create(
        platform=case.post.platform, external_id=f"r{case.pk}", display_name=payload[:200], first_seen_at=now
    )
    Complaint.objects.create(
        platform=case.post.platform, post_external_id=case.post.external_id, post=case.post,
        reporter=reporter, reason="spam", note=payload[:2000], reported_at=now, received_at=now,
    )  # fmt: skip
    claims.claim(case_id=case.pk, moderator=lead, at=now)
    review.escalate(case_id=case.pk, moderator=lead, at=now, note=payload[:2000])
    return case


class TestMarkup:
    @pytest.mark.gate
    def test_never_runs_and_never_calls_out(
        self, page_of: Open, open_case: Case_, lead: User, watch: Watch, settle: Settle
    ) -> None:
        cases = [hostile_case(open_case, lead, payload) for payload in MARKUP]
        rules.impose(value="evil.example", reason=" ".join(MARKUP)[:500], actor=lead, at=timezone.now())
        Domain.objects.create(name=MARKUP[1], first_seen_at=timezone.now())
        page = page_of(lead)

        for address in (
            "/queue/",
            "/domains/?q=e",
            "/domains/evil.example/",
            *(f"/review/{case.pk}/" for case in cases),
        ):
            page.goto(address)
            page.mouse.move(300, 300)
            page.keyboard.press("c")
            settle(page)

        assert watch.findings == []


BIDI, MARKS, HOSTS, GIANT_WORD, ACCENTS, LINES = SPOOFS


class TestSpoofs:
    @pytest.mark.parametrize(
        "text",
        [
            *(BIDI, GIANT_WORD, LINES),
            *(pytest.param(text, marks=pytest.mark.long) for text in (MARKS, HOSTS, ACCENTS)),
        ],
        ids=["bidi", "giant_word", "lines", "marks", "hosts", "accents"],
    )
    def test_stay_in_their_box_and_fast(
        self, page_of: Open, open_case: Case_, lead: User, watch: Watch, text: str
    ) -> None:
        case = hostile_case(open_case, lead, text)
        page = page_of(lead)
        devtools = page.context.new_cdp_session(page)
        # Work, not waiting for a processor.
        devtools.send("Performance.enable", {"timeDomain": "threadTicks"})

        page.goto(f"/review/{case.pk}/")
        told = devtools.send("Performance.getMetrics")["metrics"]
        [seconds] = [each["value"] for each in told if each["name"] == "TaskDuration"]
        pane = page.locator(".pane--post").bounding_box()
        box = page.locator("#post-text").bounding_box()

        assert pane is not None
        assert box is not None
        assert box["x"] + box["width"] <= pane["x"] + pane["width"]
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert 0 < seconds < 2
        assert watch.findings == []

    def test_are_shown_whole_when_asked(self, page_of: Open, open_case: Case_, lead: User) -> None:
        case = open_case(text="W" * 20_000 + " the end")
        page = page_of(lead)
        page.goto(f"/review/{case.pk}/")
        expect(page.locator("#post-text")).not_to_contain_text("the end")

        page.keyboard.press("o")

        expect(page.locator("#post-text")).to_contain_text("the end")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
