"""Undo of a skip on the review page."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Case, Decision, User
from moderation.models.cases import CaseReason
from moderation.operations.cases import claims
from moderation.queries.decisions import last_act
from tests.moderation.conftest import Case_
from tests.moderation.web.cases.answers import current
from tests.moderation.web.conftest import REVIEW_PAGE

Decide = Callable[..., Any]


def test_is_undone_like_a_decision(
    desk: Client, decide: Decide, case_in_front: Case, open_case: Case_, moderator: User
) -> None:
    other = open_case(text="Another one")
    decide(case_in_front)
    desk.post(f"/review/{other.pk}/claim/", headers=REVIEW_PAGE)
    skipped = desk.post(f"/review/{other.pk}/skip/", headers=REVIEW_PAGE).content.decode()
    assert re.findall(r'action="(\S+/undo/)"', skipped) == [f"/review/{other.pk}/skip/undo/"]

    answer = desk.post(f"/review/{other.pk}/skip/undo/", headers=REVIEW_PAGE)

    body = answer.content.decode()
    assert current(answer) == str(other.pk)
    assert "Undone. The case is back." in body
    assert f"/decisions/{Decision.objects.get().pk}/undo/" in body  # now the latest
    row = Case.objects.get(pk=other.pk)
    assert (row.claimed_by, row.skipped_by) == (moderator, [])


def test_stays_where_somebody_took_the_case(desk: Client, case_in_front: Case, other_moderator: User) -> None:
    desk.post(f"/review/{case_in_front.pk}/skip/", headers=REVIEW_PAGE)
    claims.claim(case_id=case_in_front.pk, moderator=other_moderator, at=timezone.now())

    answer = desk.post(f"/review/{case_in_front.pk}/skip/undo/", headers=REVIEW_PAGE)

    assert answer.status_code == 409
    assert "other_moderator is reviewing this case." in answer.content.decode()
    assert Case.objects.get().claimed_by == other_moderator


@pytest.mark.parametrize(
    ("changes", "seconds"), [({}, 11), ({"reason": CaseReason.BLIND}, 0), ({"skipped_by": []}, 0)]
)
def test_is_not_offered_late_or_of_second_reviews(
    desk: Client, case_in_front: Case, moderator: User, changes: dict[str, Any], seconds: int
) -> None:
    desk.post(f"/review/{case_in_front.pk}/skip/", headers=REVIEW_PAGE)
    Case.objects.update(**changes)

    assert last_act.undoable(moderator=moderator, at=timezone.now() + timedelta(seconds=seconds)) is None
