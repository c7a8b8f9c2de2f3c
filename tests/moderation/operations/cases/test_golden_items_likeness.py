"""Golden items look like other blind reviews. Promise: what a moderator can see of either is the same."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import AuditEntry, BlindReview, Case, GoldenItem, User
from moderation.models.cases import CaseState
from moderation.models.decisions import Verdict
from moderation.operations.cases import blind_reviews, claims
from tests.moderation.instants import later
from tests.moderation.operations.cases.golden_posts import TEXTS, answered


class TestLikeness:
    def test_in_the_row_of_the_case(self, pair: tuple[Case, Case]) -> None:
        same = (
            "state",
            "reason",
            "priority",
            "uncertainty",
            "complaint_count",
            "version",
            "opened_at",
            "is_escalated",
            "draw_id",
            "is_drawn",
            "audit_probability",
        )

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
