"""Feeds: nothing enters behind a reader, however late its transaction commits; nothing told is undone."""

from __future__ import annotations

import importlib
import random
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime, timedelta

import pytest
from django.apps import apps
from django.db import connection, transaction

from moderation.models import (
    Campaign,
    Case,
    Decision,
    Delivery,
    FeedEntry,
    FeedHead,
    Label,
    Platform,
    User,
    WebhookEndpoint,
)
from moderation.models.cases import Verdict
from moderation.models.deliveries import DeliveryState
from moderation.models.feed import Stream
from moderation.operations import (
    attempts,
    campaign,
    campaign_carry,
    campaign_reverse,
    erase,
    feed,
    ingest,
    reverse,
    review,
    score,
)
from moderation.queries.feeds import AnyPosition, EarlierPosition
from tests.moderation.fakes import FakeScorer
from tests.moderation.operations.campaigns import spam

Later = Callable[[float], datetime]
Case_ = Callable[..., Case]


class Poller:
    """Reads a feed by its cursor, as a platform does."""

    def __init__(self, platform: Platform, *, limit: int = 100, stream: Stream = Stream.DECISIONS) -> None:
        self.platform, self.limit, self.stream = platform, limit, stream
        self.cursor: AnyPosition | None = None
        self.seen: list[int] = []

    def poll(self, at: datetime) -> list[int]:
        """Read on to the end; return the decisions that were new."""
        new: list[int] = []
        while True:
            page = feed.read(
                platform=self.platform,
                stream=self.stream,
                since=None,
                cursor=self.cursor,
                limit=self.limit,
                at=at,
            )
            new += [entry.decision_id for entry in page.rows]
            self.cursor = page.end
            if not page.has_more:
                self.seen += new
                return new


@contextmanager
def held(act: Callable[[], object]) -> Iterator[None]:
    """Do something in a transaction of another connection, which commits at the end of the block."""
    is_done, may_commit = threading.Event(), threading.Event()

    def run() -> None:
        try:
            with transaction.atomic():
                act()
                is_done.set()
                may_commit.wait(60)
        finally:
            is_done.set()
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(run)
        assert is_done.wait(60)
        try:
            yield
        finally:
            may_commit.set()
            running.result(60)


def claimed(platform: Platform, *, at: datetime) -> list[Delivery]:
    """Claim what is due at the platform's endpoint, as a worker does that is stopped before it sends."""
    endpoint = WebhookEndpoint.objects.get(platform=platform)
    return attempts.claim(endpoint_id=endpoint.pk, limit=10, at=at)


@pytest.fixture
def decided(open_case: Case_, moderator: User) -> Callable[..., Decision]:
    """Open a case and decide it; `case` names one that is open."""

    def run(*, at: datetime, case: Case | None = None) -> Decision:
        case = case or open_case()
        review.claim(case_id=case.pk, moderator=moderator, at=at)
        return review.decide(
            case_id=case.pk, case_version=case.version, moderator=moderator, verdict=Verdict.SPAM, at=at
        )

    return run


@pytest.mark.django_db(transaction=True)
class TestLateCommits:
    def test_a_decision_that_commits_behind_a_newer_one_is_read_after_it(
        self, platform: Platform, open_case: Case_, decided: Callable[..., Decision], later: Later
    ) -> None:
        poller, late = Poller(platform), open_case()

        with held(lambda: decided(at=later(10), case=late)):
            newer = decided(at=later(600))
            before = poller.poll(later(1_000))
        after = poller.poll(later(1_000))

        assert before == [newer.pk]
        assert after == [Decision.objects.get(case=late).pk]
        assert poller.poll(later(1_000)) == []

    def test_pieces_of_a_campaign_that_commit_late_are_all_read(
        self,
        pills: Campaign,
        platform: Platform,
        moderator: User,
        decided: Callable[..., Decision],
        monkeypatch: pytest.MonkeyPatch,
        later: Later,
    ) -> None:
        """As it was found: pieces of one past instant, others meanwhile, and 1,709 of 3,209 never read."""
        monkeypatch.setattr(campaign, "AT_ONCE", 1)
        monkeypatch.setattr(campaign_carry, "PIECE", 1)
        poller = Poller(platform)
        made = campaign.decide(campaign_id=pills.pk, wanted=spam(5), moderator=moderator, at=later(60))

        while campaign_carry.carry_on(campaign_decision_id=made.pk, at=later(70)):
            decided(at=later(70))
            poller.poll(later(100))

        assert sorted(poller.seen) == sorted(Decision.objects.values_list("pk", flat=True))
        assert len(poller.seen) == 10

    def test_a_transaction_held_open_does_not_stop_the_feed(
        self, platform: Platform, open_case: Case_, decided: Callable[..., Decision], later: Later
    ) -> None:
        poller, late = Poller(platform), open_case()

        with held(lambda: decided(at=later(10), case=late)):
            for minute in range(10):
                made = decided(at=later(60 * minute))
                assert poller.poll(later(60 * minute + 30)) == [made.pk]


