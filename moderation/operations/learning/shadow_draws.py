"""Draw disagreements of a shadow run into the queue: labels of these posts say which release is right."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.utils.translation import gettext as _

from moderation.models import Case, Label, ShadowRun, ShadowScore, User
from moderation.models.cases import CaseState
from moderation.operations.labels import draws
from moderation.operations.learning import proposals, shadow

MOST_POSTS = 500
MOST_WAITING = 500
"""Drawn disagreements that may wait at once: more would never be decided."""


def ask(*, run_id: int, posts: int, actor: User, at: datetime) -> int:
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
        draw = {"at": at.isoformat(), "chance": chance, "drawn": drawn, "population": population}
        run.draws = [*run.draws, draw]
        run.save(update_fields=("draws",))
        shadow.audit("shadow.drawn", run, actor=actor, at=at, posts=drawn, of=population)
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
