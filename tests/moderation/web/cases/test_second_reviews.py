"""Second looks on the desk: appeals, and blind reviews.

Promise: leads see both verdicts, moderators nothing of the first one.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Appeal, BlindReview, Case, Decision, Platform, User
from moderation.models.cases import CaseReason, CaseState
from moderation.operations.cases import appeals, blind_reviews, claims, notes
from moderation.queries.cases import case_context
from tests.moderation.conftest import Case_, Decided
from tests.moderation.web.conftest import REVIEW_PAGE, DeskOf, asked, flat


@pytest.fixture
def blind_case(
    open_case: Case_, decided: Decided, platform: Platform, other_moderator: User, lead: User
) -> Case:
    """A blind review of another moderator's decision, spam."""
    now = timezone.now()
    before = now - timedelta(minutes=10)
    blind_reviews.plan(platform_id=platform.pk, share=1.0, first_decisions=0, actor=lead, at=before)
    case = open_case(text="Grey cat <b>seen</b>", at=now)
    notes.write(case=case, author=other_moderator, text="Known to us as FIRST-NOTE", at=now)
    decided(case, by=other_moderator)
    Decision.objects.update(effective_at=now - timedelta(minutes=5))
    blind_reviews.sweep(at=now)
    return Case.objects.get(reason=CaseReason.BLIND)


def disputed(case: Case, desk: Client, moderator: User) -> BlindReview:
    claims.claim(case_id=case.pk, moderator=moderator, at=timezone.now())
    sent = {"verdict": "not_spam", "case_version": case.version, "note": "SECOND-NOTE <i>"}
    assert desk.post(f"/review/{case.pk}/decide/", sent, headers=REVIEW_PAGE).status_code == 200
    review = BlindReview.objects.get(case=case)
    BlindReview.objects.update(answered_at=timezone.now() - timedelta(minutes=5))
    return review


class TestTheReviewer:
    def test_sees_nothing_of_a_first_decision(self, blind_case: Case, desk: Client, moderator: User) -> None:
        claims.claim(case_id=blind_case.pk, moderator=moderator, at=timezone.now())

        pages = [
            desk.get(address).content.decode()
            for address in (
                f"/review/{blind_case.pk}/",
                f"/review/{blind_case.pk}/beside/author/",
                f"/posts/{blind_case.post_id}/",
                "/queue/",
                f"/authors/{blind_case.post.author_id}/",
                "/posts/",
            )
        ]

        assert "Blind review" in pages[3]
        hidden = ("FIRST-NOTE", "other_moderator", "Judged spam by", "verdict--spam")
        for page in pages:
            assert [words for words in hidden if words in page] == []
            assert "<dt>Judged spam</dt><dd>1</dd>" not in flat(page)

    def test_sees_no_decision_on_the_post_in_its_context(self, blind_case: Case, moderator: User) -> None:
        lanes = case_context.lanes(case=blind_case, viewer=moderator, is_blind=True)

        events = [event for lane in lanes if lane.name in ("posts", "decisions") for event in lane.events]
        assert [(event.is_this, event.verdict) for event in events] == [(True, "")]
        seen = case_context.lanes(case=blind_case, viewer=moderator, is_blind=False)
        assert sum(event.verdict == "spam" for lane in seen for event in lane.events) == 2

    def test_answers_and_may_undo(self, blind_case: Case, desk: Client, moderator: User) -> None:
        claims.claim(case_id=blind_case.pk, moderator=moderator, at=timezone.now())
        sent = {"verdict": "spam", "case_version": blind_case.version}

        said = desk.post(f"/review/{blind_case.pk}/decide/", sent, headers=REVIEW_PAGE).content.decode()

        review = BlindReview.objects.get()
        assert f"/blind-reviews/{review.pk}/undo/" in said
        back = desk.post(f"/blind-reviews/{review.pk}/undo/", headers=REVIEW_PAGE)
        assert back.status_code == 200
        assert Case.objects.get(pk=blind_case.pk).state == CaseState.OPEN

    def test_is_told_when_too_late_to_undo(self, blind_case: Case, desk: Client, moderator: User) -> None:
        review = disputed(blind_case, desk, moderator)

        assert desk.post(f"/blind-reviews/{review.pk}/undo/", headers=REVIEW_PAGE).status_code == 409
        assert desk.post("/blind-reviews/0/undo/", headers=REVIEW_PAGE).status_code == 404