@pytest.mark.django_db(transaction=True)
class TestSequencer:
    def test_one_that_is_stopped_blocks_no_reader(
        self, platform: Platform, decided: Callable[..., Decision], later: Later
    ) -> None:
        first = decided(at=later(0))
        poller = Poller(platform)
        assert poller.poll(later(60)) == [first.pk]
        second = decided(at=later(60))

        with held(lambda: feed.number(platform_id=platform.pk, stream=Stream.DECISIONS, at=later(120))):
            third = decided(at=later(70))
            during = poller.poll(later(200))
        after = poller.poll(later(200))

        assert (during, after) == ([], [second.pk, third.pk])

    def test_an_idle_poll_writes_nothing(
        self, platform: Platform, decided: Callable[..., Decision], later: Later
    ) -> None:
        decided(at=later(0))
        Poller(platform).poll(later(60))

        with held(lambda: FeedHead.objects.select_for_update().get(platform=platform, stream="decisions")):
            assert len(Poller(platform).poll(later(120))) == 1

    def test_gives_dense_numbers_and_times_that_never_step_back(
        self, platform: Platform, decided: Callable[..., Decision], later: Later
    ) -> None:
        """Also where one server's clock is an hour behind."""
        decided(at=later(0))
        Poller(platform).poll(later(4_000))
        decided(at=later(5))
        Poller(platform).poll(later(400))

        rows = FeedEntry.objects.filter(stream="decisions").values_list("number", "entered_at")

        assert list(rows) == [(1, later(4_000)), (2, later(4_000))]

    def test_sweeps_what_nobody_polls(
        self, platform: Platform, decided: Callable[..., Decision], later: Later
    ) -> None:
        decided(at=later(0))
        decided(at=later(0))

        assert feed.sweep(at=later(11)) == 0
        assert feed.sweep(at=later(60)) == 4  # two decisions, two labels
        assert feed.sweep(at=later(60)) == 0

    def test_four_pollers_and_four_writers_at_once(
        self, platform: Platform, open_case: Case_, moderator: User, at: datetime, later: Later
    ) -> None:
        cases = [open_case() for _ in range(24)]
        for case in cases:
            review.claim(case_id=case.pk, moderator=moderator, at=later(2))
        writing = threading.Event()
        pollers = [Poller(platform, limit=limit) for limit in (1, 2, 7, 100)]

        def write(mine: list[Case]) -> None:
            try:
                for case in mine:
                    with transaction.atomic():
                        review.decide(
                            case_id=case.pk,
                            case_version=case.version,
                            moderator=moderator,
                            verdict=Verdict.SPAM,
                            at=later(3 + random.uniform(0, 5)),
                        )
                        threading.Event().wait(random.uniform(0, 0.02))
            finally:
                connection.close()

        def read(poller: Poller) -> None:
            try:
                while not writing.is_set():
                    poller.poll(later(600))
            finally:
                connection.close()

        with ThreadPoolExecutor(8) as pool:
            reading = [pool.submit(read, poller) for poller in pollers]
            for one in [pool.submit(write, cases[number::4]) for number in range(4)]:
                one.result(60)
            writing.set()
            for one in reading:
                one.result(60)
        for poller in pollers:
            poller.poll(later(600))

        assert [len(poller.seen) for poller in pollers] == [24] * 4
        assert {tuple(poller.seen) for poller in pollers} == {tuple(pollers[0].seen)}
        assert len(set(pollers[0].seen)) == 24


