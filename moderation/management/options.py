"""Options shared by commands: times and platforms, with errors that name the option."""

from datetime import datetime

from django.core.management.base import CommandError
from django.utils.dateparse import parse_datetime

from moderation.models import Platform


def platform(slug: str | None) -> int | None:
    """Return the id of the platform with this slug, None for none. Raises CommandError."""
    if slug is None:
        return None
    platform_id = Platform.objects.filter(slug=slug).values_list("pk", flat=True).first()
    if platform_id is None:
        slugs = ", ".join(Platform.objects.order_by("slug").values_list("slug", flat=True))
        raise CommandError(f"--platform: no platform {slug!r}; there are: {slugs}.")
    return platform_id


def period(since: str, until: str) -> tuple[datetime, datetime]:
    """Return the times of --from and --to. Raises CommandError unless the second is the later one."""
    start, end = time(since, "--from"), time(until, "--to")
    if start is None or end is None or start >= end:
        raise CommandError("--to must be later than --from.")
    return start, end


def time(given: str | None, option: str) -> datetime | None:
    """Return the time that an option names, None for none. Raises CommandError."""
    if given is None:
        return None
    try:
        parsed = parse_datetime(given)
    except ValueError:
        parsed = None
    if parsed is None or parsed.tzinfo is None:
        raise CommandError(
            f"{option}: {given!r} is not a time with offset, such as 2026-01-31T00:00:00+00:00."
        )
    return parsed
