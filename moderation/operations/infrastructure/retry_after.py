"""The header Retry-After of an answer."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

MOST_SECONDS = 86_400


def seconds(given: bytes) -> float:
    """Read Retry-After (RFC 9110 §10.2.3), seconds or a date; 0 for anything else."""
    text = given.decode("ascii", "replace").strip()
    if text.isdigit():
        return float(min(int(text[:9]), MOST_SECONDS))
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return 0.0
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    rest = (date - datetime.now(UTC)).total_seconds()
    return min(max(rest, 0.0), MOST_SECONDS)
