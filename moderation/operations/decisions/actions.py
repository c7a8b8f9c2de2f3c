"""Actions beside the verdict: chosen by a platform's rules, confirmed by a second person, ended in time."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from moderation.models import Decision, DecisionAction, User
from moderation.models.actions import ActionState
from moderation.models.webhooks import WebhookEvent
from moderation.operations.audit import entries
from moderation.operations.infrastructure import transactions
from moderation.operations.outbox import feed, messages
from moderation.operations.outbox.messages import Message
from moderation.operations.refusals import NotAllowed, Refusal
from moderation.queries import latest_scores, wire
from moderation.queries.accounts.users import is_in_hands_of
from moderation.queries.decisions import actions, statements
from moderation.queries.decisions.actions import Rules

PIECE = 500
"""Actions per transaction: few enough that nobody waits long for the locks of their posts."""

_audit = entries.writer("decision", chosen="action")


class NothingAwaits(Refusal):
    """The action was confirmed, refused or undone before."""


@transactions.required
def follow(decisions: Sequence[Decision]) -> dict[int, dict[str, Any]]:
    """Store the action that each new decision leads to, and undo those of earlier decisions on its post.

    Return what messages say about both, by decision. Call inside the transaction that saved the decisions,
    before their reversals are written; they are loaded with `post`.
    """
    rules = actions.rules({decision.post.platform_id for decision in decisions})
    made = {decision.pk: _action(decision, rules) for decision in decisions}
    undone = _undo(decisions, made)
    DecisionAction.objects.bulk_create([action for action in made.values() if action is not None])
    return {one.pk: wire.follow_up(made[one.pk], undone=undone[one.post_id]) for one in decisions}


@transactions.required
def restore(*, decisions: Iterable[Decision]) -> None:
    """Let actions stand again that these decisions had undone. Call where the decisions are undone."""
    DecisionAction.objects.filter(undone_by__in=decisions).update(undone_by=None)


def answer(*, decision_id: int, is_confirmed: bool, user: User, at: datetime) -> int:
    """Confirm or refuse the action of a decision, with it those of the same decision on a campaign.

    Return how many. Raises NothingAwaits, Decision.DoesNotExist, or NotAllowed for users who are no leads or
    decided it themselves.
    """
    decision = Decision.objects.select_related("campaign_decision").get(pk=decision_id)
    campaign = decision.campaign_decision
    if not user.may_lead:
        raise NotAllowed(_("Only a lead can confirm an action."))
    deciders = {decision.decided_by_id, campaign.decided_by_id if campaign else None}
    if any(is_in_hands_of(one, account=user, since=decision.decided_at) for one in deciders):
        raise NotAllowed(_("Somebody other than who decided has to confirm the action."))
    together = {"decision__campaign_decision": campaign} if campaign else {"decision": decision}
    ids = list(actions.awaiting().filter(**together).order_by("pk").values_list("pk", flat=True))
    pieces = [ids[start : start + PIECE] for start in range(0, len(ids), PIECE)]
    count = sum(_answer(piece, is_confirmed=is_confirmed, user=user, at=at) for piece in pieces)
    if not count:
        raise NothingAwaits(_("This action no longer waits for a second person."))
    return count


def sweep(*, at: datetime) -> int:
    """End actions whose time is over, and tell platforms once; return how many."""
    total = 0
    while count := _end(at=at):
        total += count
    return total


def _action(decision: Decision, rules: Rules) -> DecisionAction | None:
    about = {"verdict": decision.verdict, "reason": decision.reason, "source": decision.source}
    rule = actions.chosen(rules, platform_id=decision.post.platform_id, **about)
    if rule is None:
        return None
    return DecisionAction(
        decision=decision,
        action=rule.action,
        until=decision.effective_at + timedelta(days=rule.days) if rule.days else None,
        state=ActionState.AWAITING if rule.needs_second_name else ActionState.IN_FORCE,
    )


def _undo(
    decisions: Sequence[Decision], made: Mapping[int, DecisionAction | None]
) -> defaultdict[int, list[DecisionAction]]:
    """Undo standing actions of decisions that said something else, and those that are done anew."""
    by_post = {decision.post_id: decision for decision in decisions}
    undone: defaultdict[int, list[DecisionAction]] = defaultdict(list)
    for row in actions.standing().filter(decision__post__in=by_post).select_related("decision"):
        row.undone_by = new = by_post[row.decision.post_id]
        action = made[new.pk]
        is_repeated = action is not None and action.is_carried_out and action.action == row.action
        if row.decision.verdict != new.verdict or is_repeated:
            undone[new.post_id].append(row)
    DecisionAction.objects.bulk_update([row for rows in undone.values() for row in rows], ["undone_by"])
    return undone


def _answer(decision_ids: Sequence[int], *, is_confirmed: bool, user: User, at: datetime) -> int:
    with transaction.atomic():
        rows = _locked(decision_ids, state=ActionState.AWAITING)
        for row in rows:
            row.state = ActionState.IN_FORCE if is_confirmed else ActionState.REFUSED
            row.confirmed_by, row.confirmed_at = user, at
            if row.until is not None:
                row.until += max(at - row.decision.effective_at, timedelta())
        DecisionAction.objects.bulk_update(rows, ["state", "confirmed_by", "confirmed_at", "until"])
        if rows:
            act = "action.confirmed" if is_confirmed else "action.refused"
            _audit(act, rows[0], actor=user, at=at, decisions=[row.pk for row in rows])
        if is_confirmed:
            feed.enter_again([row.decision for row in rows], at=at)
            _tell(WebhookEvent.ACTION_CONFIRMED, rows, at=at)
    return len(rows)


def _end(*, at: datetime) -> int:
    with transaction.atomic():
        due = actions.standing().filter(state=ActionState.IN_FORCE, until__lte=at).order_by("until", "pk")
        rows = _locked(list(due.values_list("pk", flat=True)[:PIECE]), state=ActionState.IN_FORCE)
        for row in rows:
            row.state = ActionState.ENDED
        DecisionAction.objects.bulk_update(rows, ["state"])
        _tell(WebhookEvent.ACTION_ENDED, rows, at=at)
    return len(rows)


def _locked(decision_ids: Sequence[int], *, state: ActionState) -> list[DecisionAction]:
    """Lock the posts, then the actions that still stand in this state."""
    transactions.lock_posts(decisions__in=decision_ids)
    rows = actions.standing().filter(pk__in=decision_ids, state=state)
    related = ("decision__post", "decision__revision", "decision__score", "decision__replaces")
    rows = rows.select_related(*related).defer(*latest_scores.explaining("decision__score"))
    return list(rows.select_for_update(of=("self",)).order_by("pk"))


def _tell(event: WebhookEvent, rows: Sequence[DecisionAction], *, at: datetime) -> None:
    """Tell of actions; where they begin, with what to tell the authors."""
    found = ((row.decision, statements.restriction(row.decision, row)) for row in rows)
    begun = {decision: done for decision, done in found if done and event == WebhookEvent.ACTION_CONFIRMED}
    told = {pk: {"statement": text} for pk, text in statements.statements(begun).items()}
    messages.tell(
        [
            Message(
                event=event,
                platform_id=row.decision.post.platform_id,
                data=_told(row) | told.get(row.pk, {}),
                at=at,
                due_at=max(at, row.decision.effective_at),
                post_id=row.decision.post_id,
                decision_id=row.pk,
            )
            for row in rows
        ]
    )


def _told(row: DecisionAction) -> dict[str, Any]:
    replaced = getattr(row.decision, "replaces", None)
    told = wire.decision(row.decision, reverses=replaced.decision_id if replaced else None)
    undo = {"undo": [row.action]} if row.state == ActionState.ENDED else {}
    return told | wire.follow_up(row, undone=()) | undo
