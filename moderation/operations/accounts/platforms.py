"""Create and rename platforms. Their webhook endpoints are in `webhooks`, their keys in `api_keys`."""

from __future__ import annotations

from datetime import datetime

from django.db import IntegrityError, transaction

from moderation.models import Platform, User
from moderation.models.platforms import Collecting, Reconsidering, Removal
from moderation.operations.audit import entries

_audit = entries.writer("platform")


class SlugTaken(Exception):
    """Another platform has this short name."""


def register(
    *,
    slug: str,
    name: str,
    at: datetime,
    removal: Removal = Removal.PROVEN,
    actor: User | None = None,
) -> Platform:
    """Return the platform of this slug, created if there is none. Idempotent."""
    with transaction.atomic():
        platform, is_new = Platform.objects.get_or_create(
            slug=slug, defaults={"name": name, "created_at": at, "removal": removal}
        )
        if is_new:
            _audit("platform.registered", platform, actor=actor, at=at)
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
    with transaction.atomic():
        platform = Platform.objects.select_for_update().get(pk=platform_id)
        platform.name = name
        platform.save(update_fields=("name",))
        _audit("platform.renamed", platform, actor=actor, at=at, name=name)
    return platform


def collect_evidence(
    *, platform_id: int, collects: Collecting, browses: Collecting, actor: User, at: datetime
) -> Platform:
    """Choose for which posts linked pages are fetched, and for which of them as a browser, too.

    Earlier evidence is kept.
    """
    with transaction.atomic():
        platform = Platform.objects.select_for_update().get(pk=platform_id)
        platform.collects_evidence, platform.browses_evidence = collects, browses
        platform.save(update_fields=("collects_evidence", "browses_evidence"))
        _audit(
            "platform.evidence_chosen",
            platform,
            actor=actor,
            at=at,
            collects=collects.value,
            browses=browses.value,
        )
    return platform


def choose_removal(*, platform_id: int, removal: Removal, actor: User, at: datetime) -> Platform:
    """Choose when the filter alone removes posts; earlier proof stays valid."""
    with transaction.atomic():
        platform = Platform.objects.select_for_update().get(pk=platform_id)
        platform.removal = removal
        platform.save(update_fields=("removal",))
        _audit("platform.removal_chosen", platform, actor=actor, at=at, removal=removal.value)
    return platform


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
    with transaction.atomic():
        platform = Platform.objects.select_for_update().get(pk=platform_id)
        platform.audit_first_share, platform.audit_cases_per_day = first_share, cases_per_day
        platform.reconsiders, platform.shares_histories = reconsiders, shares_histories
        platform.save(
            update_fields=("audit_first_share", "audit_cases_per_day", "reconsiders", "shares_histories")
        )
        _audit(
            "platform.sampled",
            platform,
            actor=actor,
            at=at,
            first_share=first_share,
            cases_per_day=cases_per_day,
            reconsiders=reconsiders.value,
            shares_histories=shares_histories,
        )
    return platform
