"""The case in front: the reasons that it offers, and what it hides at first."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Case, Complaint, Reason, User


class TestReasons:
    def test_are_offered_and_those_proposed_that_complaints_speak_for(
        self, desk: Client, case_in_front: Case, reasons: dict[str, Reason]
    ) -> None:
        Complaint.objects.create(
            platform=case_in_front.post.platform,
            post_external_id=case_in_front.post.external_id,
            post=case_in_front.post,
            reporter=case_in_front.post.author,
            reason="scam",
            reported_at=timezone.now(),
            received_at=timezone.now(),
        )

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
        self, desk: Client, case_in_front: Case, moderator: User, blur: str, complaint: str, is_blurred: bool
    ) -> None:
        User.objects.update(stored_preferences={"blur": blur})
        Complaint.objects.create(
            platform=case_in_front.post.platform,
            post_external_id=case_in_front.post.external_id,
            post=case_in_front.post,
            reporter=case_in_front.post.author,
            reason=complaint,
            reported_at=timezone.now(),
            received_at=timezone.now(),
        )

        body = desk.get(f"/review/{case_in_front.pk}/").content.decode()

        assert ("case--blurred" in body) is is_blurred
