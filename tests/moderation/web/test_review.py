"""The review page through its addresses."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Case, Decision, Score, User
from moderation.models.cases import CaseReason, CaseState
from moderation.operations import review
from tests.moderation.fakes import FakeScorer
from tests.moderation.web.conftest import HTMX

Case_ = Callable[..., Case]
Decide = Callable[..., Any]


class TestCase:
    def test_shows_the_post_its_facts_and_the_models_view(self, desk: Client, case_in_front: Case) -> None:
        body = desk.get(f"/review/{case_in_front.pk}/").content.decode()

        assert "grey cat near the river" in body
        assert "50%" in body
        assert "Even odds" in body
        assert "Nobody has complained." in body

    def test_needs_few_queries(
        self, desk: Client, case_in_front: Case, django_assert_max_num_queries: Any
    ) -> None:
        with django_assert_max_num_queries(8):
            desk.get(f"/review/{case_in_front.pk}/")

    def test_needs_no_more_queries_for_many_links(
        self, desk: Client, open_case: Case_, django_assert_max_num_queries: Any
    ) -> None:
        case = open_case(text=" ".join(f"https://shop{number}.example/" for number in range(15)))

        with django_assert_max_num_queries(9):
            desk.get(f"/review/{case.pk}/")

    def test_hides_the_score_of_an_audit_sample(self, desk: Client, case_in_front: Case) -> None:
        Case.objects.update(reason=CaseReason.AUDIT)
        Score.objects.update(word_contributions=[[0, 3, 1.0]])

        body = desk.get(f"/review/{case_in_front.pk}/").content.decode()

        assert "Hidden until you decide" in body
        assert "50%" not in body
        assert "word--spam" not in body

    def test_says_when_the_text_was_not_read(
        self, desk: Client, fake_scorer: FakeScorer, open_case: Case_
    ) -> None:
        fake_scorer.is_degraded = True

        body = desk.get(f"/review/{open_case().pk}/").content.decode()

        assert "The content model was offline" in body

    def test_never_prints_markup_of_the_post(self, desk: Client, open_case: Case_) -> None:
        case = open_case(
            text="<script>alert(1)</script><img src=x onerror=alert(2)>{{ 7|add:7 }} https://evil.example/x"
        )

        body = desk.get(f"/review/{case.pk}/").content.decode()

        assert "<script>alert" not in body
        assert "<img src=x" not in body
        assert "&lt;script&gt;alert(1)" in body
        assert "https://evil.example" not in body
        assert "{{ 7|add:7 }}" in body

    def test_collapses_long_texts_and_gives_the_rest_when_asked(self, desk: Client, open_case: Case_) -> None:
        case = open_case(text="word " * 5_000 + "the very end")

        body = desk.get(f"/review/{case.pk}/").content.decode()
        whole = desk.get(f"/review/{case.pk}/text/", headers=HTMX).content.decode()

        assert "the very end" not in body
        assert "Show all 25,012 characters" in body
        assert "the very end" in whole

    def test_hides_escalated_cases_from_moderators(
        self, desk: Client, lead_desk: Client, open_case: Case_
    ) -> None:
        case = open_case()
        Case.objects.update(is_escalated=True)

        assert desk.get(f"/review/{case.pk}/").status_code == 404
        assert lead_desk.get(f"/review/{case.pk}/").status_code == 200


class TestDecide:
    @pytest.mark.parametrize("verdict", ["spam", "not_spam"])
    def test_decides_and_brings_the_next_case(
        self, decide: Decide, case_in_front: Case, open_case: Case_, moderator: User, verdict: str
    ) -> None:
        other = open_case(text="Another one")

        answer = decide(case_in_front, verdict)

        assert Decision.objects.get().verdict == verdict
        assert answer.headers["HX-Push-Url"] == f"/review/{other.pk}/"
        assert "Another one" in answer.content.decode()
        assert Case.objects.get(pk=other.pk).claimed_by == moderator
        assert "Undo" in answer.content.decode()

    def test_says_when_the_queue_is_empty(self, decide: Decide, case_in_front: Case) -> None:
        assert "The queue is empty" in decide(case_in_front).content.decode()

    def test_works_without_javascript(self, desk: Client, case_in_front: Case) -> None:
        form = {"verdict": "spam", "case_version": case_in_front.version}

        answer = desk.post(f"/review/{case_in_front.pk}/decide/", form, follow=True)

        assert answer.redirect_chain == [("/review/", 302)]
        assert "Decided: spam." in answer.content.decode()

    def test_refuses_what_is_no_verdict(self, decide: Decide, case_in_front: Case) -> None:
        answer = decide(case_in_front, "maybe")

        assert "not a verdict" in answer.content.decode()
        assert not Decision.objects.exists()

    def test_shows_the_winner_when_another_decided_first(
        self, decide: Decide, case_in_front: Case, other_moderator: User
    ) -> None:
        review.hand_back(case_id=case_in_front.pk, moderator=case_in_front.claimed_by)
        review.claim(case_id=case_in_front.pk, moderator=other_moderator, at=timezone.now())
        review.decide(
            case_id=case_in_front.pk,
            case_version=case_in_front.version,
            moderator=other_moderator,
            verdict="not_spam",
            at=timezone.now(),
        )

        body = decide(case_in_front).content.decode()

        assert "This case was decided before." in body
        assert "by other_moderator" in body
        assert Decision.objects.count() == 1

    def test_gives_an_expired_claim_back_undecided(self, decide: Decide, case_in_front: Case) -> None:
        Case.objects.update(lease_end_at=timezone.now() - timedelta(seconds=1))

        body = decide(case_in_front).content.decode()

        assert "yours again" in body
        assert not Decision.objects.exists()

    def test_moves_on_when_another_took_an_expired_case(
        self, decide: Decide, case_in_front: Case, other_moderator: User
    ) -> None:
        Case.objects.update(claimed_by=other_moderator)

        body = decide(case_in_front).content.decode()

        assert "other_moderator took the case" in body
        assert not Decision.objects.exists()

    def test_asks_to_look_again_when_the_post_changed(self, decide: Decide, case_in_front: Case) -> None:
        Case.objects.update(version=7)

        body = decide(case_in_front).content.decode()

        assert "edited while you looked" in body
        assert not Decision.objects.exists()


class TestOtherActs:
    def test_skip_leaves_the_case_to_others(
        self, desk: Client, case_in_front: Case, other_moderator: User
    ) -> None:
        body = desk.post(f"/review/{case_in_front.pk}/skip/", headers=HTMX).content.decode()

        assert "None of them is free for you" in body
        assert review.claim_next(moderator=other_moderator, at=timezone.now()) == [case_in_front]

    def test_escalate_gives_it_to_the_leads_with_the_note(
        self, desk: Client, lead_desk: Client, case_in_front: Case
    ) -> None:
        desk.post(f"/review/{case_in_front.pk}/escalate/", {"note": "Look at the <b>link</b>"}, headers=HTMX)

        body = lead_desk.get(f"/review/{case_in_front.pk}/").content.decode()
        assert "Escalated by a moderator" in body
        assert "Look at the &lt;b&gt;link&lt;/b&gt;" in body

    def test_hand_back_frees_the_case(self, desk: Client, case_in_front: Case) -> None:
        answer = desk.post(f"/review/{case_in_front.pk}/hand-back/", headers=HTMX)

        assert answer.headers["HX-Redirect"] == "/queue/"
        assert Case.objects.get().claimed_by is None

    def test_renew_extends_the_lease_until_it_is_lost(self, desk: Client, case_in_front: Case) -> None:
        held = desk.post(f"/review/{case_in_front.pk}/renew/")
        Case.objects.update(lease_end_at=timezone.now() - timedelta(seconds=1))
        lost = desk.post(f"/review/{case_in_front.pk}/renew/")

        assert (held.status_code, held.headers["Lease-Seconds"]) == (204, "120")
        assert lost.status_code == 409

    def test_claim_of_a_held_case_goes_to_the_next(
        self, desk: Client, open_case: Case_, other_moderator: User
    ) -> None:
        held, free = open_case(text="Held"), open_case(text="Free")
        review.claim(case_id=held.pk, moderator=other_moderator, at=timezone.now())

        answer = desk.post(f"/review/{held.pk}/claim/", headers=HTMX)

        assert "other_moderator is looking at that case" in answer.content.decode()
        assert answer.headers["HX-Push-Url"] == f"/review/{free.pk}/"

    def test_undo_brings_the_case_back(self, desk: Client, decide: Decide, case_in_front: Case) -> None:
        decide(case_in_front)

        answer = desk.post(f"/decisions/{Decision.objects.get().pk}/undo/", headers=HTMX)

        assert answer.headers["HX-Push-Url"] == f"/review/{case_in_front.pk}/"
        assert Case.objects.get().state == CaseState.OPEN
        assert "Undone. The case is back." in answer.content.decode()

    def test_undo_that_comes_too_late_leads_to_a_correction(
        self, desk: Client, decide: Decide, case_in_front: Case
    ) -> None:
        decide(case_in_front)
        Decision.objects.update(effective_at=timezone.now() - timedelta(seconds=1))

        answer = desk.post(f"/decisions/{Decision.objects.get().pk}/undo/", headers=HTMX)

        assert answer.headers["HX-Redirect"] == "/decisions/"
        assert "Correct the decision instead" in desk.get("/decisions/").content.decode()
