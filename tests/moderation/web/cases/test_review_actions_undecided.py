"""What a moderator does with a case without deciding it: skip, escalate, pause, give back, undo."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import AuditEntry, Case, Decision, User
from moderation.models.cases import CaseState
from moderation.operations.cases import claims
from tests.moderation.conftest import Case_
from tests.moderation.web.cases.answers import current
from tests.moderation.web.conftest import REVIEW_PAGE

Decide = Callable[..., Any]


class TestOtherActs:
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

    def test_undo_brings_the_case_back(self, desk: Client, decide: Decide, case_in_front: Case) -> None:
        decide(case_in_front)

        answer = desk.post(f"/decisions/{Decision.objects.get().pk}/undo/", headers=REVIEW_PAGE)

        assert current(answer) == str(case_in_front.pk)
        assert Case.objects.get().state == CaseState.OPEN
        assert "Undone. The case is back." in answer.content.decode()

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
