"""Write the ensemble's training set: simulated worlds, replayed through the code that serves."""

import json
import logging
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TextIO

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from moderation.operations.evidence import collect
from simulation import scratch_database
from simulation.platforms import Network, PlatformKind
from simulation.replay import Frozen, Pace, Replay
from simulation.simulated_means import Collecting, Readings, opinions_of
from simulation.texts import Families
from simulation.web.shares import Mode
from simulation.world import SECONDS_PER_POST, SPAM_SHARE, World

# Fixed, so that the same seed gives the same file on every day.
_START = datetime(2026, 3, 1, tzinfo=UTC)
# Small worlds: in one large one, nearly every wording would have been seen and judged before.
_WORLD_POSTS = 2500
_BACKLOG_EVERY = 5, (0, 2)
"""Of every five worlds, which ones are handed over as a backlog."""
# What the platform of each world sends, and what its accounts look like; then again from the first.
_PLATFORMS = (
    (PlatformKind.EVERYTHING, Network.MICROBLOG),
    (PlatformKind.ACCOUNTS, Network.PHOTO),
    (PlatformKind.EVERYTHING, Network.PHOTO),
    (PlatformKind.FORUM, Network.MICROBLOG),
    (PlatformKind.EVERYTHING, Network.MICROBLOG),
    (PlatformKind.MESSENGER, Network.PHOTO),
)