@pytest.mark.django_db
def test_a_poller_goes_on_after_a_restore(
    platform: Platform, decided: Callable[..., Decision], later: Later
) -> None:
    """The backup is older than the cursor: numbers that were given before are given again, but later."""
    poller = Poller(platform)
    lost = [decided(at=later(when)).pk for when in (10, 20, 30)]
    assert poller.poll(later(60)) == lost
    FeedEntry.objects.all().delete()
    FeedHead.objects.update(number=0, entered_at=None)
    made = decided(at=later(90))

    assert poller.poll(later(120)) == [made.pk]
    assert FeedEntry.objects.get(decision=made, stream="decisions").number == 1


class TestUndo:
    """Whoever undoes read the clock in time, was stopped, and goes on when the platform was told."""

    def test_is_too_late_once_a_poller_was_told(
        self, platform: Platform, decided: Callable[..., Decision], moderator: User, later: Later
    ) -> None:
        made = decided(at=later(2))
        poller = Poller(platform)
        assert poller.poll(later(20)) == [made.pk]

        with pytest.raises(reverse.TooLate):
            reverse.undo(decision_id=made.pk, moderator=moderator, at=later(11.9))

        assert not hasattr(Decision.objects.get(pk=made.pk), "reversal")

    def test_is_too_late_once_a_delivery_was_attempted(
        self, webhook: Platform, decided: Callable[..., Decision], moderator: User, later: Later
    ) -> None:
        made = decided(at=later(2))
        [delivery] = claimed(webhook, at=later(12))

        with pytest.raises(reverse.TooLate):
            reverse.undo(decision_id=made.pk, moderator=moderator, at=later(11.9))

        delivery.refresh_from_db()
        assert delivery.state == DeliveryState.WAITING

    @pytest.mark.django_db(transaction=True)
    def test_is_too_late_while_an_attempt_is_being_claimed(
        self, webhook: Platform, decided: Callable[..., Decision], moderator: User, later: Later
    ) -> None:
        """And does not wait for it: two that wait for one another's rows would be ended by the database."""
        made = decided(at=later(2))

        with (
            held(lambda: claimed(webhook, at=later(12))),
            pytest.raises(reverse.TooLate),
        ):
            reverse.undo(decision_id=made.pk, moderator=moderator, at=later(11.9))

    def test_in_time_leaves_nothing_to_be_told(
        self, webhook: Platform, decided: Callable[..., Decision], moderator: User, later: Later
    ) -> None:
        made = decided(at=later(2))
        reverse.undo(decision_id=made.pk, moderator=moderator, at=later(11.9))

        assert Poller(webhook).poll(later(600)) == []
        assert not FeedEntry.objects.exists()
        assert {row.state for row in Delivery.objects.all()} == {DeliveryState.CANCELLED}

    def test_of_a_campaign_is_too_late_once_one_post_was_told(
        self, pills: Campaign, platform: Platform, moderator: User, later: Later
    ) -> None:
        made = campaign.decide(campaign_id=pills.pk, wanted=spam(5), moderator=moderator, at=later(60))
        feed.number(platform_id=platform.pk, stream=Stream.DECISIONS, at=later(80), limit=1)

        with pytest.raises(reverse.TooLate):
            campaign_reverse.undo(campaign_decision_id=made.pk, moderator=moderator, at=later(69))

        assert len(Poller(platform).poll(later(80))) == 5

    @pytest.mark.django_db(transaction=True)
    def test_that_is_stopped_before_its_commit_is_not_told_meanwhile(
        self, platform: Platform, decided: Callable[..., Decision], moderator: User, later: Later
    ) -> None:
        made, other = decided(at=later(2)), decided(at=later(2))
        poller = Poller(platform)

        with held(lambda: reverse.undo(decision_id=made.pk, moderator=moderator, at=later(3))):
            during = poller.poll(later(60))

        assert during == [other.pk]
        assert poller.poll(later(60)) == []


