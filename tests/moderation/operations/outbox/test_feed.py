"""Feeds: nothing enters behind a reader, however late its transaction commits; labels have their own."""

import random
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from moderation.models import Campaign, Case, Decision, FeedEntry, FeedHead, Label, Platform, User
from moderation.models.decisions import Verdict
from moderation.models.feed import Stream
from moderation.operations.campaigns import campaign_decisions, decide_large
from moderation.operations.cases import claims, reversals, review
from moderation.operations.erasure import erase
from moderation.operations.outbox import feed
from tests.moderation.conftest import Case_
from tests.moderation.instants import later
from tests.moderation.operations.campaigns.campaign_posts import decide, spam
from tests.moderation.operations.conftest import Decided
from tests.moderation.operations.outbox.feeds import Poller, held


@pytest.mark.django_db(transaction=True)
class TestLateCommits:
    def test_a_decision_that_commits_behind_a_newer_one_is_read_after_it(
        self, platform: Platform, open_case: Case_, decided: Decided
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
        decided: Decided,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """As it was found: pieces of one past instant, others meanwhile, and 1,709 of 3,209 never read."""
        monkeypatch.setattr(campaign_decisions, "AT_ONCE", 1)
        monkeypatch.setattr(decide_large, "PIECE", 1)
        poller = Poller(platform)
        made = decide(pills, spam(5), by=moderator, at=later(60))

        while decide_large.run_piece(campaign_decision_id=made.pk, at=later(70)):
            decided(at=later(70))
            poller.poll(later(100))

        assert sorted(poller.seen) == sorted(Decision.objects.values_list("pk", flat=True))
        assert len(poller.seen) == 10

    def test_a_transaction_held_open_does_not_stop_the_feed(
        self, platform: Platform, open_case: Case_, decided: Decided
    ) -> None:
        poller, late = Poller(platform), open_case()

        with held(lambda: decided(at=later(10), case=late)):
            for minute in range(10):
                made = decided(at=later(60 * minute))
                assert poller.poll(later(60 * minute + 30)) == [made.pk]


@pytest.mark.django_db(transaction=True)
class TestSequencer:
    def test_one_that_is_stopped_blocks_no_reader(self, platform: Platform, decided: Decided) -> None:
        first = decided(at=later(0))
        poller = Poller(platform)
        assert poller.poll(later(60)) == [first.pk]
        second = decided(at=later(60))

        with held(lambda: feed.number(platform_id=platform.pk, stream=Stream.DECISIONS, at=later(120))):
            third = decided(at=later(70))
            during = poller.poll(later(200))
        after = poller.poll(later(200))

        assert (during, after) == ([], [second.pk, third.pk])

    def test_an_idle_poll_writes_nothing(self, platform: Platform, decided: Decided) -> None:
        decided(at=later(0))
        Poller(platform).poll(later(60))

        with held(lambda: FeedHead.objects.select_for_update().get(platform=platform, stream="decisions")):
            assert len(Poller(platform).poll(later(120))) == 1

    def test_gives_dense_numbers_and_times_that_never_step_back(
        self, platform: Platform, decided: Decided
    ) -> None:
        """Also where one server's clock is an hour behind."""
        decided(at=later(0))
        Poller(platform).poll(later(4_000))
        decided(at=later(5))
        Poller(platform).poll(later(400))

        rows = FeedEntry.objects.filter(stream="decisions").values_list("number", "entered_at")

        assert list(rows) == [(1, later(4_000)), (2, later(4_000))]

    def test_sweeps_what_nobody_polls(self, decided: Decided) -> None:
        decided(at=later(0))
        decided(at=later(0))

        assert feed.sweep(at=later(11)) == 0
        assert feed.sweep(at=later(60)) == 4  # two decisions, two labels
        assert feed.sweep(at=later(60)) == 0

    def test_four_pollers_and_four_writers_at_once(
        self, platform: Platform, open_case: Case_, moderator: User
    ) -> None:
        cases = [open_case() for _ in range(24)]
        for case in cases:
            claims.claim(case_id=case.pk, moderator=moderator, at=later(2))
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


def test_a_poller_goes_on_after_a_restore(platform: Platform, decided: Decided) -> None:
    """The backup is older than the cursor: numbers that were given before are given again, but later."""
    poller = Poller(platform)
    lost = [decided(at=later(when)).pk for when in (10, 20, 30)]
    assert poller.poll(later(60)) == lost
    FeedEntry.objects.all().delete()
    FeedHead.objects.update(number=0, entered_at=None)
    made = decided(at=later(90))

    assert poller.poll(later(120)) == [made.pk]
    assert FeedEntry.objects.get(decision=made, stream="decisions").number == 1


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

    def test_never_tells_an_undone_label(self, platform: Platform, decided: Decided, moderator: User) -> None:
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
