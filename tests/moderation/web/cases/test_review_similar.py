"""The next case of the campaign of the case in front, by one key."""

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Campaign, CampaignMember, Case, User
from moderation.operations.cases import claims
from tests.moderation.conftest import Case_
from tests.moderation.web.cases.answers import current, parts
from tests.moderation.web.conftest import REVIEW_PAGE


@pytest.fixture
def gathered(case_in_front: Case, open_case: Case_) -> Case:
    """The other case of the campaign of the case in front."""
    other, now = open_case(text="Another one"), timezone.now()
    campaign = Campaign.objects.create(opened_at=now, latest_at=now, posts=2)
    for case in (case_in_front, other):
        revision = case.score.revision
        CampaignMember.objects.create(
            post=case.post, revision=revision, campaign=campaign, joined_at=now, likeness=1.0
        )
    return other


def test_claims_the_next_case_of_the_campaign_before_all_others(
    desk: Client, open_case: Case_, case_in_front: Case, gathered: Case, moderator: User
) -> None:
    open_case(text="Elsewhere")

    answer = desk.post(f"/review/{case_in_front.pk}/next-similar/", headers=REVIEW_PAGE)

    assert current(answer) == str(gathered.pk)
    assert set(Case.objects.filter(claimed_by=moderator)) == {case_in_front, gathered}


def test_says_when_there_is_none_and_leaves_the_case_in_front(
    desk: Client, case_in_front: Case, gathered: Case, lead: User
) -> None:
    claims.claim(case_id=gathered.pk, moderator=lead, at=timezone.now())
    held = {"known": str(case_in_front.pk)}

    answer = desk.post(f"/review/{case_in_front.pk}/next-similar/", held, headers=REVIEW_PAGE)

    assert (current(answer), parts(answer)) == ("", [])
    assert "No other case of this campaign" in answer.content.decode()
