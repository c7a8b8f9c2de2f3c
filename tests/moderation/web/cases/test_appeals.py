"""The list of appeals."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Appeal, Case, Decision, Platform, User
from moderation.operations.cases import appeals, claims, review

Case_ = Callable[..., Case]


@pytest.fixture
def appeal(open_case: Case_, decided: Callable[..., Decision], platform: Platform) -> Callable[..., Appeal]:
    """Decide a post, tell the platform, and dispute the decision."""

    def make(**given: Any) -> Appeal:
        decision = decided(open_case())
        now = timezone.now()
        Decision.objects.filter(pk=decision.pk).update(effective_at=now - timedelta(seconds=1))
        return appeals.dispute(platform=platform, decision_id=decision.pk, at=now, **given)

    return make


def settle(appeal: Appeal, *, by: User, verdict: str) -> None:
    now = timezone.now()
    case = claims.claim(case_id=appeal.case_id, moderator=by, at=now)
    review.decide(case_id=case.pk, case_version=case.version, moderator=by, verdict=verdict, at=now)  # type: ignore[arg-type]  # a value of the choices


def test_those_that_wait_lead_to_their_cases(lead_desk: Client, appeal: Callable[..., Appeal]) -> None:
    made = appeal(reason="I sell nothing <b>")

    body = lead_desk.get("/appeals/").content.decode()

    assert "I sell nothing &lt;b&gt;" in body
    assert f"/review/{made.case_id}/" in body
    assert f"/posts/{made.post_id}/" in body


@pytest.mark.parametrize(("verdict", "words"), [("spam", "upheld"), ("not_spam", "overturned")])
def test_those_that_are_settled_have_an_outcome(
    lead_desk: Client, lead: User, appeal: Callable[..., Appeal], verdict: str, words: str
) -> None:
    settle(appeal(reason="I sell nothing"), by=lead, verdict=verdict)

    assert "I sell nothing" not in lead_desk.get("/appeals/").content.decode()
    assert words in lead_desk.get("/appeals/?state=settled").content.decode()
    assert words in lead_desk.get("/appeals/?state=all").content.decode()


@pytest.mark.parametrize("query", ["state=nonsense", "state=waiting", ""])
def test_none_wait(lead_desk: Client, db: None, query: str) -> None:
    assert "No appeals" in lead_desk.get(f"/appeals/?{query}").content.decode()


def test_need_the_same_few_queries_for_any_number_of_rows(
    lead_desk: Client, appeal: Callable[..., Appeal], django_assert_max_num_queries: Any
) -> None:
    lead_desk.get("/appeals/")
    for _ in range(5):
        appeal()

    # Session, user and two of the list; two more where this process has not read the live release yet.
    with django_assert_max_num_queries(6):
        lead_desk.get("/appeals/")
