"""Posts that say the same in other words are gathered, if they read as spam."""

import pytest
from django.test import Client
from django.urls import reverse

from moderation.models import Campaign, CampaignMember, Case, Decision, DeskSettings, Platform, Post, User
from scoring.content import ContentScore
from tests.moderation.conftest import judge
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import AT, later
from tests.moderation.operations.campaigns.campaign_posts import accept, decide, incoming, run_all, spam

TEXTS = (
    "Rate hotels on your phone and earn a hundred dollars daily",
    "An hour of reviewing places to stay pays you well every evening",
    "Beginners welcome: score accommodation from home, salary comes the same night",
)
SPAM = ContentScore((0.0, 2.0), b"\x7f\x00")


def post(platform: Platform, number: int, text: str, *, seconds: float = 0) -> Post:
    """Store a post of spammer-`number` and score it."""
    [row] = accept(platform, [incoming(number, at=later(seconds), text=text)], at=later(seconds))
    run_all([row], at=later(seconds + 1))
    return row


@pytest.fixture(autouse=True)
def _read_as_spam(fake_scorer: FakeScorer) -> None:
    fake_scorer.said = dict.fromkeys(TEXTS, SPAM)


def test_rewordings_become_a_campaign(platform: Platform, moderator: User, client: Client) -> None:
    run_all(accept(platform, [incoming(n, at=AT, text=TEXTS[n]) for n in range(2)], at=AT), at=later(1))
    post(platform, 2, TEXTS[2], seconds=3600)
    client.force_login(moderator)

    page = client.get(reverse("campaign", args=[Campaign.objects.get().pk])).content.decode().split()

    assert [member.ties for member in CampaignMember.objects.all()] == [["meaning"]] * 3
    assert "shares meaning" in " ".join(page)


@pytest.mark.parametrize(
    ("score", "seconds", "author"),
    [
        pytest.param(ContentScore((0.0, 2.0), b"\x00\x7f"), 60, 1, id="another meaning"),
        pytest.param(ContentScore((0.0, 1.3), b"\x7f\x00"), 60, 1, id="not sure to be spam"),
        pytest.param(SPAM, 86_402, 1, id="a day later"),
        pytest.param(SPAM, 60, 0, id="the same author"),
    ],
)
def test_others_stay_alone(
    platform: Platform, fake_scorer: FakeScorer, score: ContentScore, seconds: float, author: int
) -> None:
    post(platform, 0, TEXTS[0])
    fake_scorer.said[TEXTS[1]] = score

    post(platform, author, TEXTS[1], seconds=seconds)

    assert not Campaign.objects.exists()


def test_who_shares_the_meaning_alone_is_not_decided_with_the_campaign(
    platform: Platform, moderator: User, remembered: DeskSettings
) -> None:
    remembered.campaign_check_percent = 0
    run_all(accept(platform, [incoming(n, at=AT, text=TEXTS[0]) for n in range(30)], at=AT), at=later(1))
    for case in Case.objects.order_by("id")[:25]:
        judge(case, moderator, at=later(3))
    decide(Campaign.objects.get(), spam(5), by=moderator, at=later(60))

    late = post(platform, 99, TEXTS[1], seconds=100)

    assert CampaignMember.objects.get(post=late).campaign == Campaign.objects.get()
    assert not Decision.objects.filter(post=late).exists()
