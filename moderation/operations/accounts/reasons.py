"""Change the reasons that a moderator can give. A used reason is retired, never deleted."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from moderation.models import Reason, User
from moderation.operations.audit import entries
from moderation.operations.refusals import Refusal

_TOLD = ("code", "title", "titles", "guidelines", "digit", "is_active")
_audit = entries.writer("reason", **{name: name for name in _TOLD})


class CodeTaken(Exception):
    """Another reason has this code."""


class DigitTaken(Refusal):
    """Another active reason has this digit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """The texts of a reason, and when it is proposed.

    `title` is English; `titles` and `guidelines` are by language code, without those that nobody wrote.
    """

    title: str
    titles: Mapping[str, str] = field(default_factory=dict)
    guidelines: Mapping[str, str] = field(default_factory=dict)
    digit: int
    verdict: str
    needs_note: bool
    signals: tuple[str, ...]


def add(*, code: str, wording: Wording, actor: User, at: datetime) -> None:
    """Add a reason. Raises CodeTaken or DigitTaken."""
    if Reason.objects.filter(code=code).exists():
        raise CodeTaken(code)
    _save(Reason(code=code, is_active=True), wording, action="reason.added", actor=actor, at=at)


def change(*, reason_id: int, wording: Wording, is_active: bool, actor: User, at: datetime) -> None:
    """Change a reason or retire it; its code stays, since platforms know it. Raises DigitTaken."""
    with transaction.atomic():
        reason = Reason.objects.select_for_update().get(pk=reason_id)
        reason.is_active = is_active
        _save(reason, wording, action="reason.changed", actor=actor, at=at)


def _save(reason: Reason, wording: Wording, *, action: str, actor: User, at: datetime) -> None:
    reason.title, reason.digit, reason.verdict = wording.title, wording.digit, wording.verdict
    reason.titles, reason.guidelines = dict(wording.titles), dict(wording.guidelines)
    reason.needs_note, reason.signals = wording.needs_note, list(wording.signals)
    try:
        with transaction.atomic():
            reason.save()
            _audit(action, reason, actor=actor, at=at)
    except IntegrityError:
        raise DigitTaken(_("This digit is already taken.")) from None
