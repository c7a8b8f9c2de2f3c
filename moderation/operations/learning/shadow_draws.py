"""Draw disagreements of a shadow run into the queue: labels of these posts say which release is right."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.utils.translation import gettext as _

from moderation.models import Case, Label, Post, ShadowRun, ShadowScore, User
from moderation.models.cases import CaseReason, CaseState
from moderation.operations.audit import entries
from moderation.operations.cases import opening
from moderation.operations.cases.opening import Opening
from moderation.operations.learning import shadow
from moderation.operations.outbox import announce
from moderation.operations.refusals import Refusal
from moderation.queries import latest_scores

MOST_POSTS = 500
MOST_WAITING = 500
"""Drawn disagreements that may wait at once: more would never be decided."""


class OutOfRange(Refusal):
    """The number of posts is beyond the limit of one draw."""


class TooManyWait(Refusal):
    """Too many drawn disagreements wait already."""


class NothingToDraw(Refusal):
    """No disagreement is left that no human has seen."""


def ask(*, run_id: int, posts: int, actor: User, at: datetime) -> int:
    """Draw so many disagreements uniformly, each a case decided blind, the chance logged; return how many.

    Raises NotAllowed, OutOfRange, TooManyWait, NothingToDraw or ShadowRun.DoesNotExist.
    """
    shadow.check_role(actor)
    if not 1 <= posts <= MOST_POSTS:
        raise OutOfRange(_("Enter 1 to %(posts)d posts.") % {"posts": MOST_POSTS})
    with transaction.atomic():
        # Draws of a run are serialised: two at once would draw the same posts.
        run = ShadowRun.objects.select_for_update(of=("self",)).get(pk=run_id)
        waiting = ShadowScore.objects.filter(run=run, case__state=CaseState.OPEN).count()
        if waiting + posts > MOST_WAITING:
            raise TooManyWait(
                _("%(waiting)d drawn posts are still waiting; decide them first.") % {"waiting": waiting}
            )
        eligible = _eligible(run)
        population = eligible.count()
        chosen = list(eligible.order_by("?")[:posts])
        if not chosen:
            raise NothingToDraw(_("No post is left on which the two releases differ."))
        drawn = _opened(chosen, population=population, at=at)
        if not drawn:
            raise NothingToDraw(_("No post is left on which the two releases differ."))
        draw = {"at": at.isoformat(), "chance": drawn / population, "drawn": drawn, "population": population}
        run.draws = [*run.draws, draw]
        run.save(update_fields=("draws",))
        entries.add(
            action="shadow.drawn",
            subject_kind="release",
            subject_id=run.candidate,
            actor=actor,
            at=at,
            shadow_run=run.pk,
            posts=drawn,
            of=population,
        )
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


def _opened(chosen: list[ShadowScore], *, population: int, at: datetime) -> int:
    """Open the cases in the order of the draw; return how many posts were still free."""
    ids = [row.score.revision.post_id for row in chosen]
    standing = Post.objects.select_for_update(no_key=True, of=("self",)).select_related("platform")
    posts = {row.pk: row for row in standing.filter(pk__in=ids, erased_at__isnull=True).order_by("id")}
    busy = set(Case.objects.filter(post__in=posts, state=CaseState.OPEN).values_list("post_id", flat=True))
    scores = latest_scores.of(posts)
    free = [pk for pk in ids if pk in posts and pk in scores and pk not in busy]
    cases = opening.all_opened(
        [
            Opening(
                post=posts[pk],
                score=scores[pk],
                reason=CaseReason.RANDOM,
                audit_probability=len(free) / population,
            )
            for pk in free
        ],
        at=at,
    )
    Case.objects.filter(pk__in=[case.pk for case in cases]).update(is_drawn=True)
    by_post = {case.post_id: case for case in cases}
    drawn = [row for row in chosen if row.score.revision.post_id in by_post]
    for row in drawn:
        row.case = by_post[row.score.revision.post_id]
    ShadowScore.objects.bulk_update(drawn, ["case"])
    announce.opened(cases, at=at)
    return len(cases)
