"""Drift is watched block by block; what has grown is named with its posts."""

import random
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import count

import pytest

from moderation.models import (
    AuditEntry,
    Author,
    DriftAlarm,
    DriftBlock,
    DriftWatch,
    Notification,
    Post,
    Revision,
    User,
)
from moderation.operations.quality import drift
from moderation.operations.refusals import NotAllowed
from moderation.queries.quality.drift_reference import BLOCK
from tests.moderation.conftest import Case_, copies
from tests.moderation.instants import AT

DAYS, HONEST, PLANTED = 8, 30, 6
WORDS = ("river", "cat", "garden", "music", "train", "rain", "bread", "coffee", "window", "letter", "brother")
Store = Callable[..., None]


@pytest.fixture
def start() -> datetime:
    return AT.replace(hour=0)


@pytest.fixture
def store(open_case: Case_) -> Store:
    """Store scored posts of as many authors, in one block: copies of a scored one with other texts."""
    case = open_case()
    numbers = count(1)

    def write(
        texts: list[str], *, at: datetime, probability: float = 0.02, is_one_author: bool = False
    ) -> None:
        names = [f"author-{next(numbers)}" for _ in texts]
        authors = Author.objects.bulk_create(
            Author(platform=case.post.platform, external_id=name, first_seen_at=at) for name in names
        )
        writers = authors[:1] * len(names) if is_one_author else authors
        posts = copies(
            case.post,
            [
                {"external_id": f"p-{name}", "author_id": author.pk, "received_at": at}
                for name, author in zip(names, writers, strict=True)
            ],
        )
        revisions = copies(
            case.score.revision,
            [
                {"post_id": post.pk, "text": text, "received_at": at}
                for post, text in zip(posts, texts, strict=True)
            ],
        )
        scored = {"spam_probability": probability, "route": "allow", "scored_at": at}
        copies(case.score, [scored | {"revision_id": one.pk} for one in revisions])

    return write


def blocks(start: datetime, days: int) -> Iterator[datetime]:
    return (start + number * BLOCK for number in range(days * 6))


@pytest.fixture
def quiet(store: Store, start: datetime) -> datetime:
    """Eight days of talk; return when they end."""
    Post.objects.update(received_at=start)
    dice = random.Random(1)
    for moment in blocks(start, DAYS):
        store([" ".join(dice.sample(WORDS, 4)) for _ in range(HONEST)], at=moment)
    return start + timedelta(days=DAYS)


def planted(quiet: datetime, store: Store, *, is_one_author: bool = False) -> datetime:
    """Add a day of talk with a campaign that the model is blind to; return when it ends."""
    dice = random.Random(2)
    for moment in blocks(quiet, 1):
        store([" ".join(dice.sample(WORDS, 4)) for _ in range(HONEST)], at=moment)
        store(
            [f"{dice.choice(WORDS)} golden harvest fund" for _ in range(PLANTED)],
            at=moment,
            is_one_author=is_one_author,
        )
    return quiet + timedelta(days=1, hours=1)


def watch_until(at: datetime) -> None:
    while drift.sweep(at=at):
        pass


class TestSweep:
    def test_names_a_campaign_within_a_day(self, quiet: datetime, store: Store, lead: User) -> None:
        end = planted(quiet, store)

        watch_until(end)

        [alarm] = DriftAlarm.objects.all()
        assert {"golden", "golden harvest", "harvest fund"} <= {one["trait"] for one in alarm.traits}
        assert alarm.raised_at <= end
        assert alarm.mean_probability == pytest.approx(0.02)
        texts = Revision.objects.filter(post__in=alarm.sample).values_list("text", flat=True)
        assert all("golden harvest" in text for text in texts)
        told = Notification.objects.get()
        assert (told.kind, told.user) == ("drift", lead)
        assert (told.subject, told.platform) == (str(alarm.pk), alarm.platform)

    def test_is_silent_where_nothing_grows(self, quiet: datetime) -> None:
        watch_until(quiet + timedelta(hours=1))

        assert not DriftAlarm.objects.exists()
        assert DriftBlock.objects.count() == DAYS * 6

    @pytest.mark.whole
    def test_takes_no_flood_of_one_account_for_drift(self, quiet: datetime, store: Store) -> None:
        end = planted(quiet, store, is_one_author=True)

        watch_until(end)

        assert not DriftAlarm.objects.exists()

    @pytest.mark.long
    def test_adds_to_the_alarm_while_the_campaign_lasts(self, quiet: datetime, store: Store) -> None:
        end = planted(planted(quiet, store) - timedelta(hours=1), store)

        watch_until(end)

        assert DriftAlarm.objects.count() == 1

    @pytest.mark.whole
    def test_waits_until_a_block_is_over_and_scored(self, quiet: datetime) -> None:
        watch_until(quiet + timedelta(minutes=29))
        before = DriftBlock.objects.count()

        watch_until(quiet + timedelta(minutes=30))

        assert DriftBlock.objects.count() == before + 1

    @pytest.mark.whole
    def test_goes_on_where_it_stopped(self, quiet: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(drift, "POSTS_A_RUN", HONEST * 3)

        done = drift.sweep(at=quiet + timedelta(hours=1))

        assert done == 3
        assert DriftWatch.objects.get().next_at == DriftBlock.objects.latest("starts_at").starts_at + BLOCK

    def test_counts_nothing_without_posts(self, platform: object) -> None:
        assert drift.sweep(at=AT) == 0


class TestAcknowledge:
    @pytest.fixture
    def alarm(self, open_case: Case_) -> DriftAlarm:
        return DriftAlarm.objects.create(
            platform=open_case().post.platform, raised_at=AT, seen_at=AT, posts=1, all_posts=2, traits=[],
            slices=[], mean_probability=0.1, sample=[],
        )  # fmt: skip

    def test_notes_the_first_lead(self, alarm: DriftAlarm, lead: User) -> None:
        drift.acknowledge(alarm_id=alarm.pk, actor=lead, at=AT)
        drift.acknowledge(alarm_id=alarm.pk, actor=lead, at=AT + timedelta(hours=1))

        alarm.refresh_from_db()
        assert (alarm.acknowledged_by, alarm.acknowledged_at) == (lead, AT)
        assert AuditEntry.objects.filter(action="drift.acknowledged").count() == 1

    def test_is_for_leads(self, alarm: DriftAlarm, moderator: User) -> None:
        with pytest.raises(NotAllowed):
            drift.acknowledge(alarm_id=alarm.pk, actor=moderator, at=AT)
