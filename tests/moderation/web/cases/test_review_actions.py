"""What a moderator does at the review page, as its script asks for it and as a bare form does."""

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import AuditEntry, Case, Decision, User
from moderation.operations.cases import claims
from tests.moderation.conftest import Case_
from tests.moderation.web.cases.answers import current, parts
from tests.moderation.web.conftest import REVIEW_PAGE

Decide = Callable[..., Any]
Change = Callable[[User], dict[str, Any]]


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

    def test_a_repeated_request_is_the_same_decision_and_another_names_it(
        self, decide: Decide, case_in_front: Case
    ) -> None:
        key = uuid.uuid4().hex
        first, second = (decide(case_in_front, idempotency_key=key) for _ in range(2))
        other = decide(case_in_front, "not_spam", idempotency_key=uuid.uuid4().hex)

        assert (first.status_code, second.status_code, other.status_code) == (201, 200, 409)
        assert "moderator already decided this case: spam" in other.content.decode()
        assert Decision.objects.count() == 1

    def test_says_when_the_queue_is_empty(self, decide: Decide, case_in_front: Case) -> None:
        assert "The queue is empty" in decide(case_in_front).content.decode()

    def test_works_without_javascript(self, desk: Client, case_in_front: Case) -> None:
        form = {"verdict": "spam", "case_version": case_in_front.version}

        answer = desk.post(f"/review/{case_in_front.pk}/decide/", form, follow=True)

        assert answer.redirect_chain == [("/review/", 302)]
        assert "Decided: spam." in answer.content.decode()

    @pytest.mark.usefixtures("reasons")
    def test_keeps_reason_and_note(self, decide: Decide, case_in_front: Case) -> None:
        decide(case_in_front, reason="other_spam", note="Sells seats that do not exist")

        decision = Decision.objects.get()
        assert (decision.reason, decision.note) == ("other_spam", "Sells seats that do not exist")

    @pytest.mark.usefixtures("reasons")
    @pytest.mark.parametrize(
        ("given", "words"),
        [
            ({"verdict": "maybe"}, "No valid verdict"),
            ({"reason": "ordinary"}, "belongs to the other verdict"),
            ({"reason": "other_spam"}, "needs a note"),
            ({"reason": "of_last_year"}, "no longer exists"),
        ],
    )
    def test_refuses_what_is_no_verdict_and_a_reason_that_does_not_fit(
        self, decide: Decide, case_in_front: Case, given: dict[str, str], words: str
    ) -> None:
        answer = decide(case_in_front, **given)

        assert answer.status_code == 422
        assert words in answer.content.decode()
        assert not Decision.objects.exists()

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            (lambda _: {"lease_end_at": timezone.now() - timedelta(seconds=1)}, "reserved for you again"),
            (lambda other: {"claimed_by": other}, "other_moderator took the case"),
            (lambda _: {"version": 7}, "edited while you looked"),
        ],
        ids=["the claim expired", "another took the case", "the post changed"],
    )
    def test_says_why_nothing_was_decided(
        self, decide: Decide, case_in_front: Case, other_moderator: User, change: Change, words: str
    ) -> None:
        Case.objects.update(**change(other_moderator))

        answer = decide(case_in_front)

        assert answer.status_code == 409
        assert words in answer.content.decode()
        assert not Decision.objects.exists()


