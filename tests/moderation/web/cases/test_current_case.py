"""The case in front: the reasons that it offers, and what it hides at first."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Case, Reason, User
from tests.moderation.counted_case import report_it


class TestReasons:
    def test_are_offered_and_those_proposed_that_complaints_speak_for(
        self, desk: Client, case_in_front: Case, reasons: dict[str, Reason]
    ) -> None:
        report_it(case_in_front.post, at=timezone.now(), reason="scam")

        body = desk.get(f"/review/{case_in_front.pk}/").content.decode()

        assert body.count("reason--proposed") == 1
        assert 'title="Proposed: 1 complaint.' in body
        assert "Ordinary post" in body


class TestPreferences:
    @pytest.mark.parametrize(
        ("blur", "complaint", "is_blurred"),
        [
            ("never", "adult", False),
            ("graphic", "adult", True),
            ("graphic", "spam", False),
            ("always", "spam", True),
        ],
    )
    def test_blurs_what_a_person_does_not_want_to_see_at_once(
        self, desk: Client, case_in_front: Case, blur: str, complaint: str, is_blurred: bool
    ) -> None:
        User.objects.update(stored_preferences={"blur": blur})
        report_it(case_in_front.post, at=timezone.now(), reason=complaint)

        body = desk.get(f"/review/{case_in_front.pk}/").content.decode()

        assert ("case--blurred" in body) is is_blurred
