"""What tests of actions share: a rule, what messages said, and the action of a decision."""

from typing import Any

from moderation.models import ActionRule, Decision, DecisionAction, Delivery, Platform
from moderation.models.actions import Action

DAY = 86_400.0


def rule(platform: Platform, action: Action, **given: Any) -> ActionRule:
    return ActionRule.objects.create(platform=platform, action=action, **{"verdict": "spam"} | given)


def told(event: str) -> list[dict[str, Any]]:
    """Return what each message of this event says about actions, in the order of sending."""
    rows = Delivery.objects.filter(event=event).exclude(state="cancelled").order_by("created_at", "sequence")
    names = ("actions", "awaiting", "undo")
    return [{name: row.body["data"][name] for name in names if name in row.body["data"]} for row in rows]


def action_of(decision: Decision) -> DecisionAction:
    return DecisionAction.objects.get(decision=decision)
