"""Propose that a release goes live, and confirm or refuse it; no one confirms their own proposal."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils.translation import gettext as _

from moderation import scorer
from moderation.models import Promotion, ReleaseProposal, TrainingRun, User
from moderation.models.learning import ProposalKind
from moderation.operations.audit import entries
from moderation.operations.learning import thresholds
from moderation.operations.refusals import NotAllowed, Refusal
from moderation.operations.releases import promote
from moderation.queries.accounts.users import is_in_hands_of

_audit = entries.writer("release", subject_id="candidate", proposal="pk", kind="kind")
OPEN_FOR = timedelta(days=7)
"""A proposal is confirmed within a week: later its figures are of other traffic."""

LONGEST_PROMOTION = timedelta(minutes=5)
"""How long a confirmed proposal counts as going live; whoever carries that out may have been killed."""


class NoCandidate(Refusal):
    """The training run made no release."""


class AlreadyProposed(Refusal):
    """An open proposal names this release."""


class OwnProposal(Refusal):
    """Whoever made a proposal cannot confirm it."""


class Closed(Refusal):
    """The proposal was confirmed or refused before, or ran out."""


class GoingLive(Refusal):
    """The proposal was confirmed, and its release is going live."""


class LiveHasChanged(Refusal):
    """Another release went live since the proposal: its figures compare with one that is gone."""


class AlreadyLive(Refusal):
    """The proposed release is live."""


def propose(
    *,
    kind: ProposalKind,
    candidate: str,
    changes: Mapping[str, Any],
    evidence: Mapping[str, Any],
    reason: str,
    actor: User,
    at: datetime,
) -> ReleaseProposal:
    """Propose that a kept release replaces the live one.

    Raises NotAllowed, AlreadyLive or AlreadyProposed.
    """
    check_role(actor)
    replaces = scorer.newest()
    if candidate == replaces:
        raise AlreadyLive(_("This release is live."))
    try:
        with transaction.atomic():
            _close_expired(candidate, at=at)
            made = ReleaseProposal.objects.create(
                kind=kind,
                candidate=candidate,
                replaces=replaces,
                changes=changes,
                evidence=evidence,
                reason=reason,
                made_by=actor,
                made_at=at,
                expires_at=at + OPEN_FOR,
            )
            _audit("release.proposed", made, actor=actor, at=at, reason=reason, changes=changes)
    except IntegrityError:
        raise AlreadyProposed(_("This release has already been proposed.")) from None
    return made


def propose_candidate(*, run_id: int, reason: str, actor: User, at: datetime) -> ReleaseProposal:
    """Propose the candidate of a training run, with the report that the gate asks when it is confirmed.

    Raises NoCandidate or as `propose`.
    """
    run = TrainingRun.objects.get(pk=run_id)
    if not run.candidate:
        raise NoCandidate(_("This training run made no release."))
    return propose(
        kind=ProposalKind.PROMOTION,
        candidate=run.candidate,
        changes={"training_run": run.pk},
        evidence=run.report or {},
        reason=reason,
        actor=actor,
        at=at,
    )


def confirm(*, proposal_id: int, actor: User, at: datetime) -> Promotion:
    """Let the proposed release go live, as the second person; of two who confirm at once one is refused.

    Raises NotAllowed, OwnProposal, Closed, GoingLive, LiveHasChanged, or one of promote.REFUSED, which the
    proposal then names.
    """
    check_role(actor)
    found = ReleaseProposal.objects.get(pk=proposal_id)
    _check_open(found, at=at)
    if is_in_hands_of(found.made_by_id, account=actor, since=found.made_at):
        raise OwnProposal(_("A second person has to confirm your proposal."))
    if scorer.newest() != found.replaces:
        raise LiveHasChanged(_("Another release went live since this was proposed. Propose it again."))

    def close(promotion: Promotion) -> None:
        # In the transaction that makes the release live: whoever comes second changes no row.
        changed = _open_row(proposal_id, at=at).update(
            confirmed_by=actor, closed_at=at, promotion=promotion, confirming_by=None, confirming_until=None
        )
        if not changed:
            raise Closed(_("This proposal has already been answered."))
        _audit("release.confirmed", found, actor=actor, at=at)

    _begin(proposal_id, actor=actor, at=at)
    try:
        return _promote(found, actor=actor, at=at, act=close)
    except (promote.LiveHasChanged, promote.AlreadyLive) as refusal:
        _finish(proposal_id, failure="")
        _check_open(ReleaseProposal.objects.get(pk=proposal_id), at=at)
        raise LiveHasChanged(
            _("Another release went live since this was proposed. Propose it again.")
        ) from refusal
    except promote.REFUSED as refusal:
        _finish(proposal_id, failure=str(refusal) or type(refusal).__name__)
        raise
    # After any other error, such as a lost database, it may be confirmed again after LONGEST_PROMOTION.


def refuse(*, proposal_id: int, actor: User, at: datetime) -> None:
    """Refuse a proposal, or withdraw one's own. Raises NotAllowed or Closed."""
    check_role(actor)
    found = ReleaseProposal.objects.get(pk=proposal_id)
    with transaction.atomic():
        _lock_idle(proposal_id, at=at)
        if not _open_row(proposal_id, at=at).update(refused_by=actor, closed_at=at):
            raise Closed(_("This proposal has already been answered."))
        _audit("release.refused", found, actor=actor, at=at)


