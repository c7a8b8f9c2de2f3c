"""Start and stop shadow runs, and draw their disagreements: a candidate scores live posts, without effect."""

from datetime import datetime

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.utils.translation import gettext as _

from moderation import scorer
from moderation.models import Case, Label, Score, ShadowRun, ShadowScore, User
from moderation.models.cases import CaseState
from moderation.operations.audit import entries
from moderation.operations.labels import draws
from moderation.operations.learning import proposals
from moderation.operations.refusals import Refusal
from moderation.operations.releases import triton
from scoring import hosting

_audit = entries.writer("release", subject_id="candidate", shadow_run="pk")
MOST_POSTS = 500
MOST_WAITING = 500
"""Drawn disagreements that may wait at once: more would never be decided."""


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
            _audit("shadow.started", run, actor=actor, at=at, share=share)
    except IntegrityError as refusal:
        if "one_open_shadow_run" not in str(refusal):
            raise
        raise AlreadyRunning(_("Another candidate runs in shadow: stop it first.")) from refusal
    triton.tidy()
    return run


def stop(*, run_id: int, actor: User, at: datetime) -> None:
    """Stop a run; what it scored stays. Raises NotAllowed, NotRunning or ShadowRun.DoesNotExist."""
    proposals.check_role(actor)
    run = ShadowRun.objects.get(pk=run_id)
    if not end(run, actor=actor, at=at):
        raise NotRunning(_("This shadow run has already ended."))


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


def draw(*, run_id: int, posts: int, actor: User, at: datetime) -> int:
    """Draw so many disagreements uniformly, each a case decided blind, the chance logged; return how many.

    Raises NotAllowed, TooManyWait, NothingToDraw or ShadowRun.DoesNotExist.
    """
    proposals.check_role(actor)
    with transaction.atomic():
        # Draws of a run are serialised: two at once would draw the same posts.
        run = ShadowRun.objects.select_for_update(of=("self",)).get(pk=run_id)
        waiting = ShadowScore.objects.filter(run=run, case__state=CaseState.OPEN).count()
        if waiting + posts > MOST_WAITING:
            raise draws.TooManyWait(
                _("%(waiting)d drawn posts are still waiting; decide them first.") % {"waiting": waiting}
            )
        eligible = _eligible(run)
        population = eligible.count()
        chosen = {row.score.revision.post_id: row for row in eligible.order_by("?")[:posts]}
        chance = len(chosen) / max(population, 1)
        cases = draws.opened(list(chosen), chance=chance, at=at)
        if not cases:
            raise draws.NothingToDraw(_("No post is left on which the two releases differ."))
        for case in cases:
            chosen[case.post_id].case = case
        ShadowScore.objects.bulk_update([chosen[case.post_id] for case in cases], ["case"])
        drawn = len(cases)
        drawing = {"at": at.isoformat(), "chance": chance, "drawn": drawn, "population": population}
        run.draws = [*run.draws, drawing]
        run.save(update_fields=("draws",))
        _audit("shadow.drawn", run, actor=actor, at=at, posts=drawn, of=population)
    return drawn


def _eligible(run: ShadowRun) -> QuerySet[ShadowScore]:
    """Return the disagreements on current texts that wait for nobody and that nobody has labelled."""
    post = OuterRef("score__revision__post")
    return ShadowScore.objects.filter(
        ~Exists(Case.objects.filter(post=post, state=CaseState.OPEN)),
        ~Exists(Label.objects.filter(post=post, retracted_at__isnull=True)),
        run=run,
        distance__gt=0,
        case__isnull=True,
        score__revision__post__erased_at__isnull=True,
        score__revision__number=F("score__revision__post__latest_revision"),
    ).select_related("score__revision")
