"""Create and rename platforms. Their webhook endpoints are in `webhooks`, their keys in `api_keys`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from moderation.models import Platform, User
from moderation.models.platforms import Collecting, Reconsidering, Removal
from moderation.operations.audit import entries

_audit = entries.writer("platform")
_COLUMNS = {
    "collects": "collects_evidence",
    "browses": "browses_evidence",
    "first_share": "audit_first_share",
    "cases_per_day": "audit_cases_per_day",
}
"""Of choices that are not called like their column."""


class SlugTaken(Exception):
    """Another platform has this short name."""


def register(*, slug: str, name: str, at: datetime, removal: Removal = Removal.PROVEN) -> Platform:
    """Return the platform of this slug, created if there is none. Idempotent."""
    with transaction.atomic():
        platform, is_new = Platform.objects.get_or_create(
            slug=slug, defaults={"name": name, "created_at": at, "removal": removal}
        )
        if is_new:
            _audit("platform.registered", platform, actor=None, at=at)
    return platform


def create(*, slug: str, name: str, actor: User, at: datetime) -> Platform:
    """Create a platform. Raises SlugTaken."""
    try:
        with transaction.atomic():
            platform = Platform.objects.create(slug=slug, name=name, created_at=at)
            _audit("platform.registered", platform, actor=actor, at=at)
    except IntegrityError:
        raise SlugTaken(slug) from None
    return platform


def rename(*, platform_id: int, name: str, actor: User, at: datetime) -> Platform:
    """Change the display name; the slug stays, since keys and records hold it."""
    return _change("platform.renamed", platform_id=platform_id, actor=actor, at=at, name=name)


def collect_evidence(
    *, platform_id: int, collects: Collecting, browses: Collecting, actor: User, at: datetime
) -> Platform:
    """Choose for which posts linked pages are fetched, and for which of them as a browser, too.

    Earlier evidence is kept.
    """
    chosen = {"collects": collects, "browses": browses}
    return _change("platform.evidence_chosen", platform_id=platform_id, actor=actor, at=at, **chosen)


def choose_removal(*, platform_id: int, removal: Removal, actor: User, at: datetime) -> Platform:
    """Choose when the filter alone removes posts; earlier proof stays valid."""
    return _change("platform.removal_chosen", platform_id=platform_id, actor=actor, at=at, removal=removal)


def sample(
    *,
    platform_id: int,
    first_share: float | None,
    cases_per_day: int,
    reconsiders: Reconsidering,
    shares_histories: bool,
    actor: User,
    at: datetime,
) -> Platform:
    """Limit the audit sample of a platform; without a first share the installation's applies."""
    return _change(
        "platform.sampled",
        platform_id=platform_id,
        actor=actor,
        at=at,
        first_share=first_share,
        cases_per_day=cases_per_day,
        reconsiders=reconsiders,
        shares_histories=shares_histories,
    )


def _change(action: str, *, platform_id: int, actor: User, at: datetime, **chosen: Any) -> Platform:
    columns = {_COLUMNS.get(name, name): value for name, value in chosen.items()}
    with transaction.atomic():
        platform = Platform.objects.select_for_update().get(pk=platform_id)
        for name, value in columns.items():
            setattr(platform, name, value)
        platform.save(update_fields=columns)
        _audit(action, platform, actor=actor, at=at, **chosen)
    return platform
