"""Feeds of labels."""

from __future__ import annotations

from moderation.models import Campaign, Decision, FeedEntry, Label, Platform, User
from moderation.models.decisions import Verdict
from moderation.models.feed import Stream
from moderation.operations.cases import reversals
from moderation.operations.erasure import erase
from tests.moderation.instants import later
from tests.moderation.operations.campaigns.campaign_posts import decide, spam
from tests.moderation.operations.conftest import Decided
from tests.moderation.operations.outbox.feeds import Poller


class TestLabels:
    def test_tells_of_a_label_once_nobody_can_undo_it_and_of_its_retraction(
        self, platform: Platform, decided: Decided, moderator: User
    ) -> None:
        poller = Poller(platform, stream=Stream.LABELS)
        wrong = decided(at=later(2))
        before, first = poller.poll(later(11)), poller.poll(later(20))
        right = reversals.correct(
            decision_id=wrong.pk, verdict=Verdict.NOT_SPAM, moderator=moderator, at=later(30)
        )

        assert (before, first) == ([], [wrong.pk])
        assert poller.poll(later(40)) == [wrong.pk, right.pk]
        rows = FeedEntry.objects.filter(stream="labels").order_by("number")
        assert [row.is_retraction for row in rows] == [False, True, False]

    def test_an_undone_label_is_never_told(
        self, platform: Platform, decided: Decided, moderator: User
    ) -> None:
        made = decided(at=later(2))
        reversals.undo(decision_id=made.pk, moderator=moderator, at=later(5))

        assert Poller(platform, stream=Stream.LABELS).poll(later(60)) == []

    def test_erasing_its_post_retracts_it(self, platform: Platform, decided: Decided) -> None:
        made = decided(at=later(2))
        poller = Poller(platform, stream=Stream.LABELS)
        poller.poll(later(20))
        erase.post(post_id=made.post_id, at=later(30))

        assert poller.poll(later(40)) == [made.pk]
        assert FeedEntry.objects.filter(stream="labels", is_retraction=True).count() == 1


def test_every_label_and_decision_has_its_entry(pills: Campaign, moderator: User) -> None:
    decide(pills, spam(5), by=moderator, at=later(60))

    for stream, rows in ((Stream.DECISIONS, Decision.objects), (Stream.LABELS, Label.objects)):
        assert FeedEntry.objects.filter(stream=stream).count() == rows.count() == 5
