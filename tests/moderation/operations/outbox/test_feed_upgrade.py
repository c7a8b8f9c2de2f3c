"""Feeds after an upgrade from the release before, which knew none."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.apps import apps
from django.db import connection

from moderation.models import Decision, FeedEntry, FeedHead, Platform, User
from moderation.models.feed import Stream
from moderation.operations.cases import reversals
from moderation.queries.decisions.feeds import EarlierPosition
from tests.moderation.operations.outbox.feeds import Poller

Later = Callable[[float], datetime]


class TestUpgrade:
    """Rows of the release before, which knew no feeds."""

    @staticmethod
    def number() -> None:
        migration: Any = importlib.import_module("moderation.migrations.0035_decisions_into_feeds")
        with connection.schema_editor(atomic=False) as editor:
            migration._BATCH = 2
            migration.number(apps, editor)

    @pytest.mark.django_db(transaction=True)
    def test_numbers_in_the_old_order_and_twice_changes_nothing(
        self, platform: Platform, decided: Callable[..., Decision], moderator: User, later: Later
    ) -> None:
        made = [decided(at=later(when)) for when in (30, 10, 20, 10)]
        undone = decided(at=later(15))
        reversals.undo(decision_id=undone.pk, moderator=moderator, at=later(16))
        FeedEntry.objects.all().delete()
        FeedHead.objects.all().delete()

        self.number()
        once = list(FeedEntry.objects.values_list("stream", "number", "decision", "entered_at"))
        self.number()

        assert list(FeedEntry.objects.values_list("stream", "number", "decision", "entered_at")) == once
        in_order = [made[place].pk for place in (1, 3, 2, 0)]
        assert Poller(platform).poll(later(60)) == in_order
        assert Poller(platform, stream=Stream.LABELS).poll(later(60)) == in_order

    @pytest.mark.django_db(transaction=True)
    def test_an_old_cursor_goes_on_where_it_stood(
        self, platform: Platform, decided: Callable[..., Decision], later: Later
    ) -> None:
        made = [decided(at=later(when)) for when in (10, 20, 20)]
        FeedEntry.objects.all().delete()
        self.number()
        new = decided(at=later(5))
        poller = Poller(platform)
        poller.cursor = EarlierPosition(made[1].effective_at, made[1].pk)

        assert poller.poll(later(60)) == [made[2].pk, new.pk]

    def test_an_old_cursor_of_nothing_we_know_skips_nothing(
        self, platform: Platform, decided: Callable[..., Decision], later: Later
    ) -> None:
        made = decided(at=later(10))
        poller = Poller(platform)
        poller.cursor = EarlierPosition(later(20) - timedelta(hours=1), 10**9)

        assert poller.poll(later(60)) == [made.pk]
