"""Pages of decisions, and the decision that can still be undone."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from moderation.models import Decision, Export, Post, User
from moderation.models.decisions import DecisionSource
from moderation.queries import case_access, full_text, keyset, latest_scores
from moderation.queries.keyset import SHOWN, Page

_BATCH = 1_000
_ORDER = ("-decided_at", "-pk")
_NAMES = ("username", "first_name", "last_name")
_SHOWN = (
    *("verdict", "reason", "decided_at", "effective_at", "campaign_decision__campaign", "revision__text"),
    *("post__external_id", "post__author__display_name", "post__author__external_id", "reversal__reason"),
    *("score__spam_probability", "score__route_reason", "score__is_degraded", "reversal__replacement"),
    *(f"{user}__{name}" for user in ("decided_by", "reversal__reversed_by") for name in _NAMES),
)


@dataclass(frozen=True, kw_only=True)
class DecisionFilter:
    """What to show; `text` is matched with the post's and the author's id and the author's name.

    `user_id` None is everyone, the filter included. `since` counts, `until` does not.
    """

    text: str = ""
    verdict: str = ""
    source: str = ""
    reason: str = ""
    user_id: int | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Correctable:
    """A decision that can be corrected; `exports` counts the training exports that may hold its label."""

    decision: Decision
    is_told: bool
    exports: int


def undoable(*, moderator: User, at: datetime) -> QuerySet[Decision]:
    """Return the moderator's decisions that the platform has not been told of."""
    waiting = Decision.objects.filter(decided_by=moderator, effective_at__gt=at, reversal__isnull=True)
    # A correction takes effect at once, so a decision not yet in effect is a first decision on a case. One
    # made with its campaign is undone with its campaign.
    return _related(waiting.filter(case__isnull=False, campaign_decision__isnull=True))


def correctable(*, decision_id: int, viewer: User, at: datetime) -> Correctable | None:
    """Return a decision that this user may correct; None if it was taken back or is another user's."""
    decisions = _related(Decision.objects.filter(pk=decision_id, reversal__isnull=True))
    if not viewer.may_lead:
        decisions = decisions.filter(decided_by=viewer)
    decision = decisions.first()
    if decision is None:
        return None
    exports = Export.objects.filter(
        Q(since__isnull=True) | Q(since__lte=decision.decided_at), requested_at__gte=decision.decided_at
    )
    return Correctable(decision=decision, is_told=decision.effective_at <= at, exports=exports.count())


def page(*, viewer: User, wanted: DecisionFilter, cursor: str = "", limit: int = SHOWN) -> Page[Decision]:
    """Return decisions, newest first: a moderator's own, to others those asked for. Raises InvalidCursor.

    Users who decide cases see others' decisions on a post under blind review only once it has been judged.
    """
    rows, after = _wanted(viewer, wanted), keyset.after(cursor, datetime, int)
    if wanted.source == DecisionSource.MODERATOR:
        rows = keyset.newest_of_users(rows, user="decided_by", order=_ORDER, after=after, limit=limit)
    return keyset.page(rows.only(*_SHOWN), order=_ORDER, after=after, limit=limit)


def every(*, viewer: User, wanted: DecisionFilter) -> Iterator[Decision]:
    """Yield all decisions that the pages would show, a batch at a time: no transaction stays open between."""
    after, rows = None, _wanted(viewer, wanted).select_related("post__platform", "action")
    while True:
        batch = keyset.page(rows, order=_ORDER, after=after, limit=_BATCH)
        yield from batch.rows
        if batch.end is None:
            return
        after = batch.end


def _wanted(viewer: User, wanted: DecisionFilter) -> QuerySet[Decision]:
    decisions = _related(Decision.objects.all())
    if not viewer.may_read_everyones_decisions:
        decisions = decisions.filter(decided_by=viewer)
    elif wanted.user_id is not None:
        decisions = decisions.filter(decided_by=wanted.user_id)
    if viewer.may_read_everyones_decisions and viewer.may_decide:
        decisions = decisions.exclude(_tells_of_blind_case(viewer))
    return _filtered(decisions, wanted)


def _tells_of_blind_case(viewer: User) -> Q:
    """Return the condition of others' decisions on a post that the viewer may yet have to judge blindly."""
    blind = case_access.blind_cases().exclude(case_access.kept_from(viewer))
    is_others = Q(decided_by__isnull=True) | ~Q(decided_by=viewer)
    return is_others & Q(Exists(blind.filter(post=OuterRef("post"))))


def _related(decisions: QuerySet[Decision]) -> QuerySet[Decision]:
    related = (
        "decided_by",
        "campaign_decision",
        "post__author",
        "revision",
        "score",
        "reversal__reversed_by",
    )
    return decisions.select_related(*related).defer(*latest_scores.explaining("score"), "revision__journey")


def _filtered(decisions: QuerySet[Decision], wanted: DecisionFilter) -> QuerySet[Decision]:
    asked = {
        "verdict": wanted.verdict,
        "reason": wanted.reason,
        "decided_at__gte": wanted.since,
        "decided_at__lt": wanted.until,
    }
    decisions = decisions.filter(**{name: value for name, value in asked.items() if value})
    if wanted.source in DecisionSource.values:
        decisions = decisions.filter(source=wanted.source)
    if wanted.source == DecisionSource.AUTOMATIC:
        decisions = decisions.filter(decided_by__isnull=True)  # what it implies, in the words of an index
    if wanted.text:
        # Subqueries, so that each search index is read once; a join would test the text of each decision.
        decisions = decisions.filter(
            Q(post__in=Post.objects.filter(external_id=wanted.text.strip()).values("pk"))
            | Q(post__author__in=full_text.authors(wanted.text).values("pk"))
            | Q(revision__in=full_text.revisions(wanted.text).values("pk"))
        )
    return decisions
