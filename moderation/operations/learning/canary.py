"""Canaries: proposed from a shadow run, confirmed by a second person, ended by a press or by themselves."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from moderation import scorer
from moderation.models import CanaryRun, ShadowRun, User
from moderation.models.canary import CanaryEnd
from moderation.operations.audit import entries
from moderation.operations.refusals import NotAllowed, Refusal
from moderation.operations.releases import triton
from moderation.queries.learning import canary_figures, shadow_findings
from scoring import hosting

OPEN_FOR = timedelta(days=7)
"""A proposal is confirmed within a week."""

MOST_FAILURES = 5
"""Batches that the live release may have to score in the candidate's place before the canary ends."""

MOST_SHARE = 0.5


class AlreadyOpen(Refusal):
    """Another canary runs or waits for a second person."""


class OutOfRange(Refusal):
    """The share of authors is not above 0 and at most a half."""


class LiveHasChanged(Refusal):
    """The shadow run compared with a release that is not live."""


class WorseInShadow(Refusal):
    """The shadow run says that the candidate is certainly worse somewhere."""


class OwnProposal(Refusal):
    """Whoever proposed a canary cannot confirm it."""


class NotOpen(Refusal):
    """The canary has ended, or was confirmed before."""


UNUSABLE = (*scorer.UNUSABLE, hosting.Refused, hosting.WrongAnswers)
"""What makes a candidate unusable; nothing was started."""


def propose(*, shadow_id: int, share: float, actor: User, at: datetime) -> CanaryRun:
    """Propose that the candidate of a shadow run decides for a share of authors.

    Raises NotAllowed, OutOfRange, LiveHasChanged, WorseInShadow, AlreadyOpen or ShadowRun.DoesNotExist.
    """
    _check_role(actor)
    if not 0 < share <= MOST_SHARE:
        raise OutOfRange(_("Choose a share above 0 and at most 50 percent."))
    run = ShadowRun.objects.get(pk=shadow_id)
    _check_shadow(run)
    try:
        with transaction.atomic():
            made = CanaryRun.objects.create(
                shadow=run,
                candidate=run.candidate,
                live=run.live,
                share=share,
                proposed_by=actor,
                proposed_at=at,
            )
            _audit("canary.proposed", made, actor=actor, at=at, share=share)
    except IntegrityError as refusal:
        if "one_open_canary" not in str(refusal):
            raise
        raise AlreadyOpen(_("Another canary runs or waits for a second person.")) from refusal
    return made


def confirm(*, canary_id: int, actor: User, at: datetime) -> CanaryRun:
    """Let the candidate decide, as the second person; scoring knows it with the next batch.

    Raises NotAllowed, OwnProposal, NotOpen, LiveHasChanged, WorseInShadow, or one of UNUSABLE.
    """
    _check_role(actor)
    row = CanaryRun.objects.select_related("shadow").get(pk=canary_id)
    if row.proposed_by_id == actor.pk:
        raise OwnProposal(_("A second person has to confirm your proposal."))
    _check_shadow(row.shadow)
    triton.stage(scorer.kept(row.candidate), repository=settings.TRITON_REPOSITORY)
    scorer.of(row.candidate)
    with transaction.atomic():
        waiting = CanaryRun.objects.filter(
            pk=row.pk, started_at__isnull=True, stopped_at__isnull=True, proposed_at__gt=at - OPEN_FOR
        )
        if not waiting.update(confirmed_by=actor, started_at=at):
            raise NotOpen(_("This canary was confirmed, or has ended."))
        _audit("canary.started", row, actor=actor, at=at, share=row.share)
    triton.tidy()
    row.refresh_from_db()
    return row


def stop(*, canary_id: int, actor: User, at: datetime) -> None:
    """End a canary, or refuse a proposed one. Raises NotAllowed or NotOpen."""
    _check_role(actor)
    row = CanaryRun.objects.get(pk=canary_id)
    if not _end(row, CanaryEnd.PERSON, actor=actor, at=at):
        raise NotOpen(_("This canary was confirmed, or has ended."))


def watch(*, at: datetime) -> int:
    """Estimate the figures of the open canary, and end it if it must not go on; return 1 if it ended."""
    row = CanaryRun.objects.filter(stopped_at__isnull=True).first()
    if row is None:
        return 0
    if scorer.newest() != row.live:
        return _end(row, CanaryEnd.LIVE_CHANGED, actor=None, at=at)
    if row.started_at is None:
        is_late = row.proposed_at <= at - OPEN_FOR
        return _end(row, CanaryEnd.EXPIRED, actor=None, at=at) if is_late else 0
    if row.failures >= MOST_FAILURES:
        return _end(row, CanaryEnd.FAILED, actor=None, at=at, details=f"{row.failures} batches failed")
    found = canary_figures.of(row, at=at)
    CanaryRun.objects.filter(pk=row.pk).update(figures=[one.as_json() for one in found])
    worse = canary_figures.worse(found)
    return _end(row, CanaryEnd.WORSE, actor=None, at=at, details=worse) if worse else 0


def _end(row: CanaryRun, end: CanaryEnd, *, actor: User | None, at: datetime, details: str = "") -> int:
    """End a canary once; return whether this call did."""
    with transaction.atomic():
        changed = CanaryRun.objects.filter(pk=row.pk, stopped_at__isnull=True).update(
            stopped_at=at, stopped_by=actor, end=end, end_details=details[:500]
        )
        if changed:
            _audit("canary.stopped", row, actor=actor, at=at, end=str(end), details=details)
    if changed:
        triton.tidy()
    return changed


def _check_shadow(run: ShadowRun) -> None:
    if scorer.newest() != run.live:
        raise LiveHasChanged(_("Another release is live: compare the candidate with it in shadow first."))
    if not all(one.passed for one in shadow_findings.findings(candidate=run.candidate, live=run.live)):
        raise WorseInShadow(
            _("The candidate is certainly worse in its shadow run, so it cannot decide for anybody.")
        )


def _check_role(actor: User) -> None:
    if not actor.may_lead:
        raise NotAllowed(_("Only leads and administrators let a candidate decide."))


def _audit(action: str, row: CanaryRun, *, actor: User | None, at: datetime, **details: object) -> None:
    entries.add(
        action=action,
        subject_kind="release",
        subject_id=row.candidate,
        actor=actor,
        at=at,
        canary=row.pk,
        **details,
    )
