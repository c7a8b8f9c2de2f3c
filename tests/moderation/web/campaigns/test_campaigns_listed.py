"""Where campaigns are seen beside their own page: the list, the queue, the strip over a case."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import pytest
from django.test import Client

from moderation.models import Campaign, Case, Platform, User
from moderation.models.cases import CaseReason
from moderation.models.decisions import Verdict
from moderation.operations.cases import claims, review
from moderation.queries.campaigns import campaign_pages
from tests.moderation.operations.campaigns.campaign_posts import opened
from tests.moderation.web.campaigns.decided import decide


class TestList:
    def test_shows_those_with_most_waiting_first(
        self, desk: Client, platform: Platform, pills: Campaign, now: datetime
    ) -> None:
        larger = opened(platform, 7, at=now, text="Win a phone, only this evening, share and comment now")

        rows = desk.get("/campaigns/").context["page"].rows

        assert [(row.campaign_id, row.waiting) for row in rows] == [(larger.pk, 7), (pills.pk, 5)]

    def test_leaves_out_those_that_are_settled(self, desk: Client, pills: Campaign) -> None:
        decide(desk, pills, 5)

        assert "No campaigns waiting" in desk.get("/campaigns/").content.decode()
        [row] = desk.get("/campaigns/?show=all").context["page"].rows
        assert (row.campaign_id, row.waiting) == (pills.pk, 0)

    @pytest.mark.parametrize("show", ["waiting", "all"])
    def test_goes_on_where_the_first_page_ended(
        self, desk: Client, platform: Platform, pills: Campaign, now: datetime, show: str
    ) -> None:
        other = opened(platform, 7, at=now, text="Win a phone, only this evening, share and comment now")
        listed = campaign_pages.newest if show == "all" else campaign_pages.waiting

        first = listed(limit=1)
        second = listed(limit=1, cursor=first.next_cursor)

        assert [page.rows[0].campaign_id for page in (first, second)] == [other.pk, pills.pk]
        assert second.next_cursor == ""


class TestStrip:
    def test_is_none_for_a_blind_case(
        self, pills: Campaign, moderator: User, now: datetime, decide_one: Callable[[Case], None]
    ) -> None:
        first, second = Case.objects.order_by("id")[:2]
        decide_one(first)
        found = campaign_pages.strip(case=second)
        assert found is not None
        assert (found.posts, found.authors, found.domains, found.decided) == (5, 5, 1, 1)

        second.reason = CaseReason.CAMPAIGN

        assert campaign_pages.strip(case=second) is None


@pytest.fixture
def decide_one(moderator: User, now: datetime) -> Callable[[Case], None]:
    def act(case: Case) -> None:
        claims.claim(case_id=case.pk, moderator=moderator, at=now)
        review.decide(case_id=case.pk, case_version=1, moderator=moderator, verdict=Verdict.SPAM, at=now)

    return act


class TestQueue:
    def test_shows_only_the_cases_of_a_campaign(
        self, desk: Client, platform: Platform, pills: Campaign, now: datetime
    ) -> None:
        opened(platform, 3, at=now, text="Win a phone, only this evening, share and comment now")

        rows = desk.get(f"/queue/?campaign={pills.pk}").context["page"].rows

        assert [row.campaign_id for row in rows] == [pills.pk] * 5
        assert [row.campaign_posts for row in rows] == [5] * 5

    def test_says_nothing_of_the_campaign_of_a_sample(self, desk: Client, pills: Campaign) -> None:
        Case.objects.update(reason=CaseReason.CAMPAIGN)

        assert {row.campaign_id for row in desk.get("/queue/").context["page"].rows} == {None}
        assert not desk.get(f"/queue/?campaign={pills.pk}").context["page"].rows
