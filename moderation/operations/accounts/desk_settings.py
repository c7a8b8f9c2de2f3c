"""Change what holds for the whole installation; `moderation.models.desk_settings` reads it."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from moderation.models import DeskSettings, User, desk_settings
from moderation.operations.audit import entries
from moderation.operations.infrastructure import egress, vault
from moderation.operations.refusals import NotAllowed

_audit = entries.writer("desk")
_KEY, _URL = "translation_key", "translation_url"


def change(*, actor: User, at: datetime, **chosen: object) -> None:
    """Set columns; every process follows within `desk_settings.KEPT_SECONDS`. Only changes are logged.

    The translation's key goes with its address: another address needs it anew, so that nobody can have the
    key sent elsewhere. Raises NotAllowed, egress.Refused or vault.MissingKey.
    """
    if not actor.may_administer:
        raise NotAllowed(_("Only administrators change settings."))
    if chosen.get(_URL):
        egress.check(str(chosen[_URL]))
    if _KEY in chosen or _URL in chosen:
        key = str(chosen.get(_KEY, ""))
        chosen[_KEY] = vault.encrypt(key) if key else ""
    with transaction.atomic():
        DeskSettings.objects.get_or_create()
        row = DeskSettings.objects.select_for_update().get()
        if before := entries.replaced(row, chosen):
            row.save(update_fields=before)
            after = {name: chosen[name] for name in before}
            secret = {_KEY: "…"} if _KEY in before else {}
            _audit("desk.changed", row, actor=actor, at=at, **after | secret, before=before | secret)
            transaction.on_commit(desk_settings.forget)
