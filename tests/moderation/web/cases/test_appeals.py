"""The list of appeals."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Appeal, Case, Decision, Platform, User
from moderation.operations.cases import appeals
from tests.moderation.conftest import Case_, Decided
from tests.moderation.web.conftest import asked


@pytest.fixture
def appeal(open_case: Case_, decided: Decided, platform: Platform) -> Callable[..., Appeal]:
    """Decide a post, tell the platform, and dispute the decision."""

    def make(**given: Any) -> Appeal:
        decision = decided(open_case())
        now = timezone.now()
        Decision.objects.filter(pk=decision.pk).update(effective_at=now - timedelta(seconds=1))
        return appeals.dispute(platform=platform, decision_id=decision.pk, at=now, **given)

    return make


def test_those_that_wait_lead_to_their_cases(lead_desk: Client, appeal: Callable[..., Appeal]) -> None:
    made = appeal(reason="I sell nothing <b>")

    body = lead_desk.get("/appeals/").content.decode()

    assert "I sell nothing &lt;b&gt;" in body
    assert f"/review/{made.case_id}/" in body
    assert f"/posts/{made.post_id}/" in body


@pytest.mark.parametrize(("verdict", "words"), [("spam", "upheld"), ("not_spam", "overturned")])
def test_those_that_are_settled_have_an_outcome(
    lead_desk: Client, lead: User, appeal: Callable[..., Appeal], decided: Decided, verdict: str, words: str
) -> None:
    made = appeal(reason="I sell nothing")
    decided(Case.objects.get(pk=made.case_id), by=lead, verdict=verdict)

    assert "I sell nothing" not in lead_desk.get("/appeals/").content.decode()
    assert words in lead_desk.get("/appeals/?state=settled").content.decode()
    assert words in lead_desk.get("/appeals/?state=all").content.decode()


@pytest.mark.parametrize("query", ["state=nonsense", "state=waiting", ""])
def test_none_wait(lead_desk: Client, db: None, query: str) -> None:
    assert "No appeals" in lead_desk.get(f"/appeals/?{query}").content.decode()


def test_need_the_same_few_queries_for_any_number_of_rows(
    lead_desk: Client, appeal: Callable[..., Appeal]
) -> None:
    lead_desk.get("/appeals/")
    for _ in range(5):
        appeal()

    # Session, user and two of the list; two more where this process has not read the live release yet.
    assert len(asked(lead_desk, "/appeals/")) <= 6