class Command(BaseCommand):
    """Replay, freeze, write; all in a scratch database."""

    help = (
        "Write simulated records with their truth as JSON lines, for `python -m training ensemble`. "
        "The simulated posts pass through a database of their own beside the product's, which stays empty."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare how many posts, which seed and where to write."""
        parser.add_argument("--posts", type=int, default=12_000, help="simulated posts, one record each")
        parser.add_argument("--seed", type=int, default=7, help="the same seed writes the same file")
        parser.add_argument(
            "--bare-worlds",
            type=int,
            default=0,
            help=f"how many of the worlds, of {_WORLD_POSTS:,} posts each, are of a platform that sends "
            "texts and author ids, and nothing else ever",
        )
        parser.add_argument(
            "--platform-kind",
            choices=list(PlatformKind),
            help="one kind of platform for all worlds; by turns if not given",
        )
        parser.add_argument(
            "--spam-share",
            type=float,
            default=SPAM_SHARE,
            help=f"share of spam among the posts; {SPAM_SHARE} to train on, 0.001 to 0.01 to evaluate as "
            "on a real platform",
        )
        parser.add_argument(
            "--web",
            choices=list(Mode),
            help="what posts lead to, collected with the readers that serve; nowhere if not given. ordinary: "
            "to train on; hidden: all spam has harmless words and says the rest elsewhere; attacks: so, too, "
            "but pages cloak or turn, and pictures are altered copies",
        )
        parser.add_argument(
            "--families",
            choices=list(Families),
            default=Families.KEPT_OUT,
            help="families of texts, pages, pictures and captions: those to train on or those kept out",
        )
        parser.add_argument(
            "--collect-after-hours",
            type=float,
            default=0.0,
            help="when evidence is collected; 30 is after pages have turned",
        )
        parser.add_argument(
            "--readings",
            type=Path,
            help="file that keeps what was read in pictures, so that no run reads them again",
        )
        parser.add_argument(
            "--triton",
            help="with --web, where the shipped release is asked whether a post is spam by its words or by "
            "what it leads to, when it is decided; without, every verdict is taken for one on words",
        )
        parser.add_argument("--out", type=Path, required=True, help="the .jsonl file to write")

    def handle(
        self, *_: Any, posts: int, bare_worlds: int, spam_share: float, out: Path, **rest: Any
    ) -> None:
        """Write the file and say what it holds."""
        if not 0 <= bare_worlds <= len(_sizes(posts)):
            raise CommandError(
                f"--bare-worlds must be 0 to {len(_sizes(posts))}, the worlds of {posts} posts."
            )
        if not 0 < spam_share < 1:
            raise CommandError("--spam-share must lie between 0 and 1.")
        # Each address is worth a line where a worker fetches it, not here.
        logging.getLogger(collect.__name__).setLevel(logging.WARNING)
        out.parent.mkdir(parents=True, exist_ok=True)
        unfinished = out.with_name(f"{out.name}.unfinished")
        kind = PlatformKind(rest["platform_kind"]) if rest["platform_kind"] else None
        with (
            scratch_database.used() as database,
            unfinished.open("w", encoding="utf-8") as file,
            Readings(kept_in=rest["readings"]) as readings,
        ):
            worlds = Worlds(
                posts=posts,
                seed=rest["seed"],
                bare_worlds=bare_worlds,
                spam_share=spam_share,
                families=Families(rest["families"]),
                platform_kind=kind,
                collecting=_collecting(rest, readings=readings),
            )
            records, spam = worlds.write(file)
        unfinished.replace(out)  # so that a file under its own name is whole
        self.stdout.write(f"{records} simulated records ({spam} spam) in {out}, by database {database}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Worlds:
    """Worlds to write. The last `bare_worlds` are of platforms that tell nothing but texts and author ids."""

    posts: int
    seed: int
    bare_worlds: int = 0
    spam_share: float = SPAM_SHARE
    families: Families = Families.KEPT_OUT
    platform_kind: PlatformKind | None = None
    collecting: Collecting | None = None

    def write(self, file: TextIO) -> tuple[int, int]:
        """Write one record per simulated post; return how many there are and how many are spam.

        Each world is rolled back, so that the next one starts from an empty database, too.
        """
        total = spam = 0
        for number, size in enumerate(_sizes(self.posts)):
            with transaction.atomic():
                replay = self.replay(number, posts=size)
                frozen = list(_progress(replay.records(), before=total, total=self.posts))
                for record in frozen:
                    _write(file, record)
                transaction.set_rollback(True)
            total += len(frozen)
            spam += sum(record.truth.is_spam for record in frozen)
        return total, spam

    def replay(self, number: int, *, posts: int) -> Replay:
        """Return a world of a platform that hands over a backlog, or of one that sends what appears."""
        every, backlogs = _BACKLOG_EVERY
        seconds = SECONDS_PER_POST[number % len(SECONDS_PER_POST)]
        if number % every in backlogs:
            start = _START - timedelta(seconds=seconds * posts)
            pace = Pace(start=start, seconds_per_post=seconds, speed=4000, batch=25, soon_seconds=0.2)
        else:
            pace = Pace(start=_START, seconds_per_post=seconds, speed=1, batch=1, soon_seconds=1)
        kind, network = _PLATFORMS[number % len(_PLATFORMS)]
        is_bare = number >= len(_sizes(self.posts)) - self.bare_worlds
        run, seed = f"simulated-{self.seed}-{number}", 1000 * self.seed + number
        world = World(
            seed=seed,
            run=run,
            texts=self.families,
            spam_share=self.spam_share,
            platform=PlatformKind.TEXTS if is_bare else self.platform_kind or kind,
            network=network,
            leads=self.collecting.leads if self.collecting else None,
        )
        return Replay(world=world, seed=seed, run=run, posts=posts, pace=pace, collecting=self.collecting)


def _collecting(options: dict[str, Any], *, readings: Readings) -> Collecting | None:
    if not options["web"]:
        return None
    return Collecting(
        leads=Mode(options["web"]),
        after_hours=options["collect_after_hours"],
        readings=readings,
        opinions=opinions_of(options["triton"]) if options["triton"] else None,
    )


def _sizes(posts: int) -> list[int]:
    """Return the number of posts of each world, equal but for the rounding."""
    worlds = max(1, round(posts / _WORLD_POSTS))
    return [posts * (number + 1) // worlds - posts * number // worlds for number in range(worlds)]


def _write(file: TextIO, one: Frozen) -> None:
    line = {
        "record": one.record.to_json(),
        "is_spam": one.truth.is_spam,
        "kind": one.truth.kind,
        # All worlds draw from the same texts: whole families stay on one side of a split.
        "group": f"words of {one.truth.words or one.truth.kind}",
    }
    # Where spam with harmless words hides its message, its honest twins, the families of the wording (a
    # reader is judged on unseen ones), and the tricks against readers.
    names = ("hides_in", "twin_in", "families", "tricks")
    line |= {name: value for name in names if (value := getattr(one.truth, name))}
    file.write(json.dumps(line, ensure_ascii=False) + "\n")


def _progress(frozen: Iterator[Frozen], *, before: int, total: int) -> Iterator[Frozen]:
    """Pass records on and keep one line up to date, on a terminal only."""
    for number, record in enumerate(frozen, start=before + 1):
        if sys.stderr.isatty() and number % 50 == 0:
            sys.stderr.write(f"\r{number} of {total} simulated records")
            sys.stderr.flush()
        yield record
