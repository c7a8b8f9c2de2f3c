"""Stored times that lie too far in the future because a clock was set back.

A lease is short. One that ends later than any lease taken now could was taken before a clock was set back: it
counts as over; otherwise its row would wait for as long as the clock was moved.
"""

from datetime import datetime, timedelta

from django.db.models import Q

APART = timedelta(minutes=5)
"""Tolerated difference between the clocks of two machines."""


def has_passed(field: str, *, at: datetime, longest: timedelta) -> Q:
    """Match rows whose time has passed, or is further in the future than it can legitimately be."""
    return Q(**{f"{field}__lte": at}) | is_too_far(field, at=at, longest=longest)


def is_too_far(field: str, *, at: datetime, longest: timedelta) -> Q:
    """Match rows whose time is further in the future than it can legitimately be."""
    return Q(**{f"{field}__gt": at + longest + APART})


def passed(moment: datetime, *, at: datetime, longest: timedelta) -> bool:
    """Apply the condition of `has_passed` to one time."""
    return moment <= at or moment > at + longest + APART
