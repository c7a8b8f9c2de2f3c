"""Does grouping find campaigns, and what does it cost? Simulated worlds against their own truth.

make bench ARGS=campaigns      (while `make run` is up; its workers wait meanwhile, and nothing stays)

Each world goes through ingest and gathering, a batch at a time as the workers do, in a transaction that is
rolled back. By seed they last days, weeks or months. Of posts in found campaigns: how many agree with their
campaign's most common truth, spam or not (verdict purity), and how many are of one simulated campaign
(purity; honest posts that happen to say the same count against it). Of the posts of simulated spam campaigns:
how many are in one found campaign (completeness). The worlds named `domain` add one link to 30 % of all
posts, `network` puts 30 % behind one address.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from lab import _product
from simulation.events import PostEvent, Truth
from simulation.world import SECONDS_PER_POST, World

if TYPE_CHECKING:
    from moderation.models import Platform
    from moderation.operations.posts.incoming_post import IncomingPost

_BATCH = 64
_START = datetime(2026, 3, 1, tzinfo=UTC)
_SHARE = 0.3
_COMMON_LINK = "https://video-for-everybody.example/watch"
_COMMON_ADDRESS = "192.0.2.200"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What came of one world."""

    campaigns: int
    posts: int
    largest: int
    verdict_purity: float
    purity: float
    spam_purity: float
    completeness: float
    seconds_per_post: np.ndarray


def main() -> None:
    """Replay the worlds and print a line for each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--posts", type=int, default=3000)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    options = parser.parse_args()
    _product.connect()
    print(f"simulated worlds of {options.posts} posts; gathered {_BATCH} at a time")
    print(
        f"{'world':<12}{'campaigns':>10}{'posts in':>10}{'largest':>9}{'verdict purity':>16}{'purity':>8}"
        f"{'of spam':>9}{'completeness':>14}{'ms/post p50':>13}{'p95':>7}"
    )
    for seed in options.seeds:
        _print(f"seed {seed}", _replayed(seed=seed, posts=options.posts, common=""))
    for common in ("domain", "network"):
        _print(common, _replayed(seed=options.seeds[0], posts=options.posts, common=common))


def _replayed(*, seed: int, posts: int, common: str) -> _Found:
    """Replay one world; `common` names what 30 % of its posts share."""
    with _rehearsal(seed=seed) as platform:
        truths: dict[int, Truth] = {}
        seconds: list[float] = []
        for events in _batches(seed=seed, posts=posts):
            batch = _store(platform, events, common=common, rng=random.Random(f"{seed} {events[0].at}"))
            truths |= batch
            seconds.append(_gather(list(batch), at=events[-1].at) / len(batch))
            if len(truths) in range(256, 256 + _BATCH) or len(truths) in range(1024, 1024 + _BATCH):
                _analyze()
        return _measure(truths, seconds_per_post=np.array(seconds))


def _batches(*, seed: int, posts: int) -> Iterator[list[PostEvent]]:
    pace = SECONDS_PER_POST[seed % len(SECONDS_PER_POST)]
    events = World(seed=seed, run=f"bench{seed}").run(start=_START, seconds_per_post=pace, posts=posts)
    posts_of_world = [event for event in events if isinstance(event, PostEvent)]
    for start in range(0, len(posts_of_world), _BATCH):
        yield posts_of_world[start : start + _BATCH]


@contextmanager
def _rehearsal(*, seed: int) -> Iterator[Platform]:
    from django.db import transaction

    from moderation.models import Platform
    from moderation.models.platforms import Removal

    with transaction.atomic():
        yield Platform.objects.create(
            slug=f"bench-{seed}", name="Simulated platform", created_at=_START, removal=Removal.ALWAYS
        )
        transaction.set_rollback(True)


def _store(
    platform: Platform, events: Sequence[PostEvent], *, common: str, rng: random.Random
) -> dict[int, Truth]:
    """Ingest the posts one by one, each at its own instant; return the truth by post."""
    from moderation.operations.posts import ingest
    from simulation import rehearse

    truths: dict[int, Truth] = {}
    for event in events:
        post = _shared(event, common=common, rng=rng)
        (answer,) = rehearse.accept(platform=platform, posts=[post], at=event.at)
        if not isinstance(answer, ingest.Accepted):
            raise SystemExit(f"{answer.external_id} was refused: {answer.detail}")
        truths[answer.post_id] = event.truth
    return truths


def _shared(event: PostEvent, *, common: str, rng: random.Random) -> IncomingPost:
    from simulation.replay import incoming_post

    post = incoming_post(event.payload)
    if not common or rng.random() >= _SHARE:
        return post
    return (
        replace(post, links=(*post.links, _COMMON_LINK))
        if common == "domain"
        else replace(post, ip=_COMMON_ADDRESS)
    )


def _gather(post_ids: Sequence[int], *, at: datetime) -> float:
    """Gather as a worker does; return how many seconds it took."""
    from moderation.models import Revision
    from moderation.operations.campaigns import gather

    revisions = list(Revision.objects.filter(post__in=post_ids).select_related("post").order_by("id"))
    start = time.perf_counter()
    gather.gather(revisions=revisions, at=at)
    return time.perf_counter() - start


def _analyze() -> None:
    """The planner knows nothing of tables that have just been filled, unlike in a product that runs."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("ANALYZE moderation_post, moderation_revision, moderation_postlink")
        cursor.execute("ANALYZE moderation_campaignmember, moderation_similarityband")


