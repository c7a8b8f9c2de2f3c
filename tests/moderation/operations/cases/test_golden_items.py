"""Golden items. Promise: nobody can tell one from another blind review, and an answer changes nothing."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from moderation.models import (
    AuditEntry,
    BlindReview,
    Case,
    Decision,
    Delivery,
    FeedEntry,
    GoldenItem,
    Label,
    Post,
    QualityTable,
    User,
)
from moderation.models.cases import CaseState
from moderation.models.decisions import Verdict
from moderation.models.users import Role
from moderation.operations.accounts import users
from moderation.operations.cases import blind_reviews, claims, golden_items, reversals
from moderation.operations.erasure import erase
from moderation.operations.refusals import NotAllowed
from moderation.queries.cases import golden_items as results
from moderation.queries.cases import pace
from tests.moderation.conftest import Case_, judge
from tests.moderation.instants import later
from tests.moderation.operations.cases.conftest import TEXTS, answered


class TestVouching:
    def test_takes_two_leads_and_a_decision_of_a_person(
        self, open_case: Case_, moderator: User, lead: User
    ) -> None:
        with pytest.raises(golden_items.NotGolden):
            golden_items.mark(post_id=open_case().post_id, lead=lead, at=later(50))
        first = judge(open_case(), moderator, at=later(2))
        with pytest.raises(NotAllowed):
            golden_items.mark(post_id=first.post_id, lead=moderator, at=later(50))
        made = golden_items.mark(post_id=first.post_id, lead=lead, at=later(50))

        with pytest.raises(golden_items.NeedsAnother):
            golden_items.confirm(item_id=made.pk, lead=lead, at=later(51))
        profile = users.Profile(first_name="", last_name="", role=Role.LEAD)
        second, _ = users.create(username="second", profile=profile, actor=lead, at=later(51))
        with pytest.raises(golden_items.NeedsAnother):
            golden_items.confirm(item_id=made.pk, lead=second, at=later(52))
        with pytest.raises(golden_items.NotGolden):
            golden_items.mark(post_id=first.post_id, lead=lead, at=later(52))
        with transaction.atomic():
            assert golden_items.drawn(platform_id=made.platform_id, number=1, at=later(60)) == []


class TestWho:
    def test_never_its_decider_nor_a_lead(
        self, pair: tuple[Case, Case], moderator: User, lead: User, other_lead: User
    ) -> None:
        assert set(pair[0].skipped_by) == {moderator.pk, lead.pk, other_lead.pk}

    @pytest.mark.usefixtures("asked_again")
    def test_never_the_same_person_twice(self, item: GoldenItem) -> None:
        # Both moderators know it, so it is given to nobody.
        assert not Case.objects.filter(blind_review__golden=item, state=CaseState.OPEN).exists()

    @pytest.mark.usefixtures("third_moderator", "asked_again")
    def test_does_not_learn_of_it_afterwards(self, item: GoldenItem, other_moderator: User) -> None:
        again = Case.objects.get(blind_review__golden=item, state=CaseState.OPEN)
        desk = Client()
        desk.force_login(other_moderator)

        assert f"/review/{again.pk}/" not in desk.get("/queue/").content.decode()
        assert f"/review/{again.pk}/" not in desk.get(f"/posts/{item.post_id}/").content.decode()
        assert desk.get(f"/review/{again.pk}/").status_code == 404


@pytest.mark.parametrize("verdict", [Verdict.SPAM, Verdict.NOT_SPAM])
def test_an_answer_changes_nothing_but_the_own_result(
    pair: tuple[Case, Case], moderator: User, other_moderator: User, verdict: Verdict
) -> None:
    rows: tuple[Any, ...] = (Decision, Label, Delivery, FeedEntry, QualityTable, Post)
    before = [list(model.objects.values()) for model in rows]
    paces = pace.own_pace(user=moderator, at=later(200))

    given = answered(pair[0], by=other_moderator, verdict=verdict, at=later(110))

    assert [list(model.objects.values()) for model in rows] == before
    assert pace.own_pace(user=moderator, at=later(200)) == paces
    assert not given.is_disputed
    result = results.own_result(user=other_moderator, at=later(110) + timedelta(days=7))
    assert (result.answers, result.right) == (1, int(verdict == Verdict.SPAM))


class TestResult:
    def test_says_nothing_of_this_week(self, pair: tuple[Case, Case], other_moderator: User) -> None:
        answered(pair[0], by=other_moderator, verdict=Verdict.SPAM, at=later(110))

        assert results.own_result(user=other_moderator, at=later(200)).answers == 0
        assert results.results(at=later(200)) == ()

    def test_shows_no_share_below_twenty(self, moderator: User) -> None:
        few = results.GoldenResult(user=moderator, answers=19, right=19)
        enough = results.GoldenResult(user=moderator, answers=20, right=19)

        assert few.share is None
        assert enough.share == 0.95
        assert 0.7 < enough.interval[0] < 0.95 < enough.interval[1] < 1

    def test_forgets_answers_to_a_wrong_item(
        self, pair: tuple[Case, Case], item: GoldenItem, lead: User, other_moderator: User
    ) -> None:
        answered(pair[0], by=other_moderator, verdict=Verdict.NOT_SPAM, at=later(110))

        golden_items.retire(item_id=item.pk, lead=lead, is_wrong=True, at=later(200))

        assert results.own_result(user=other_moderator, at=later(110) + timedelta(days=7)).answers == 0


class TestRetiring:
    def test_takes_it_out_of_the_queue(self, pair: tuple[Case, Case], item: GoldenItem, lead: User) -> None:
        golden_items.retire(item_id=item.pk, lead=lead, is_wrong=False, at=later(200))

        pair[0].refresh_from_db()
        assert pair[0].state == CaseState.WITHDRAWN

    def test_follows_a_correction_of_the_decision(
        self, item: GoldenItem, plan: None, lead: User, open_case: Case_, moderator: User
    ) -> None:
        first = Decision.objects.get(post=item.post)
        reversals.correct(
            decision_id=first.pk, verdict=Verdict.NOT_SPAM, moderator=lead, reason="wrong", at=later(10)
        )
        judge(open_case(text=TEXTS[1]), moderator, at=later(12))

        blind_reviews.sweep(at=later(100))

        item.refresh_from_db()
        assert (item.is_wrong, item.retired_at) == (True, later(100))
        assert not BlindReview.objects.filter(golden=item).exists()

    def test_is_by_age(self, item: GoldenItem, plan: None, open_case: Case_, moderator: User) -> None:
        Post.objects.filter(pk=item.post_id).update(received_at=later(0) - results.LASTS)
        judge(open_case(text=TEXTS[1]), moderator, at=later(2))

        assert blind_reviews.sweep(at=later(100)) == 1

    def test_is_by_erasure(self, pair: tuple[Case, Case], item: GoldenItem) -> None:
        erase.post(post_id=item.post_id, at=later(200))

        item.refresh_from_db()
        pair[0].refresh_from_db()
        assert (item.note, pair[0].state) == ("", CaseState.WITHDRAWN)


class TestLikeness:
    def test_in_the_row_of_the_case(self, pair: tuple[Case, Case]) -> None:
        same = ["state", "reason", "priority", "uncertainty", "complaint_count", "version", "opened_at"]
        same += ["is_escalated", "draw_id", "is_drawn", "audit_probability"]

        golden, drawn = ({name: getattr(case, name) for name in same} for case in pair)

        assert golden == drawn

    @pytest.mark.usefixtures("third_moderator", "asked_again")
    def test_in_the_version_after_many_answers(self, pair: tuple[Case, Case], item: GoldenItem) -> None:
        again = Case.objects.get(blind_review__golden=item, state=CaseState.OPEN)
        assert again.version == pair[1].version

    def test_in_the_order_of_opening(self) -> None:
        firsts = [
            blind_reviews.draw("order of cases", number) < blind_reviews.draw("order of cases", number + 1)
            for number in range(1_000)
        ]

        assert 0.45 < sum(firsts) / len(firsts) < 0.55

    def test_on_the_page_and_in_the_answer(self, pair: tuple[Case, Case], other_moderator: User) -> None:
        desk = Client()
        desk.force_login(other_moderator)
        pages, answers, after = [], [], []
        for case in pair:
            claims.claim(case_id=case.pk, moderator=other_moderator, at=timezone.now())
            pages.append(_plain(desk.get(f"/review/{case.pk}/")))
        for case in pair:
            sent = {"verdict": "spam", "case_version": case.version}
            answers.append(_plain(desk.post(f"/review/{case.pk}/decide/", sent)))
            after.append(_plain(desk.get(f"/posts/{case.post_id}/")))
            BlindReview.objects.filter(case=case).update(answered_at=timezone.now() - timedelta(hours=1))

        assert "Blind review" in pages[0] or "blind" in pages[0]
        assert pages[0] == pages[1]
        assert answers[0] == answers[1]
        assert after[0] == after[1]

    def test_in_the_audit_log(self, pair: tuple[Case, Case], other_moderator: User) -> None:
        for case in pair:
            answered(case, by=other_moderator, verdict=Verdict.NOT_SPAM, at=later(110))

        entries = AuditEntry.objects.filter(action="blind_review.answered")
        assert {(entry.subject_kind, str(entry.details)) for entry in entries} == {("case", "{}")}


def _plain(response: Any) -> str:
    """Return a page without what differs between any two cases: ids, words of the text, times and tokens."""
    html = re.sub(r"[A-Za-z0-9]{32,}|[0-9a-f]{8}-[0-9a-f-]{27}", "", response.content.decode())
    words = "|".join(sorted({word for text in TEXTS for word in re.findall(r"\w+", text)}))
    html = re.sub(rf"\b({words})\b", "W", html)
    html = re.sub(r"W(\W{1,2}W)+", "W", html)
    return re.sub(r"\d+", "N", html)
