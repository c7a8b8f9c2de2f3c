"""Several generated worlds, as the tests of realism look at them."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from simulation.events import ComplaintEvent, PostEvent
from simulation.platforms import Network
from simulation.texts import Families
from simulation.world import SECONDS_PER_POST, World

START = datetime(2026, 10, 1, tzinfo=UTC)
_POSTS = 2500


@dataclass(slots=True)
class Seen:
    """The posts and complaints of several worlds, and the network that each world is."""

    posts: list[PostEvent] = field(default_factory=list)
    complaints: list[ComplaintEvent] = field(default_factory=list)
    networks: dict[str, Network] = field(default_factory=dict)

    def of_class(self, *, is_spam: bool) -> list[PostEvent]:
        return [post for post in self.posts if post.truth.is_spam == is_spam]

    def described(self, *, network: Network | None = None) -> list[PostEvent]:
        """Return the posts of which the author's account is known."""
        return [
            post
            for post in self.posts
            if "friends" in post.payload["author"] and network in (None, self.networks[run_of(post)])
        ]


def worlds(seeds: Iterable[int], *, spam_share: float = 0.2) -> Seen:
    """Generate a world of 2,500 posts for each seed, by turns on each network."""
    seen = Seen()
    for seed in seeds:
        run, network = f"w{seed}", list(Network)[seed % 2]
        seen.networks[run] = network
        world = World(seed=100 + seed, run=run, texts=Families.TRAIN, network=network, spam_share=spam_share)
        pace = SECONDS_PER_POST[seed % 3]
        events = [*world.run(start=START, seconds_per_post=pace, posts=_POSTS), *world.complaints_due()]
        seen.posts += [event for event in events if isinstance(event, PostEvent)]
        seen.complaints += [event for event in events if isinstance(event, ComplaintEvent)]
    return seen


def run_of(post: PostEvent) -> str:
    return str(post.payload["external_id"]).partition("-")[0]


def author_of(post: PostEvent) -> str:
    return str(post.payload["author"]["external_id"])
