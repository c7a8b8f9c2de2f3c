"""The instant at which most tests begin, and those after it."""

from datetime import UTC, datetime, timedelta

AT = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def later(seconds: float) -> datetime:
    """Return the instant so many seconds after `AT`."""
    return AT + timedelta(seconds=seconds)
