"""Decide many cases at once, those that somebody picked from a list; all of them or none."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from moderation.models import Case, Decision, User
from moderation.models.cases import BLIND_REASONS
from moderation.models.decisions import Verdict
from moderation.operations import refusals
from moderation.operations.audit import entries
from moderation.operations.cases import claims, reversals, review
from moderation.operations.infrastructure import transactions
from moderation.operations.refusals import NotAllowed, NotConfirmed, OutOfRange, Refusal

_audit = entries.writer("bulk", subject_id="key")
MOST = 200
"""Cases at once; a larger group is a campaign, which is decided by its own page."""


class Moved(Refusal):
    """Meanwhile some were decided, edited or taken by others: nothing is decided."""

    def __init__(self, case_ids: list[int]) -> None:
        super().__init__(
            ngettext(
                "%(count)d case was decided, edited or claimed by somebody else in the meantime.",
                "%(count)d cases were decided, edited or claimed by somebody else in the meantime.",
                len(case_ids),
            )
            % {"count": len(case_ids)}
        )
        self.case_ids = case_ids


@dataclass(frozen=True, slots=True, kw_only=True)
class Picked:
    """Cases with the versions on the screen, and the verdict on them. `key` names the act."""

    versions: Mapping[int, int]
    verdict: Verdict
    key: UUID
    reason: str = ""
    note: str = ""
    confirmed_count: int | None = None


def decide(*, picked: Picked, moderator: User, at: datetime) -> list[Decision]:
    """Decide every picked case as `review.decide` does; a repeated request returns what the first one made.

    Raises OutOfRange, NotConfirmed, Moved, or NotAllowed for cases that are judged blindly.
    """
    _refuse(picked)
    with transaction.atomic():
        # All posts in one order before any case, as scoring and campaigns lock them: nothing deadlocks.
        transactions.lock_posts(cases__in=list(picked.versions))
        # Behind the locks: of two requests with one key, sent at once, the second sees what the first made.
        if earlier := decided(key=picked.key, moderator=moderator):
            return earlier
        _refuse_blind(picked)
        decisions, moved = [], []
        for case_id in sorted(picked.versions):
            try:
                decisions.append(_decide(case_id, picked, moderator=moderator, at=at))
            except (NotAllowed, Case.DoesNotExist):
                raise
            # Collected, not raised: the answer names every case that moved. What was decided so far is rolled
            # back with the transaction that `Moved` leaves.
            except Refusal:
                moved.append(case_id)
        if moved:
            raise Moved(moved)
        case_ids = sorted(picked.versions)
        _audit("cases.decided", picked, actor=moderator, at=at, verdict=picked.verdict, cases=case_ids)
    return decisions


def undo(*, key: UUID, moderator: User, at: datetime) -> list[Case]:
    """Take all of them back before the platform is told, and hand the cases back; all or none.

    Raises what `reversals.undo` raises, or Decision.DoesNotExist.
    """
    with transaction.atomic():
        decisions = decided(key=key, moderator=moderator)
        if not decisions:
            raise Decision.DoesNotExist
        transactions.lock_posts(decisions__in=[decision.pk for decision in decisions])
        cases = [
            reversals.undo(decision_id=decision.pk, moderator=moderator, at=at) for decision in decisions
        ]
        # An undone case comes back with a claim, as in a review of single cases; here nobody reads them, and
        # 200 leases would keep them from others.
        for case in cases:
            claims.hand_back(case_id=case.pk, moderator=moderator)
        entries.add(
            action="cases.undone",
            subject_kind="bulk",
            subject_id=key,
            actor=moderator,
            at=at,
            cases=len(cases),
        )
    return cases


def decided(*, key: UUID, moderator: User) -> list[Decision]:
    """Return the decisions of one bulk act, in the order of their cases."""
    decisions = Decision.objects.filter(decided_by=moderator, idempotency_key=key)
    return list(decisions.select_related("post__author", "reversal").order_by("case_id"))


def _refuse(picked: Picked) -> None:
    count = len(picked.versions)
    if not count:
        raise OutOfRange(_("Select cases first."))
    if count > MOST:
        raise OutOfRange(_("You can decide at most %(most)d cases at once.") % {"most": MOST})
    if count >= refusals.CONFIRMED_FROM and picked.confirmed_count != count:
        raise NotConfirmed(_("Confirm that you mean %(count)d cases.") % {"count": count})


def _refuse_blind(picked: Picked) -> None:
    """Refuse cases that measure people or the filter: they are judged one by one."""
    if Case.objects.filter(pk__in=picked.versions, reason__in=BLIND_REASONS).exists():
        raise NotAllowed(_("Sample cases are judged one by one. Nothing was decided."))


def _decide(case_id: int, picked: Picked, *, moderator: User, at: datetime) -> Decision:
    claims.claim(case_id=case_id, moderator=moderator, at=at)
    return review.decide(
        case_id=case_id,
        case_version=picked.versions[case_id],
        moderator=moderator,
        verdict=picked.verdict,
        reason=picked.reason,
        note=picked.note,
        idempotency_key=picked.key,
        at=at,
    )
