"""Which action a platform wants after a decision, and the actions that stand or await a second person."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.db.models import QuerySet

from moderation.models import ActionRule, DecisionAction
from moderation.models.actions import ActionState, DecidedBy
from moderation.models.decisions import DecisionSource

Rules = Mapping[tuple[int, str, str, str], ActionRule]


def rules(platform_ids: Iterable[int]) -> Rules:
    """Return the rules of platforms by platform, verdict, reason and who decided."""
    rows = ActionRule.objects.filter(platform__in=platform_ids)
    return {(row.platform_id, row.verdict, row.reason, row.decided_by): row for row in rows}


def chosen(rules: Rules, *, platform_id: int, verdict: str, reason: str, source: str) -> ActionRule | None:
    """Return the most specific rule for a decision: with its reason before without, by source before any."""
    who = DecidedBy.AUTOMATIC if source == DecisionSource.AUTOMATIC else DecidedBy.PERSON
    names = [(code, by) for code in (reason, "") for by in (who, DecidedBy.ANY)]
    found = (rules.get((platform_id, verdict, code, by)) for code, by in names)
    return next((rule for rule in found if rule is not None), None)


def standing() -> QuerySet[DecisionAction]:
    """Return actions of decisions that were neither undone nor contradicted."""
    return DecisionAction.objects.filter(undone_by__isnull=True, decision__reversal__isnull=True)


def awaiting() -> QuerySet[DecisionAction]:
    """Return actions that a second person may still confirm."""
    return standing().filter(state=ActionState.AWAITING, decision__post__erased_at__isnull=True)
