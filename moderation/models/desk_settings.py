"""What is set for the whole installation while it runs; each process remembers it."""

from __future__ import annotations

import time
from contextlib import suppress

from django.contrib.postgres.fields import ArrayField
from django.db import DEFAULT_DB_ALIAS, Error, models, transaction
from django.db.models import Q, Value

from moderation.models.named_queues import NamedQueue
from moderation.models.platforms import Platform

_NO_ID = 0
KEPT_SECONDS = 5.0
"""After so long, every process follows a change."""

LIMITS = {
    "undo_seconds": (1, 600),
    "lease_seconds": (30, 900),
    "ban_posts": (0, 100_000),
    "campaign_purity_percent": (50, 99),
    "campaign_check_percent": (1, 100),
    "audit_first_percent": (1, 100),
    "degraded_seconds": (0, 86_400),
    "training_days": (0, 365),
    "digest_days": (0, 365),
    "session_hours": (1, 168),
    "idle_minutes": (0, 10_080),
    "posts_per_minute": (1, 100_000_000),
}
"""The least and the greatest value of each number."""

MOST_UNDO_SECONDS = LIMITS["undo_seconds"][1]
"""What waits for its time to undo never waits longer, whatever was set when it began."""

AGENT = "Mozilla/5.0 (compatible; Spamdesk/0.1; fetches pages that users post, to find spam)"
_ONLY = 1


def _number(default: int) -> models.PositiveIntegerField[int, int]:
    return models.PositiveIntegerField(default=default, db_default=default)


class DeskSettings(models.Model):
    """The settings; without the row, each has its default. Units are in the names."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=_ONLY, db_default=_ONLY)
    undo_seconds = _number(10)
    lease_seconds = _number(120)
    ban_posts = _number(10)
    campaign_purity_percent = _number(90)
    campaign_check_percent = _number(20)
    audit_first_percent = _number(20)
    degraded_seconds = _number(120)
    training_days = _number(0)
    digest_days = _number(30)
    session_hours = _number(12)
    idle_minutes = _number(0)
    posts_per_minute = _number(600_000)
    names_networks = models.BooleanField(default=False, db_default=False)
    second_factor_roles = ArrayField(
        models.CharField(max_length=16),
        default=list,
        db_default=Value([], output_field=ArrayField(models.CharField(max_length=16))),
        blank=True,
        help_text="Roles that must have a second factor before anything else.",
    )
    evidence_obeys_robots = models.BooleanField(default=False, db_default=False)
    evidence_agent = models.CharField(max_length=200, default=AGENT, db_default=AGENT)
    translation_url = models.CharField(max_length=300, blank=True, default="", db_default="")
    translation_key = models.TextField(blank=True, default="", db_default="", help_text="Encrypted.")
    has_exclusive_queues = True
    """No column: whether any named queue keeps its cases from others, remembered with the settings."""
    platforms_off: frozenset[int] = frozenset()
    """No column either: the platforms that are switched off."""

    class Meta:
        constraints = (
            models.CheckConstraint(condition=Q(id=_ONLY), name="one_row_of_desk_settings"),
            *(
                models.CheckConstraint(condition=Q(**{f"{name}__range": limits}), name=f"{name}_in_range")
                for name, limits in LIMITS.items()
            ),
        )


class _Kept:
    row, until = DeskSettings(), 0.0


def current() -> DeskSettings:
    """Return the settings, at most KEPT_SECONDS old; do not change the row.

    While the database does not answer, or has no table yet, the last known ones, at first the defaults.
    """
    if time.monotonic() >= _Kept.until:
        _Kept.until = time.monotonic() + KEPT_SECONDS  # first: other threads go on with what is known
        # In a savepoint: a refused statement must not end the caller's transaction.
        with suppress(Error), transaction.atomic(using=DEFAULT_DB_ALIAS):
            row = DeskSettings.objects.using(DEFAULT_DB_ALIAS).first() or DeskSettings()
            queues = NamedQueue.objects.using(DEFAULT_DB_ALIAS).filter(is_exclusive=True)
            off = Platform.objects.using(DEFAULT_DB_ALIAS).filter(off_at__isnull=False)
            found = off.order_by().values_list("pk").union(queues.order_by().values_list(Value(_NO_ID)))
            ids = {pk for (pk,) in found}
            row.has_exclusive_queues = _NO_ID in ids
            row.platforms_off = frozenset(ids - {_NO_ID})
            _Kept.row = row  # only now: without these it would show cases of platforms that are off
    return _Kept.row


def forget() -> None:
    """Read the settings anew at the next use."""
    _Kept.until = 0.0