class TestOrderOfAPost:
    def test_a_correction_in_the_time_to_undo_follows_its_original_at_once(
        self, platform: Platform, decided: Callable[..., Decision], moderator: User, later: Later
    ) -> None:
        wrong = decided(at=later(2))
        right = reverse.correct(
            decision_id=wrong.pk, verdict=Verdict.NOT_SPAM, moderator=moderator, at=later(4)
        )

        assert Poller(platform).poll(later(7)) == [wrong.pk, right.pk]

    def test_a_correction_never_overtakes_an_attempt_that_has_begun(
        self, webhook: Platform, decided: Callable[..., Decision], moderator: User, later: Later
    ) -> None:
        wrong = decided(at=later(2))
        [first] = claimed(webhook, at=later(12))

        right = reverse.correct(
            decision_id=wrong.pk, verdict=Verdict.NOT_SPAM, moderator=moderator, at=later(13)
        )

        [second] = Delivery.objects.filter(decision=right)
        assert (first.sequence, second.sequence) == (1, 2)
        assert claimed(webhook, at=later(14)) == []

    def test_the_filter_waits_behind_a_human_whom_nobody_heard_yet(
        self,
        platform: Platform,
        open_case: Case_,
        decided: Callable[..., Decision],
        incoming: Callable[..., object],
        fake_scorer: FakeScorer,
        later: Later,
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


class TestLabels:
    def test_tells_of_a_label_once_nobody_can_undo_it_and_of_its_retraction(
        self, platform: Platform, decided: Callable[..., Decision], moderator: User, later: Later
    ) -> None:
        poller = Poller(platform, stream=Stream.LABELS)
        wrong = decided(at=later(2))
        before, first = poller.poll(later(11)), poller.poll(later(20))
        right = reverse.correct(
            decision_id=wrong.pk, verdict=Verdict.NOT_SPAM, moderator=moderator, at=later(30)
        )

        assert (before, first) == ([], [wrong.pk])
        assert poller.poll(later(40)) == [wrong.pk, right.pk]
        rows = FeedEntry.objects.filter(stream="labels").order_by("number")
        assert [row.is_retraction for row in rows] == [False, True, False]

    def test_an_undone_label_is_never_told(
        self, platform: Platform, decided: Callable[..., Decision], moderator: User, later: Later
    ) -> None:
        made = decided(at=later(2))
        reverse.undo(decision_id=made.pk, moderator=moderator, at=later(5))

        assert Poller(platform, stream=Stream.LABELS).poll(later(60)) == []

    def test_erasing_its_post_retracts_it(
        self, platform: Platform, decided: Callable[..., Decision], later: Later
    ) -> None:
        made = decided(at=later(2))
        poller = Poller(platform, stream=Stream.LABELS)
        poller.poll(later(20))
        erase.post(post_id=made.post_id, at=later(30))

        assert poller.poll(later(40)) == [made.pk]
        assert FeedEntry.objects.filter(stream="labels", is_retraction=True).count() == 1


class TestUpgrade:
    """Rows of the release before, which knew no feeds."""

    @staticmethod
    def number() -> None:
        migration = importlib.import_module("moderation.migrations.0035_decisions_into_feeds")
        with connection.schema_editor(atomic=False) as editor:
            migration._BATCH = 2
            migration.number(apps, editor)

    @pytest.mark.django_db(transaction=True)
    def test_numbers_in_the_old_order_and_twice_changes_nothing(
        self, platform: Platform, decided: Callable[..., Decision], moderator: User, later: Later
    ) -> None:
        made = [decided(at=later(when)) for when in (30, 10, 20, 10)]
        undone = decided(at=later(15))
        reverse.undo(decision_id=undone.pk, moderator=moderator, at=later(16))
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


def test_every_label_and_decision_has_its_entry(
    pills: Campaign, platform: Platform, moderator: User, later: Later
) -> None:
    campaign.decide(campaign_id=pills.pk, wanted=spam(5), moderator=moderator, at=later(60))

    for stream, rows in ((Stream.DECISIONS, Decision.objects), (Stream.LABELS, Label.objects)):
        assert FeedEntry.objects.filter(stream=stream).count() == rows.count() == 5
