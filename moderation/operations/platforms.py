"""Take on a platform."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from moderation.models import Platform, User
from moderation.operations import verdict


def register(*, slug: str, name: str, at: datetime, actor: User | None = None) -> Platform:
    """Return the platform of this slug, made now if there is none; a second time changes nothing."""
    with transaction.atomic():
        platform, is_new = Platform.objects.get_or_create(
            slug=slug, defaults={"name": name, "created_at": at}
        )
        if is_new:
            verdict.audit(
                action="platform.registered",
                subject_kind="platform",
                subject_id=platform.pk,
                actor=actor,
                at=at,
            )
    return platform
