"""Feeds: what was told is not undone, what is undone is not told, decisions of a post keep their order."""

from collections.abc import Callable

import pytest

from moderation.models import CampaignDecision, Decision, Delivery, FeedEntry, Platform, User
from moderation.models.decisions import Verdict
from moderation.models.deliveries import DeliveryState
from moderation.models.feed import Stream
from moderation.operations.campaigns import campaign_reversals
from moderation.operations.cases import reversals
from moderation.operations.outbox import feed
from moderation.operations.posts import ingest
from moderation.operations.scoring import score
from tests.moderation.conftest import Case_
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import later
from tests.moderation.operations.conftest import Decided
from tests.moderation.operations.outbox.feeds import Poller, claimed, held


class TestUndo:
    """Whoever undoes read the clock in time, was stopped, and goes on when the platform was told."""

    def test_is_too_late_once_a_poller_was_told(
        self, platform: Platform, decided: Decided, moderator: User
    ) -> None:
        made = decided(at=later(2))
        poller = Poller(platform)
        assert poller.poll(later(20)) == [made.pk]

        with pytest.raises(reversals.TooLate):
            reversals.undo(decision_id=made.pk, moderator=moderator, at=later(11.9))

        assert not hasattr(Decision.objects.get(pk=made.pk), "reversal")

    def test_is_too_late_once_a_delivery_was_attempted(
        self, webhook: Platform, decided: Decided, moderator: User
    ) -> None:
        made = decided(at=later(2))
        [delivery] = claimed(webhook, at=later(12))

        with pytest.raises(reversals.TooLate):
            reversals.undo(decision_id=made.pk, moderator=moderator, at=later(11.9))

        delivery.refresh_from_db()
        assert delivery.state == DeliveryState.WAITING

    @pytest.mark.django_db(transaction=True)
    def test_is_too_late_while_an_attempt_is_being_claimed(
        self, webhook: Platform, decided: Decided, moderator: User
    ) -> None:
        """And does not wait for it: two that wait for one another's rows would be ended by the database."""
        made = decided(at=later(2))

        with held(lambda: claimed(webhook, at=later(12))), pytest.raises(reversals.TooLate):
            reversals.undo(decision_id=made.pk, moderator=moderator, at=later(11.9))

    def test_in_time_leaves_nothing_to_be_told(
        self, webhook: Platform, decided: Decided, moderator: User
    ) -> None:
        made = decided(at=later(2))
        reversals.undo(decision_id=made.pk, moderator=moderator, at=later(11.9))

        assert Poller(webhook).poll(later(600)) == []
        assert not FeedEntry.objects.exists()
        assert {row.state for row in Delivery.objects.all()} == {DeliveryState.CANCELLED}

    def test_of_a_campaign_is_too_late_once_one_post_was_told(
        self, ruling: CampaignDecision, platform: Platform, moderator: User
    ) -> None:
        feed.number(platform_id=platform.pk, stream=Stream.DECISIONS, at=later(80), limit=1)

        with pytest.raises(reversals.TooLate):
            campaign_reversals.undo(campaign_decision_id=ruling.pk, moderator=moderator, at=later(69))

        assert len(Poller(platform).poll(later(80))) == 5

    @pytest.mark.django_db(transaction=True)
    def test_that_is_stopped_before_its_commit_is_not_told_meanwhile(
        self, platform: Platform, decided: Decided, moderator: User
    ) -> None:
        made, other = decided(at=later(2)), decided(at=later(2))
        poller = Poller(platform)

        with held(lambda: reversals.undo(decision_id=made.pk, moderator=moderator, at=later(3))):
            during = poller.poll(later(60))

        assert during == [other.pk]
        assert poller.poll(later(60)) == []


class TestOrderOfAPost:
    def test_a_correction_in_the_time_to_undo_follows_its_original_at_once(
        self, platform: Platform, decided: Decided, moderator: User
    ) -> None:
        wrong = decided(at=later(2))
        right = reversals.correct(
            decision_id=wrong.pk, verdict=Verdict.NOT_SPAM, moderator=moderator, at=later(4)
        )

        assert Poller(platform).poll(later(7)) == [wrong.pk, right.pk]

    def test_a_correction_never_overtakes_an_attempt_that_has_begun(
        self, webhook: Platform, decided: Decided, moderator: User
    ) -> None:
        wrong = decided(at=later(2))
        [first] = claimed(webhook, at=later(12))

        right = reversals.correct(
            decision_id=wrong.pk, verdict=Verdict.NOT_SPAM, moderator=moderator, at=later(13)
        )

        [second] = Delivery.objects.filter(decision=right)
        assert (first.sequence, second.sequence) == (1, 2)
        assert claimed(webhook, at=later(14)) == []

    def test_the_filter_waits_behind_a_human_whom_nobody_heard_yet(
        self,
        platform: Platform,
        open_case: Case_,
        decided: Decided,
        incoming: Callable[..., object],
        fake_scorer: FakeScorer,
    ) -> None:
        case = open_case(external_id="edited")
        human = decided(at=later(2), case=case)
        fake_scorer.default = 0.99
        edited = incoming(external_id="edited", revision=2, text="Cheap pills, today only, example.com")
        [answer] = ingest.accept(platform=platform, posts=[edited], at=later(4))  # type: ignore[list-item]
        assert isinstance(answer, ingest.Accepted)
        score.run(revision_ids=[answer.revision_id], at=later(5))

        machine = Decision.objects.get(source="automatic")

        assert machine.effective_at == human.effective_at
        assert Poller(platform).poll(later(60)) == [human.pk, machine.pk]
