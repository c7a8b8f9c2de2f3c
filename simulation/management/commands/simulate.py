"""Be a platform: send simulated posts and complaints through the public API."""

import math
import secrets
from argparse import ArgumentParser
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from simulation.api_client import ApiClient, KeyRefused, Unreachable
from simulation.platforms import PlatformKind
from simulation.sending import Sending
from simulation.texts import CuratedTexts, Families, FileTexts, Part
from simulation.web.shares import Mode
from simulation.world import SPAM_SHARE, World

_POSTS = 1000
_DAYS_AGO = 2.0
# Without the month of simulation/month_file.py; and a rate that is no spike beside it.
_DEMO_POSTS, _DEMO_RATE, _DEMO_SPAM_SHARE = 300, 1 / 150, 0.05
# Over 95 % of spam is never reported; a demo should show complaints.
_DEMO_EAGERNESS = 4.0


class Command(BaseCommand):
    """Simulate a platform; talks to the API only, never to the database."""

    help = (
        "Send simulated posts and complaints through the public API, as a platform would. Nothing is real; "
        "what each post really is goes to simulation/truth.jsonl in the state folder; "
        "what it leads to goes to web.jsonl beside it, for the simulated web of `make run`."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare what to send, how fast and where to."""
        add = parser.add_argument
        add("--posts", type=int, help=f"simulated posts; {_POSTS}, or the rows of --texts, if not given")
        add("--rate", type=float, default=0.0, help="posts per second; 0 is as fast as possible")
        add("--start-days-ago", type=float, help="age of the first post; 2 if --rate is 0, else all are new")
        add("--bulk", type=int, nargs="?", const=200, default=1, help="posts per request (200 if no number)")
        add("--then-rate", type=float, default=0.0, help="go on for ever with so many new posts per second")
        add(
            "--demo",
            action="store_true",
            help="what `make run` does: a gentle stream, after a few days at once if nothing was ever sent",
        )
        add("--seed", type=int, help="the same seed writes the same world; by chance if not given")
        add("--run", help="prefix of all ids, so that runs add up; by chance if not given")
        add(
            "--texts",
            type=Path,
            help="JSON lines with text and label (1 is spam) in place of simulated texts",
        )
        add(
            "--platform-kind",
            choices=list(PlatformKind),
            default=PlatformKind.EVERYTHING,
            help="what the platform sends: everything, only some of it, or texts",
        )
        add("--spam-share", type=float, default=SPAM_SHARE, help="share of spam among simulated texts")
        add("--eagerness", type=float, default=1.0, help="how many times as often as usual readers complain")
        add("--url", help="address of the server; the local one if not given")
        add("--key", help="API key; read from --key-file if not given")
        add("--key-file", type=Path, help="file with the API key; that of the demo if not given")
        add("--patience", type=float, default=600.0, help="seconds to go on trying while the server is away")

    def handle(self, *_: Any, **options: Any) -> None:
        """Send, and say what came of it; exit code 1 if anything was refused or could not be sent."""
        truth = Path(settings.STATE_DIR) / "simulation" / "truth.jsonl"
        if options["demo"]:
            options |= _demo(is_first=not truth.exists())
        world = self._world(options)
        url = options["url"] or f"http://127.0.0.1:{settings.WEB_PORT}"
        with (
            ApiClient(url=url, key=_key(options), patience_seconds=options["patience"]) as api,
            Sending(
                api=api,
                truth=truth,
                bulk=max(1, options["bulk"]),
                rate=options["rate"],
                complain=self.stderr.write,
            ) as sending,
        ):
            try:
                _send(sending, world=world, options=options, at=timezone.now())
            except (KeyRefused, Unreachable) as failure:
                raise CommandError(f"{failure}\n{sending}") from None
            except KeyboardInterrupt:
                self.stderr.write("stopped")
        self.stdout.write(f"{sending}; truth in {truth}")
        if sending.refused:
            raise CommandError(f"{sending.refused} were refused.")

    def _world(self, options: dict[str, Any]) -> World:
        seed = options["seed"] if options["seed"] is not None else secrets.randbelow(10**6)
        run = options["run"] or f"sim-{secrets.token_hex(4)}"
        texts = _texts(options["texts"])
        if options["posts"] is None:
            options["posts"] = len(texts) if texts else _POSTS
        self.stdout.write(f"Simulated platform: run {run}, seed {seed}, {options['posts']} posts")
        return World(
            seed=seed,
            run=run,
            texts=texts or (CuratedTexts(part=Part.AFTERWARDS) if options["demo"] else Families.KEPT_OUT),
            spam_share=options["spam_share"],
            platform=PlatformKind(options["platform_kind"]),
            eagerness=options["eagerness"],
            leads=Mode.ORDINARY,
        )


def _send(sending: Sending, *, world: World, options: dict[str, Any], at: datetime) -> None:
    """Send the past first, then live posts if asked for."""
    posts, rate, days = options["posts"], options["rate"], options["start_days_ago"]
    if days is None:
        days = 0.0 if rate else _DAYS_AGO
    if days and posts:
        start = at - timedelta(days=days)
        spacing = days * 86_400 / posts
        sending.send(world.run(start=start, seconds_per_post=spacing, posts=posts), is_live=False)
        sending.send(world.complaints_due(until=at), is_live=False)
    elif posts:
        sending.send(world.run(start=at, seconds_per_post=1 / (rate or 1), posts=posts), is_live=True)
    if options["then_rate"]:
        now = timezone.now()
        sending.send(world.run(start=now, seconds_per_post=1 / options["then_rate"]), is_live=True)


def _demo(*, is_first: bool) -> dict[str, Any]:
    """Return the options of `make run`: a past to look at when there is none yet, then a gentle stream."""
    return {
        "posts": _DEMO_POSTS if is_first else 0,
        "bulk": 50,
        "start_days_ago": _DAYS_AGO,
        "then_rate": _DEMO_RATE,
        "spam_share": _DEMO_SPAM_SHARE,
        "eagerness": _DEMO_EAGERNESS,
        "patience": math.inf,
    }


def _key(options: dict[str, Any]) -> str:
    """Return the API key. Raises CommandError saying where one comes from."""
    if options["key"]:
        return str(options["key"])
    file = options["key_file"] or Path(settings.STATE_DIR) / "secrets" / "demo-api-key"
    try:
        return file.read_text().strip()
    except OSError as failure:
        raise CommandError(
            f"{file}: {failure.strerror}. `make run` writes the demo's key there; "
            "for another platform run `manage.py create_api_key` and give --key or --key-file."
        ) from failure


def _texts(path: Path | None) -> FileTexts | None:
    if path is None:
        return None
    try:
        return FileTexts.load(path)
    except (OSError, ValueError, KeyError, TypeError) as failure:
        raise CommandError(f"{path} cannot be used as texts: {failure!r}") from failure
