"""How a moderator decides at the review page: as its script asks for it, and as a bare form does."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Case, Decision, User
from moderation.models.decisions import Verdict
from moderation.operations.cases import claims
from tests.moderation.conftest import Case_, judge
from tests.moderation.web.cases.answers import current, parts

Decide = Callable[..., Any]


class TestDecide:
    @pytest.mark.parametrize("verdict", ["spam", "not_spam"])
    def test_decides_and_brings_the_next_case(
        self, decide: Decide, case_in_front: Case, open_case: Case_, moderator: User, verdict: str
    ) -> None:
        other = open_case(text="Another one")

        answer = decide(case_in_front, verdict)

        assert answer.status_code == 201
        assert Decision.objects.get().verdict == verdict
        assert parts(answer) == [other.pk]
        assert Case.objects.get(pk=other.pk).claimed_by == moderator
        assert "Undo" in answer.content.decode()

    def test_holds_three_cases_ahead_but_only_a_quarter_of_what_waits(
        self, decide: Decide, case_in_front: Case, open_case: Case_, moderator: User
    ) -> None:
        for number in range(9):
            open_case(text=f"Post number {number}")

        answer = decide(case_in_front)

        assert len(parts(answer)) == 3
        assert Case.objects.filter(claimed_by=moderator).count() == 3

    def test_does_not_send_what_the_page_has(
        self, decide: Decide, case_in_front: Case, open_case: Case_, moderator: User
    ) -> None:
        known = open_case(text="Known")
        claims.claim(case_id=known.pk, moderator=moderator, at=timezone.now())

        answer = decide(case_in_front, known=f"{known.pk}")

        assert parts(answer) == []

    def test_a_repeated_request_is_the_same_decision(self, decide: Decide, case_in_front: Case) -> None:
        key = uuid.uuid4().hex
        first = decide(case_in_front, idempotency_key=key)
        second = decide(case_in_front, idempotency_key=key)

        assert (first.status_code, second.status_code) == (201, 200)
        assert Decision.objects.count() == 1

    def test_another_request_names_the_winner_even_to_the_winner(
        self, decide: Decide, case_in_front: Case
    ) -> None:
        decide(case_in_front, idempotency_key=uuid.uuid4().hex)
        answer = decide(case_in_front, "not_spam", idempotency_key=uuid.uuid4().hex)

        assert answer.status_code == 409
        assert "moderator already decided this case: spam" in answer.content.decode()
        assert Decision.objects.count() == 1

    def test_says_when_the_queue_is_empty(self, decide: Decide, case_in_front: Case) -> None:
        assert "The queue is empty" in decide(case_in_front).content.decode()

    def test_works_without_javascript(self, desk: Client, case_in_front: Case) -> None:
        form = {"verdict": "spam", "case_version": case_in_front.version}

        answer = desk.post(f"/review/{case_in_front.pk}/decide/", form, follow=True)

        assert answer.redirect_chain == [("/review/", 302)]
        assert "Decided: spam." in answer.content.decode()

    def test_refuses_what_is_no_verdict(self, decide: Decide, case_in_front: Case) -> None:
        answer = decide(case_in_front, "maybe")

        assert answer.status_code == 422
        assert "No valid verdict" in answer.content.decode()
        assert not Decision.objects.exists()

    @pytest.mark.usefixtures("reasons")
    def test_keeps_reason_and_note(self, decide: Decide, case_in_front: Case) -> None:
        decide(case_in_front, reason="other_spam", note="Sells seats that do not exist")

        decision = Decision.objects.get()
        assert (decision.reason, decision.note) == ("other_spam", "Sells seats that do not exist")

    @pytest.mark.usefixtures("reasons")
    @pytest.mark.parametrize(
        ("reason", "words"),
        [
            ("ordinary", "belongs to the other verdict"),
            ("other_spam", "needs a note"),
            ("of_last_year", "no longer exists"),
        ],
    )
    def test_refuses_a_reason_that_does_not_fit(
        self, decide: Decide, case_in_front: Case, reason: str, words: str
    ) -> None:
        answer = decide(case_in_front, reason=reason)

        assert answer.status_code == 422
        assert words in answer.content.decode()
        assert not Decision.objects.exists()

    def test_shows_the_winner_when_another_decided_first(
        self, decide: Decide, case_in_front: Case, other_moderator: User
    ) -> None:
        Case.objects.update(claimed_by=other_moderator)
        judge(case_in_front, other_moderator, verdict=Verdict.NOT_SPAM, at=timezone.now())

        answer = decide(case_in_front)

        assert answer.status_code == 409
        assert "other_moderator already decided this case: not spam" in answer.content.decode()
        assert current(answer) == str(case_in_front.pk)
        assert Decision.objects.count() == 1

    def test_gives_an_expired_claim_back_undecided(self, decide: Decide, case_in_front: Case) -> None:
        Case.objects.update(lease_end_at=timezone.now() - timedelta(seconds=1))

        answer = decide(case_in_front)

        assert answer.status_code == 409
        assert "reserved for you again" in answer.content.decode()
        assert not Decision.objects.exists()

    def test_moves_on_when_another_took_an_expired_case(
        self, decide: Decide, case_in_front: Case, other_moderator: User
    ) -> None:
        Case.objects.update(claimed_by=other_moderator)

        answer = decide(case_in_front)

        assert answer.status_code == 409
        assert "other_moderator took the case" in answer.content.decode()
        assert not Decision.objects.exists()

    def test_asks_to_look_again_when_the_post_changed(self, decide: Decide, case_in_front: Case) -> None:
        Case.objects.update(version=7)

        answer = decide(case_in_front)

        assert answer.status_code == 409
        assert "edited while you looked" in answer.content.decode()
        assert not Decision.objects.exists()
