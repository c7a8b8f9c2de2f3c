"""Which action a platform wants after a decision, and the actions that stand or await a second person."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import Count, Exists, F, Min, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce

from moderation.models import ActionRule, DecisionAction, User
from moderation.models.actions import ActionState, DecidedBy
from moderation.models.decisions import DecisionSource
from moderation.queries import case_access

_MOST_SHOWN = 100

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
    """Return actions in force or awaited, of decisions that were neither undone nor contradicted."""
    states = (ActionState.IN_FORCE, ActionState.AWAITING)
    return DecisionAction.objects.filter(
        state__in=states, undone_by__isnull=True, decision__reversal__isnull=True
    )


def awaiting() -> QuerySet[DecisionAction]:
    """Return actions that a second person may still confirm."""
    return standing().filter(state=ActionState.AWAITING, decision__post__erased_at__isnull=True)


def waiting_count(viewer: User) -> int:
    """Count what `waiting` returns, without reading it."""
    return _groups(viewer).distinct()[:_MOST_SHOWN].count()


def waiting(viewer: User) -> list[tuple[DecisionAction, int]]:
    """Return what a viewer may confirm, newest first: of others' decisions, and of no post judged blindly.

    Of a decision on a campaign its first action, with their number.
    """
    groups = _groups(viewer)
    firsts = groups.annotate(first=Min("pk"), posts=Count("pk")).order_by("-first")
    posts = dict(firsts.values_list("first", "posts")[:_MOST_SHOWN])
    related = ("post__author", "post__platform", "revision", "decided_by", "campaign_decision")
    found = DecisionAction.objects.select_related(*(f"decision__{name}" for name in related)).in_bulk(
        list(posts)
    )
    return [(found[pk], count) for pk, count in posts.items()]


def _groups(viewer: User) -> QuerySet[DecisionAction, Any]:
    """Return what a viewer may confirm by the decision that it was made with, a campaign's or its own."""
    own = Q(decision__decided_by=viewer) | Q(decision__campaign_decision__decided_by=viewer)
    blind = case_access.blind_cases().exclude(case_access.kept_from(viewer))
    rows = awaiting().exclude(own).exclude(Exists(blind.filter(post=OuterRef("decision__post"))))
    return rows.order_by().annotate(group=Coalesce("decision__campaign_decision", -F("pk"))).values("group")
