"""A simulated platform's posts, as a replay stores them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import pytest
from django.db import transaction

from moderation.models import Platform, Revision
from moderation.operations.posts.incoming_post import IncomingPost
from simulation import rehearse
from tests.moderation.operations.posts.arrivals import SPAM

pytestmark = pytest.mark.django_db


def test_compares_what_it_stores(
    platform: Platform, incoming: Callable[..., IncomingPost], at: datetime
) -> None:
    posts = [incoming(text=SPAM.format(name)) for name in ("a1", "b2")]

    with transaction.atomic():
        rehearse.accept(platform=platform, posts=posts, at=at)

    groups = Revision.objects.values_list("similarity_group", flat=True)
    assert None not in groups
    assert len(set(groups)) == 1