class TestUndecided:
    def test_skip_leaves_the_case_to_others(
        self, desk: Client, case_in_front: Case, other_moderator: User
    ) -> None:
        body = desk.post(f"/review/{case_in_front.pk}/skip/", headers=REVIEW_PAGE).content.decode()

        assert "None of them is available" in body
        assert claims.claim_next(moderator=other_moderator, at=timezone.now()) == [case_in_front]

    def test_escalate_gives_it_to_the_leads_with_the_note(
        self, desk: Client, lead_desk: Client, case_in_front: Case
    ) -> None:
        note = {"note": "Look at the <b>link</b>"}
        desk.post(f"/review/{case_in_front.pk}/escalate/", note, headers=REVIEW_PAGE)

        body = lead_desk.get(f"/review/{case_in_front.pk}/").content.decode()
        assert "Escalated by a moderator" in body
        assert "Look at the &lt;b&gt;link&lt;/b&gt;" in body
        # It outlives an erasure.
        assert "link" not in str(AuditEntry.objects.get(action="case.escalated").details)

    def test_hand_back_frees_what_the_page_names(
        self, desk: Client, case_in_front: Case, open_case: Case_, other_moderator: User
    ) -> None:
        of_another = claims.claim(case_id=open_case().pk, moderator=other_moderator, at=timezone.now())

        answer = desk.post("/review/hand-back/", {"held": f"{case_in_front.pk},{of_another.pk}"})

        assert answer.headers["Location"] == "/queue/"
        assert Case.objects.get(pk=case_in_front.pk).claimed_by is None
        assert Case.objects.get(pk=of_another.pk).claimed_by == other_moderator

    @pytest.mark.parametrize("is_left_first", [True, False])
    def test_leaving_a_page_frees_what_its_last_act_leased(
        self, desk: Client, case_in_front: Case, open_case: Case_, moderator: User, is_left_first: bool
    ) -> None:
        """The page is left while its decision is on the way: it never hears of the cases that come next."""
        for _ in range(8):
            open_case()
        page = {"page": uuid.uuid4().hex}
        gone = page | {"held": "", "leaving": f"{case_in_front.pk}"}
        decision = page | {"verdict": "spam", "case_version": "1", "known": f"{case_in_front.pk}"}
        acts = [("/review/hand-back/", gone), (f"/review/{case_in_front.pk}/decide/", decision)]

        answers = [desk.post(*act, headers=REVIEW_PAGE) for act in (acts if is_left_first else acts[::-1])]

        assert sorted(answer.status_code for answer in answers) == [201, 204]
        assert not Case.objects.filter(claimed_by=moderator, state="open").exists()

    def test_leaving_one_page_takes_nothing_from_another(
        self, desk: Client, case_in_front: Case, moderator: User
    ) -> None:
        desk.post("/review/hand-back/", {"page": uuid.uuid4().hex, "held": ""}, headers=REVIEW_PAGE)
        desk.post("/review/ahead/", {"page": uuid.uuid4().hex}, headers=REVIEW_PAGE)

        assert Case.objects.get(pk=case_in_front.pk).claimed_by == moderator

    def test_a_beat_extends_the_leases_that_live(self, desk: Client, case_in_front: Case) -> None:
        form = {"held": f"{case_in_front.pk}", "current": f"{case_in_front.pk}"}
        held = desk.post("/review/beat/", form, headers=REVIEW_PAGE).json()
        Case.objects.update(lease_end_at=timezone.now() - timedelta(seconds=1))
        lost = desk.post("/review/beat/", form, headers=REVIEW_PAGE).json()

        assert (held["held"], held["lease_seconds"]) == ([case_in_front.pk], 120)
        assert lost["held"] == []

    def test_a_beat_tells_the_holder_who_reads_along_and_the_reader_who_holds(
        self, desk: Client, lead_desk: Client, case_in_front: Case
    ) -> None:
        form = {"held": f"{case_in_front.pk}", "current": f"{case_in_front.pk}"}
        reader = lead_desk.post("/review/beat/", form, headers=REVIEW_PAGE).json()
        holder = desk.post("/review/beat/", form, headers=REVIEW_PAGE).json()

        assert (reader["held"], reader["holder"]) == ([], "moderator")
        assert (holder["holder"], holder["readers"]) == ("", ["lead"])

    def test_a_pause_keeps_the_case_and_gives_the_others_back(
        self, desk: Client, case_in_front: Case, open_case: Case_, moderator: User
    ) -> None:
        behind = claims.claim(case_id=open_case().pk, moderator=moderator, at=timezone.now())

        answer = desk.post(f"/review/{case_in_front.pk}/pause/", headers=REVIEW_PAGE)

        assert answer.status_code == 200
        kept = Case.objects.get(pk=case_in_front.pk).lease_end_at
        assert kept is not None
        assert kept > timezone.now() + timedelta(minutes=14)
        assert Case.objects.get(pk=behind.pk).claimed_by is None

    def test_claim_of_a_held_case_goes_to_the_next(
        self, desk: Client, open_case: Case_, other_moderator: User
    ) -> None:
        held, free = open_case(text="Held"), open_case(text="Free")
        claims.claim(case_id=held.pk, moderator=other_moderator, at=timezone.now())

        answer = desk.post(f"/review/{held.pk}/claim/", headers=REVIEW_PAGE)

        assert "other_moderator is reviewing that case" in answer.content.decode()
        assert current(answer) == str(free.pk)

    def test_undo_that_comes_too_late_says_what_to_do_instead(
        self, desk: Client, decide: Decide, case_in_front: Case
    ) -> None:
        decide(case_in_front)
        Decision.objects.update(effective_at=timezone.now() - timedelta(seconds=1))

        answer = desk.post(f"/decisions/{Decision.objects.get().pk}/undo/", headers=REVIEW_PAGE)

        assert answer.status_code == 409
        assert "Correct it instead" in answer.content.decode()

    def test_a_page_older_than_its_session_gets_a_new_token(self, desk: Client) -> None:
        assert len(desk.get("/review/token/").content) == 64
