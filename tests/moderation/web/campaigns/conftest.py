"""A campaign that waits."""

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from moderation.models import Campaign, Platform
from tests.moderation.fakes import FakeScorer
from tests.moderation.operations.campaigns.campaign_posts import opened


@pytest.fixture
def now() -> datetime:
    return timezone.now() - timedelta(minutes=5)


@pytest.fixture
def pills(platform: Platform, fake_scorer: FakeScorer, now: datetime) -> Campaign:
    """A campaign of five that waits."""
    return opened(platform, 5, at=now, links=("https://pills.example/buy",))
