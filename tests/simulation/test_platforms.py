"""A platform sends only some of what it knows and as much spam as asked for; its moderator errs at times."""

import random
from statistics import mean

import pytest

from simulation import people
from simulation.events import ComplaintEvent, Event, PostEvent, Truth
from simulation.platforms import PlatformKind
from simulation.texts import links
from simulation.world import World
from tests.simulation.seen import START

_ALWAYS = {"external_id", "text", "posted_at", "author"}


def events_of(kind: PlatformKind, *, spam_share: float = 0.2, posts: int = 1500) -> list[Event]:
    world = World(seed=5, run="p", platform=kind, spam_share=spam_share)
    return [*world.run(start=START, seconds_per_post=200, posts=posts), *world.complaints_due()]


def sent(events: list[Event]) -> tuple[set[str], set[str]]:
    """Return the names of the fields that any post holds, and those of its author."""
    posts = [event.payload for event in events if isinstance(event, PostEvent)]
    return set().union(*posts), set().union(*(post["author"] for post in posts))


def test_one_that_sends_texts_sends_nothing_else() -> None:
    events = events_of(PlatformKind.TEXTS)

    assert sent(events) == (_ALWAYS, {"external_id"})
    assert all(isinstance(event, PostEvent) for event in events)


def test_a_messenger_knows_neither_links_nor_audiences() -> None:
    events = events_of(PlatformKind.MESSENGER)
    texts = [event.payload["text"] for event in events if isinstance(event, PostEvent)]

    assert sent(events) == (_ALWAYS | {"user_agent"}, {"external_id", "display_name", "created_at"})
    # Hostile pieces bring a few along.
    assert mean(bool(links(text)) for text in texts) < 0.02


@pytest.mark.parametrize(
    ("kind", "known", "unknown"),
    [
        (PlatformKind.ACCOUNTS, {"followers", "friends", "posts"}, {"ip", "journey", "shares", "parent"}),
        (PlatformKind.FORUM, {"ip", "journey", "posts", "parent"}, {"followers", "friends", "shares"}),
    ],
)
def test_others_send_a_part(kind: PlatformKind, known: set[str], unknown: set[str]) -> None:
    of_posts, of_authors = sent(events_of(kind))

    assert known <= of_posts | of_authors
    assert not unknown & (of_posts | of_authors)


def test_readers_can_be_more_eager_to_complain() -> None:
    def complaints(eagerness: float) -> int:
        world = World(seed=5, run="p", eagerness=eagerness)
        events = [*world.run(start=START, seconds_per_post=200, posts=3000), *world.complaints_due()]
        return sum(isinstance(event, ComplaintEvent) for event in events)

    assert complaints(4.0) > 2 * complaints(1.0)


@pytest.mark.parametrize(
    "spam_share", [0.2, *(pytest.param(share, marks=pytest.mark.long) for share in (0.01, 0.5))]
)
def test_holds_as_much_spam_as_asked_for(spam_share: float) -> None:
    events = events_of(PlatformKind.EVERYTHING, spam_share=spam_share, posts=6000)

    made = mean(event.truth.is_spam for event in events if isinstance(event, PostEvent))

    assert made == pytest.approx(spam_share, rel=0.25)


def test_one_that_knows_audiences_says_how_often_a_post_was_seen() -> None:
    posts = [event.payload for event in events_of(PlatformKind.EVERYTHING) if isinstance(event, PostEvent)]

    views = [post["views"] for post in posts if "views" in post]
    assert len(views) > 0.9 * len(posts)
    assert 5 < sorted(views)[len(views) // 2] < mean(views)
    assert "views" not in sent(events_of(PlatformKind.FORUM))[0]


class TestModerator:
    @pytest.mark.parametrize(("is_hard", "lowest", "highest"), [(True, 0.05, 0.1), (False, 0.01, 0.02)])
    def test_errs_more_often_on_hard_posts(self, is_hard: bool, lowest: float, highest: float) -> None:
        rng = random.Random(1)
        truth = Truth(is_spam=True, kind="task_jobs", language="en", is_hard=is_hard)

        verdicts = [verdict for _ in range(20_000) if (verdict := people.verdict(truth, rng=rng))]

        assert lowest < mean(not verdict.is_spam for verdict in verdicts) < highest

    def test_looks_at_few_posts(self) -> None:
        rng = random.Random(1)
        talk = Truth(is_spam=False, kind="pet_adoption", language="en")

        assert mean(people.verdict(talk, rng=rng) is None for _ in range(5000)) > 0.9
