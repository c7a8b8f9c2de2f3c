"""Create platforms, change their settings. Webhook endpoints are in `webhooks`, keys in `api_keys`."""

from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from moderation.models import ActionRule, Platform, PlatformDeletion, User, desk_settings
from moderation.models.platforms import Removal
from moderation.operations.audit import entries
from moderation.operations.refusals import PlatformDeleted

_audit = entries.writer("platform")
_audit_action = entries.writer(
    "platform",
    subject_id="platform_id",
    chosen="action",
    **{name: name for name in ("verdict", "reason", "decided_by", "days", "needs_second_name")},
)


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


def change(*, platform_id: int, actor: User, at: datetime, **chosen: Any) -> Platform:
    """Set columns of a platform; the slug stays, since keys and records hold it. Only changes are logged.

    Earlier evidence is kept, and earlier proof of removals stays valid.
    """
    with transaction.atomic():
        platform = Platform.objects.select_for_update().get(pk=platform_id)
        if before := entries.replaced(platform, chosen):
            platform.save(update_fields=before)
            after = {name: chosen[name] for name in before}
            _audit("platform.changed", platform, actor=actor, at=at, **after, before=before)
    return platform


def switch_off(*, platform_id: int, actor: User, at: datetime) -> None:
    """Take nothing in from a platform, send it nothing, and hide its cases; a second time changes nothing."""
    with transaction.atomic():
        if Platform.objects.filter(pk=platform_id, off_at=None).update(off_at=at):
            _audit("platform.switched_off", Platform.objects.get(pk=platform_id), actor=actor, at=at)
    desk_settings.forget()


def switch_on(*, platform_id: int, actor: User, at: datetime) -> None:
    """Let a platform go on where it was, and withdraw a proposal to delete it.

    Raises PlatformDeleted.
    """
    with transaction.atomic():
        platform = Platform.objects.select_for_update().get(pk=platform_id)
        if platform.is_deleted:
            raise PlatformDeleted
        PlatformDeletion.objects.filter(platform=platform).delete()
        platform.off_at = None
        platform.save(update_fields=("off_at",))
        _audit("platform.switched_on", platform, actor=actor, at=at)
    desk_settings.forget()


def set_action(*, platform_id: int, about: dict[str, Any], actor: User, at: datetime, **chosen: Any) -> None:
    """Choose the action after decisions of a kind, instead of the one that was chosen before.

    `about` is their verdict, reason and who decided, `chosen` the other columns of the rule.
    """
    with transaction.atomic():
        kind = {"platform_id": platform_id} | about
        rule, _ = ActionRule.objects.update_or_create(defaults=chosen, **kind)
        _audit_action("platform.action_set", rule, actor=actor, at=at)


def remove_action(*, rule_id: int, actor: User, at: datetime) -> int:
    """Remove a rule, and return the id of its platform; what it chose stays."""
    with transaction.atomic():
        rule = ActionRule.objects.select_for_update().get(pk=rule_id)
        _audit_action("platform.action_removed", rule, actor=actor, at=at)
        rule.delete()
    return rule.platform_id
