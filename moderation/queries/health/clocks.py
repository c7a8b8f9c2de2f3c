"""Times in the database that a clock set back has made too late.

A lease is short. One that ends later than any lease taken now could was taken before a clock was set back: it
is over, or what it holds would wait for as long as the clock was moved.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Q

APART = timedelta(minutes=5)
"""Two machines' clocks may differ by so much without one taking the other's leases for old ones."""


def has_passed(field: str, *, at: datetime, longest: timedelta) -> Q:
    """Match rows whose time has come: it has passed, or is further away than the longest that it can be."""
    return Q(**{f"{field}__lte": at}) | is_too_far(field, at=at, longest=longest)


def is_too_far(field: str, *, at: datetime, longest: timedelta) -> Q:
    """Match rows whose time lies further in the future than the longest that it can."""
    return Q(**{f"{field}__gt": at + longest + APART})


def passed(moment: datetime, *, at: datetime, longest: timedelta) -> bool:
    """Tell of one time what `has_passed` matches."""
    return moment <= at or moment > at + longest + APART
