"""Score stored records again: with the release that scored them, or with another one to compare."""

from argparse import ArgumentParser
from collections import Counter
from collections.abc import Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from moderation import scorer
from moderation.management import options
from moderation.operations.releases import replay, store
from moderation.operations.releases.replay import Compared, Replayed

_SHOWN = 10


class Command(BaseCommand):
    help = (
        "Score stored records again. Without --release each with the release that scored it: the numbers must"
        " be the same. With it all with that release: what would be different. Nothing is written."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--scores", type=int, default=1_000, help="how many, drawn at random")
        parser.add_argument("--platform", help="only this platform's posts")
        parser.add_argument("--release", help="the id of a kept release, or how it begins")

    def handle(self, *_: Any, scores: int, platform: str | None, release: str | None, **__: Any) -> None:
        drawn = replay.drawn(count=scores, platform_id=options.platform(platform))
        if release is None:
            self._replay(replay.replay(drawn), wanted=scores)
            return
        try:
            release_id = store.id_of(release)
            self._compare(replay.compare(drawn, release_id=release_id), release_id=release_id)
        except (*scorer.UNUSABLE, replay.ContentAway) as refused:
            raise CommandError(f"--release: {refused}") from refused

    def _replay(self, scores: Sequence[Replayed], *, wanted: int) -> None:
        releases = len({row.release_id for row in scores})
        self.stdout.write(f"{len(scores)} stored scores of {releases} release(s)")
        self.stdout.write(f"{'':<10}{'replayed':>10}{'largest difference':>22}{'tolerance':>12}")
        self._largest("trees", [row.trees for row in scores], tolerance=replay.TREES_TOLERANCE)
        self._largest("content", [row.content for row in scores], tolerance=replay.CONTENT_TOLERANCE)
        apart = [row for row in scores if not row.is_equal or row.why]
        for row in apart[:_SHOWN]:
            self.stdout.write(
                f"score {row.score_id} of {row.release_id[:12]}: {row.trees} {row.content} {row.why}"
            )
        if apart:
            raise CommandError(f"{len(apart)} differ or could not be replayed.")
        if not scores:
            raise CommandError("No score is stored that could be replayed.")
        if len(scores) < wanted:
            self.stdout.write(f"{wanted - len(scores)} fewer than asked for: there are no more")

    def _largest(self, part: str, differences: Sequence[float | None], *, tolerance: float) -> None:
        values = [difference for difference in differences if difference is not None]
        largest = max(values, default=float("nan"))
        self.stdout.write(f"{part:<10}{len(values):>10}{largest:>22.2e}{tolerance:>12.0e}")

    def _compare(self, scores: Sequence[Compared], *, release_id: str) -> None:
        if not scores:
            raise CommandError("No score is stored that could be compared.")
        moved = sorted(scores, key=lambda row: -abs(row.after - row.before))
        average = sum(abs(row.after - row.before) for row in scores) / len(scores)
        most = abs(moved[0].after - moved[0].before)
        self.stdout.write(
            f"{len(scores)} stored scores again with {release_id[:12]}: the spam probability moves by"
            f" {average:.4f} on average, by {most:.4f} at most"
        )
        routes = Counter((row.route_before, row.route_after) for row in scores)
        for (before, after), count in sorted(routes.items()):
            self.stdout.write(f"{before:>8} -> {after:<8}{count:>8}")
        for row in moved[:_SHOWN]:
            before, after = (f"{row.before:.4f} {row.route_before}", f"{row.after:.4f} {row.route_after}")
            self.stdout.write(f"score {row.score_id}: {before} -> {after}")