def _measure(truths: dict[int, Truth], *, seconds_per_post: np.ndarray) -> _Found:
    from moderation.models import CampaignMember

    home = dict(CampaignMember.objects.filter(post__in=truths).values_list("post_id", "campaign_id"))
    members: dict[int, list[int]] = defaultdict(list)
    for post, campaign in home.items():
        members[campaign].append(post)
    groups = [posts for posts in members.values() if len(posts) > 1]
    spam = [posts for posts in groups if 2 * sum(truths[post].is_spam for post in posts) > len(posts)]
    return _Found(
        campaigns=len(groups),
        posts=sum(map(len, groups)),
        largest=max(map(len, groups), default=0),
        verdict_purity=_agreeing([[truths[post].is_spam for post in posts] for posts in groups]),
        purity=_agreeing([[truths[post].campaign or post for post in posts] for posts in groups]),
        spam_purity=_agreeing([[truths[post].campaign or post for post in posts] for posts in spam]),
        completeness=_completeness(truths, home),
        seconds_per_post=seconds_per_post,
    )


def _agreeing(groups: Sequence[Sequence[object]]) -> float:
    """Return the share of members that say what most of their group say."""
    agreeing = sum(Counter(group).most_common(1)[0][1] for group in groups)
    return agreeing / max(1, sum(map(len, groups)))


def _completeness(truths: dict[int, Truth], home: dict[int, int]) -> float:
    true: dict[str, list[int | None]] = defaultdict(list)
    for post, truth in truths.items():
        if truth.campaign and truth.is_spam:
            true[truth.campaign].append(home.get(post))
    of_several = [homes for homes in true.values() if len(homes) > 1]
    together = [Counter(group for group in homes if group is not None).most_common(1) for homes in of_several]
    return sum(most[0][1] for most in together if most) / max(1, sum(map(len, of_several)))


def _print(world: str, found: _Found) -> None:
    p50, p95 = np.percentile(found.seconds_per_post, (50, 95)) * 1000
    print(
        f"{world:<12}{found.campaigns:>10}{found.posts:>10}{found.largest:>9}{found.verdict_purity:>16.3f}"
        f"{found.purity:>8.3f}{found.spam_purity:>9.3f}{found.completeness:>14.3f}{p50:>13.2f}{p95:>7.2f}"
    )


if __name__ == "__main__":
    main()
