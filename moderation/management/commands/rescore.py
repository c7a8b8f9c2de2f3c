"""manage.py rescore: score posts again, by platform, release, time or state."""

import time
from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from moderation.management import options
from moderation.models import Release
from moderation.models.posts import ScoreState
from moderation.operations import rescore
from moderation.operations.rescore import Progress, Wanted

_LINE_SECONDS = 5.0


class Command(BaseCommand):
    help = (
        "Score posts again: their latest revisions, the oldest first, but for those that a human has judged. "
        "Automatic decisions follow the new scores, and platforms are told."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--platform", help="the slug of the only platform whose posts are scored again")
        parser.add_argument(
            "--release", help="only what this release scored last: its id, or the beginning of it"
        )
        parser.add_argument("--since", help="received at or after this time (ISO 8601 with offset)")
        state = parser.add_mutually_exclusive_group()
        state.add_argument("--degraded", action="store_true", help="only what lacked the content model")
        state.add_argument("--dead", action="store_true", help="only what made scoring fail eight times")
        parser.add_argument("--all", action="store_true", help="every post, where nothing else is named")
        parser.add_argument(
            "--after", type=int, default=0, metavar="ID", help="go on after the id that a stopped run named"
        )

    def handle(
        self,
        *_: Any,
        platform: str | None = None,
        release: str | None = None,
        since: str | None = None,
        after: int = 0,
        **flags: Any,
    ) -> None:
        """Say how many, then go through them; this can be stopped at any time."""
        is_named = any((platform, release, since, flags["degraded"], flags["dead"]))
        if is_named == flags["all"]:
            raise CommandError("Name --platform, --release, --since, --degraded or --dead; or else --all.")
        selection = Wanted(
            until=timezone.now(),
            since=options.time(since, "--since"),
            platform_id=options.platform(platform),
            release_id=_release(release),
            states=_states(is_degraded=flags["degraded"], is_dead=flags["dead"]),
        )
        self.stdout.write(f"{rescore.count(selection)} posts to score again")
        progress = _Shown(write=self.stdout.write, reached_id=after)
        try:
            rescored = rescore.run(
                selection, after_id=after, now=timezone.now, pause=time.sleep, progress=progress.show
            )
        except KeyboardInterrupt:
            raise CommandError(f"Stopped; go on with --after {progress.reached_id}.") from None
        self.stdout.write(f"{rescored} posts are scored again")


class _Shown:
    """Writes how far it is, a line every few seconds, and remembers where to go on."""

    def __init__(self, *, write: Callable[[str], object], reached_id: int) -> None:
        self.reached_id = reached_id
        self._write = write
        self._written_at = -_LINE_SECONDS

    def show(self, made: Progress) -> None:
        self.reached_id = made.reached_id
        if time.monotonic() - self._written_at >= _LINE_SECONDS:
            self._written_at = time.monotonic()
            self._write(
                f"{made.rescored} put back, {made.waiting} wait for workers; "
                f"to go on after a stop: --after {made.reached_id}"
            )


def _states(*, is_degraded: bool, is_dead: bool) -> frozenset[ScoreState]:
    if is_dead:
        return frozenset({ScoreState.DEAD})
    return frozenset({ScoreState.DEGRADED}) if is_degraded else rescore.SCORED


def _release(beginning: str | None) -> str | None:
    """Return the id of the release that begins with this."""
    if beginning is None:
        return None
    ids = list(Release.objects.filter(pk__startswith=beginning).order_by("pk").values_list("pk", flat=True))
    if len(ids) != 1:
        latest = Release.objects.order_by("-first_used_at", "id").values_list("pk", flat=True)[:5]
        there = ", ".join(release_id[:12] for release_id in latest)
        raise CommandError(f"--release: {len(ids)} releases begin with {beginning!r}; the latest: {there}.")
    return ids[0]