def check_role(actor: User) -> None:
    """Refuse whoever may not change or compare releases. Raises NotAllowed."""
    if not actor.may_export:
        raise NotAllowed(_("Only leads, ML engineers and administrators change the live release."))


def _begin(proposal_id: int, *, actor: User, at: datetime) -> None:
    """Let whoever looks or presses meanwhile see that it is going live. Raises Closed or GoingLive."""
    with transaction.atomic():
        row = _lock_idle(proposal_id, at=at)
        _check_open(row, at=at)
        row.confirming_by, row.confirming_until, row.failure = actor, at + LONGEST_PROMOTION, ""
        row.save(update_fields=("confirming_by", "confirming_until", "failure"))


def _finish(proposal_id: int, *, failure: str) -> None:
    rows = ReleaseProposal.objects.filter(pk=proposal_id)
    rows.update(confirming_by=None, confirming_until=None, failure=failure[:500])


def _lock_idle(proposal_id: int, *, at: datetime) -> ReleaseProposal:
    """Lock a proposal that is not going live. Raises GoingLive."""
    # Skipped, not waited for: whoever holds the row is about to say that its release goes live.
    rows = ReleaseProposal.objects.select_for_update(skip_locked=True, of=("self",))
    row = rows.filter(pk=proposal_id).first()
    if row is None or row.is_going_live(at=at):
        raise GoingLive(_("This release is already going live."))
    return row


def _promote(found: ReleaseProposal, *, actor: User, at: datetime, act: promote.Act) -> Promotion:
    release, repository = scorer.kept(found.candidate), settings.TRITON_REPOSITORY
    if found.kind == ProposalKind.PROMOTION:
        return promote.promote(
            folder=release.folder, report=found.evidence, repository=repository, actor=actor, at=at, act=act
        )
    findings = thresholds.findings(found, candidate=release, live=scorer.kept(found.replaces))
    return promote.go_live(release, findings=findings, repository=repository, actor=actor, at=at, act=act)


def _open_row(proposal_id: int, *, at: datetime) -> Any:
    return ReleaseProposal.objects.filter(pk=proposal_id, closed_at__isnull=True, expires_at__gt=at)


def _check_open(found: ReleaseProposal, *, at: datetime) -> None:
    if found.closed_at is not None:
        raise Closed(_("This proposal has already been answered."))
    if at >= found.expires_at:
        raise Closed(_("This proposal has expired."))


def _close_expired(candidate: str, *, at: datetime) -> None:
    """Close one that ran out, which still occupies the unique index of open proposals, at its own end."""
    expired = ReleaseProposal.objects.filter(candidate=candidate, closed_at__isnull=True, expires_at__lte=at)
    expired.update(closed_at=F("expires_at"))
