"""Start and stop shadow runs: a candidate scores live posts beside the live release, without effect."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from moderation import scorer
from moderation.models import Score, ShadowRun, User
from moderation.operations.audit import entries
from moderation.operations.learning import proposals
from moderation.operations.refusals import Refusal
from moderation.operations.releases import triton
from scoring import hosting

audit = entries.writer("release", subject_id="candidate", shadow_run="pk")


class AlreadyRunning(Refusal):
    """Another candidate scores already: one at a time."""


class NotRunning(Refusal):
    """The run was stopped before."""


UNUSABLE = (*scorer.UNUSABLE, hosting.Refused, hosting.WrongAnswers)
"""What makes a candidate unusable; nothing was started."""


def start(*, candidate: str, share: float, actor: User, at: datetime) -> ShadowRun:
    """Let a kept release score `share` in (0, 1] of the posts that are scored from now on.

    Its content model is loaded. Raises NotAllowed, proposals.AlreadyLive, AlreadyRunning, or one of UNUSABLE.
    """
    proposals.check_role(actor)
    live = scorer.newest()
    if candidate == live:
        raise proposals.AlreadyLive(_("This release is live."))
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
            audit("shadow.started", run, actor=actor, at=at, share=share)
    except IntegrityError as refusal:
        if "one_open_shadow_run" not in str(refusal):
            raise
        raise AlreadyRunning(_("Another candidate runs in shadow: stop it first.")) from refusal
    triton.tidy()
    return run


def stop(*, run_id: int, actor: User, at: datetime) -> ShadowRun:
    """Stop a run; what it scored stays. Raises NotAllowed, NotRunning or ShadowRun.DoesNotExist."""
    proposals.check_role(actor)
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
            audit("shadow.stopped", run, actor=actor, at=at)
    if changed:
        triton.tidy()
    return bool(changed)