def test_who_was_first_does_not_learn_of_it(blind_case: Case, other_moderator: User, desk_of: DeskOf) -> None:
    desk = desk_of(other_moderator)

    queue = flat(desk.get("/queue/").content.decode())
    assert "Blind review" not in queue.replace('<option value="blind">Blind review', "")
    assert desk.get(f"/review/{blind_case.pk}/").status_code == 404
    assert "Judged spam" in desk.get(f"/posts/{blind_case.post_id}/").content.decode()


class TestTheLead:
    def test_sees_both_verdicts_with_their_notes_and_settles(
        self, blind_case: Case, desk: Client, lead_desk: Client, moderator: User
    ) -> None:
        review = disputed(blind_case, desk, moderator)

        body = lead_desk.get("/second-reviews/").content.decode()

        assert len(asked(lead_desk, "/second-reviews/")) <= 12
        assert "SECOND-NOTE &lt;i&gt;" in body
        assert "FIRST-NOTE" in body
        assert "other_moderator" in body
        sent = {"verdict": "not_spam", "note": "her own cat"}
        lead_desk.post(f"/second-reviews/{review.pk}/settle/", sent)
        assert Decision.objects.get(reversal__isnull=True).verdict == "not_spam"
        assert "No disagreements" in lead_desk.get("/second-reviews/").content.decode()
        assert "her own cat" in lead_desk.get("/second-reviews/?state=settled").content.decode()

    def test_has_to_say_why(self, blind_case: Case, desk: Client, lead_desk: Client, moderator: User) -> None:
        review = disputed(blind_case, desk, moderator)

        lead_desk.post(f"/second-reviews/{review.pk}/settle/", {"verdict": "spam", "note": " "})

        assert BlindReview.objects.get().settled_at is None
        unknown = lead_desk.post("/second-reviews/0/settle/", {"verdict": "spam", "note": "a"})
        assert unknown.status_code == 404


@pytest.fixture
def appeal(open_case: Case_, decided: Decided, platform: Platform) -> Callable[..., Appeal]:
    """Decide a post, tell the platform, and dispute the decision."""

    def make(**given: Any) -> Appeal:
        decision = decided(open_case())
        now = timezone.now()
        Decision.objects.filter(pk=decision.pk).update(effective_at=now - timedelta(seconds=1))
        return appeals.dispute(platform=platform, decision_id=decision.pk, at=now, **given)

    return make


class TestAppeals:
    def test_waiting_ones_lead_to_their_cases(self, lead_desk: Client, appeal: Callable[..., Appeal]) -> None:
        made = appeal(reason="I sell nothing <b>")

        body = lead_desk.get("/appeals/").content.decode()

        assert "I sell nothing &lt;b&gt;" in body
        assert f"/review/{made.case_id}/" in body
        assert f"/posts/{made.post_id}/" in body

    @pytest.mark.parametrize(("verdict", "words"), [("spam", "upheld"), ("not_spam", "overturned")])
    def test_those_that_are_settled_have_an_outcome(
        self,
        lead_desk: Client,
        lead: User,
        appeal: Callable[..., Appeal],
        decided: Decided,
        verdict: str,
        words: str,
    ) -> None:
        made = appeal(reason="I sell nothing")
        decided(Case.objects.get(pk=made.case_id), by=lead, verdict=verdict)

        assert "I sell nothing" not in lead_desk.get("/appeals/").content.decode()
        assert words in lead_desk.get("/appeals/?state=settled").content.decode()
        assert words in lead_desk.get("/appeals/?state=all").content.decode()

    @pytest.mark.parametrize("query", ["state=nonsense", "state=waiting", ""])
    def test_none_wait(self, lead_desk: Client, db: None, query: str) -> None:
        assert "No appeals" in lead_desk.get(f"/appeals/?{query}").content.decode()

    def test_need_the_same_few_queries_for_any_number_of_rows(
        self, lead_desk: Client, appeal: Callable[..., Appeal]
    ) -> None:
        lead_desk.get("/appeals/")
        for _ in range(5):
            appeal()

        # Session, user and two of the list; two more where this process has not read the live release yet.
        assert len(asked(lead_desk, "/appeals/")) <= 6
