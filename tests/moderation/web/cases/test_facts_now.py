"""What became known since a post was scored, beside what was known then."""

# ruff: noqa: F811 - fixtures of another module are arguments here

from __future__ import annotations

import re

import pytest
from django.test import Client

from moderation.models import Case, Score
from moderation.models.cases import CaseReason
from moderation.queries.records import record_histories
from tests.moderation.conftest import Case_
from tests.moderation.counted_case import counted_case, judged_at, scored_posts  # noqa: F401 - fixtures
from tests.moderation.web.conftest import asked, read


def news(desk: Client, case: Case) -> str:
    return read(desk, f"/review/{case.pk}/now/")


def test_tells_the_differences_and_when(desk: Client, counted_case: Case) -> None:
    body = news(desk, counted_case)

    # One of four spam was corrected, another decided spam; one more not spam, and that corrected one.
    assert "pills.example" in body
    assert "+2 judged not spam, +1 post, +1 complaint" in body
    assert re.search(r"since 2026-03-01 12:01 UTC, as of \d\d:\d\d", body)


def test_tells_them_of_an_appeal(lead_desk: Client, counted_case: Case) -> None:
    Case.objects.filter(pk=counted_case.pk).update(reason=CaseReason.APPEALED, is_escalated=True)

    assert "+2 judged not spam" in news(lead_desk, counted_case)


def test_tells_that_nothing_changed(desk: Client, open_case: Case_) -> None:
    assert "No changes since scoring" in news(desk, open_case())


def test_tells_what_is_so_now_where_the_sample_is_full(
    desk: Client, counted_case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_histories, "SAMPLE", 4)
    monkeypatch.setitem(record_histories._NUMBERS, "sample", 4)

    assert re.search(r"now \d+ spam, \d+ not in the latest 4", news(desk, counted_case))


@pytest.mark.parametrize("reason", [CaseReason.AUDIT, CaseReason.SECOND])
def test_tells_nothing_of_a_blind_case(desk: Client, counted_case: Case, reason: str) -> None:
    Case.objects.filter(pk=counted_case.pk).update(reason=reason)

    assert news(desk, counted_case).strip() == ""
    assert f"/review/{counted_case.pk}/now/" not in desk.get(f"/review/{counted_case.pk}/").content.decode()


def test_tells_nothing_where_the_record_was_erased(desk: Client, counted_case: Case) -> None:
    Score.objects.update(record={"erased": True})

    assert news(desk, counted_case).strip() == ""


def test_needs_few_queries(desk: Client, counted_case: Case) -> None:
    news(desk, counted_case)

    assert len(asked(desk, f"/review/{counted_case.pk}/now/")) <= 8
