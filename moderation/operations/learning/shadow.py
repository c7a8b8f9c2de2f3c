"""Start and stop shadow runs: a candidate scores live posts beside the live release, without effect."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from moderation import scorer
from moderation.models import Score, ShadowRun, User
from moderation.operations.audit import entries
from moderation.operations.refusals import NotAllowed, Refusal
from moderation.operations.releases import triton
from scoring import hosting


class AlreadyRunning(Refusal):
    """Another candidate scores already: one at a time."""


class NotRunning(Refusal):
    """The run was stopped before."""


class OutOfRange(Refusal):
    """The share of posts is not above 0 and at most 1."""


class AlreadyLive(Refusal):
    """The candidate is the live release."""


UNUSABLE = (*scorer.UNUSABLE, hosting.Refused, hosting.WrongAnswers)
"""What makes a candidate unusable; nothing was started."""


def start(*, candidate: str, share: float, actor: User, at: datetime) -> ShadowRun:
    """Let a kept release score `share` of the posts that are scored from now on; its content model is loaded.

    Raises NotAllowed, OutOfRange, AlreadyLive, AlreadyRunning, or one of UNUSABLE.
    """
    check_role(actor)
    if not 0 < share <= 1:
        raise OutOfRange(_("Choose a share above 0 and at most 100 percent."))
    live = scorer.newest()
    if candidate == live:
        raise AlreadyLive(_("This release is live."))
    if ShadowRun.objects.filter(stopped_at__isnull=True).exists():
        raise AlreadyRunning(_("Another candidate runs in shadow: stop it first."))
    triton.stage(scorer.kept(candidate), repository=settings.TRITON_REPOSITORY)
    scorer.current().shadow_of(candidate)
    try:
        with transaction.atomic():
            newest = Score.objects.order_by("-pk").values_list("pk", flat=True).first()
            run = ShadowRun.objects.create(
                candidate=candidate,
                live=live,
                share=share,
                started_by=actor,
                started_at=at,
                reached=newest or 0,
            )
            _audit("shadow.started", run, actor=actor, at=at, share=share)
    except IntegrityError as refusal:
        if "one_open_shadow_run" not in str(refusal):
            raise
        raise AlreadyRunning(_("Another candidate runs in shadow: stop it first.")) from refusal
    triton.tidy()
    return run


def stop(*, run_id: int, actor: User, at: datetime) -> ShadowRun:
    """Stop a run; what it scored stays. Raises NotAllowed, NotRunning or ShadowRun.DoesNotExist."""
    check_role(actor)
    run = ShadowRun.objects.get(pk=run_id)
    if not end(run, actor=actor, at=at):
        raise NotRunning(_("This shadow run has already ended."))
    return run


def end(run: ShadowRun, *, actor: User | None, at: datetime) -> bool:
    """Stop a run, by itself if there is no actor; False if it was stopped before."""
    with transaction.atomic():
        changed = ShadowRun.objects.filter(pk=run.pk, stopped_at__isnull=True).update(
            stopped_at=at, stopped_by=actor
        )
        if changed:
            _audit("shadow.stopped", run, actor=actor, at=at)
    if changed:
        triton.tidy()
    return bool(changed)


def check_role(actor: User) -> None:
    """Refuse whoever may not change releases. Raises NotAllowed."""
    if not actor.may_export:
        raise NotAllowed(_("Only leads, ML engineers and administrators compare releases."))


def _audit(action: str, run: ShadowRun, *, actor: User | None, at: datetime, **details: object) -> None:
    entries.add(
        action=action,
        subject_kind="release",
        subject_id=run.candidate,
        actor=actor,
        at=at,
        shadow_run=run.pk,
        **details,
    )
