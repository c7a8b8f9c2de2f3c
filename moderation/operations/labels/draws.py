"""Draw random posts of a platform's last days for labelling, each as a case of its own."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db import connection, transaction
from django.utils.translation import gettext as _

from moderation.models import Case, LabelDraw, Platform, Post, User
from moderation.models.cases import CaseReason, CaseState
from moderation.operations.audit import entries
from moderation.operations.cases import opening
from moderation.operations.cases.opening import Opening
from moderation.operations.outbox import announce
from moderation.operations.refusals import NotAllowed, OutOfRange, Refusal
from moderation.queries import latest_scores

_audit = entries.writer("draw", platform="platform_id")
MOST_POSTS = 500
MOST_DAYS = 90
MOST_WAITING = 1_000
"""Drawn posts of one platform that may wait at once: more would never be labelled."""

# The window counts before LIMIT cuts: that is the population that the posts are drawn from.
_DRAW = """
SELECT p.id, count(*) OVER () FROM moderation_post p
JOIN moderation_revision r ON r.post_id = p.id AND r.number = p.latest_revision
JOIN moderation_scoringjob j ON j.revision_id = r.id
WHERE p.platform_id = %(platform)s AND p.erased_at IS NULL AND p.received_at > %(since)s
  AND j.state IN ('scored', 'degraded') AND p.subject = 'post'
  AND NOT EXISTS (SELECT FROM moderation_case c WHERE c.post_id = p.id AND c.state = 'open')
  AND NOT EXISTS (SELECT FROM moderation_label l WHERE l.post_id = p.id AND l.retracted_at IS NULL)
ORDER BY random() LIMIT %(wanted)s
"""


class TooManyWait(Refusal):
    """Too many drawn posts wait already: label those first, or cancel their draw."""


class NothingToDraw(Refusal):
    """No post of these days is left that no human has labelled."""


class AlreadyCancelled(Refusal):
    """The draw was cancelled before."""


def ask(
    *,
    platform: Platform,
    posts: int,
    days: int,
    asked_by: User,
    at: datetime,
    idempotency_key: UUID | None = None,
) -> LabelDraw:
    """Draw posts uniformly from those of the last days that nobody labelled and that do not wait already,
    whatever the filter did with them; the same key draws once.

    Raises NotAllowed, OutOfRange, TooManyWait or NothingToDraw.
    """
    if not asked_by.may_export:
        raise NotAllowed(_("Only leads and ML engineers can draw posts for labelling."))
    if not (1 <= posts <= MOST_POSTS and 1 <= days <= MOST_DAYS):
        raise OutOfRange(
            _("Enter 1 to %(posts)d posts from 1 to %(days)d days.")
            % {"posts": MOST_POSTS, "days": MOST_DAYS}
        )
    with transaction.atomic():
        # Draws of a platform are serialised: two at once would draw the same posts.
        Platform.objects.select_for_update(no_key=True).get(pk=platform.pk)
        earlier = LabelDraw.objects.filter(asked_by=asked_by, idempotency_key=idempotency_key).first()
        if idempotency_key is not None and earlier is not None:
            return earlier
        _refuse_too_many(platform, posts=posts)
        ids, population = _drawn(platform, posts=posts, since=at - timedelta(days=days))
        if not ids:
            raise NothingToDraw(_("All posts of these days are already labelled."))
        draw = LabelDraw.objects.create(
            platform=platform,
            asked_by=asked_by,
            asked_at=at,
            days=days,
            wanted=posts,
            population=population,
            idempotency_key=idempotency_key,
        )
        draw.drawn = len(opened(ids, chance=len(ids) / population, draw=draw, at=at))
        draw.save(update_fields=("drawn",))
        _audit("draw.asked", draw, actor=asked_by, at=at, posts=draw.drawn, of=population, days=days)
    return draw


def opened(ids: Sequence[int], *, chance: float, at: datetime, draw: LabelDraw | None = None) -> list[Case]:
    """Open a case for each drawn post that is still free, in the order of the draw, with its chance."""
    standing = Post.objects.select_for_update(no_key=True, of=("self",)).select_related("platform")
    posts = {row.pk: row for row in standing.filter(pk__in=ids, erased_at__isnull=True).order_by("id")}
    busy = set(Case.objects.filter(post__in=posts, state=CaseState.OPEN).values_list("post_id", flat=True))
    scores = latest_scores.of(posts)
    cases = opening.all_opened(
        [
            Opening(
                post=posts[pk],
                score=scores[pk],
                reason=CaseReason.RANDOM,
                draw=draw,
                audit_probability=chance,
            )
            for pk in ids
            if pk in posts and pk in scores and pk not in busy
        ],
        at=at,
    )
    Case.objects.filter(pk__in=[case.pk for case in cases]).update(is_drawn=True)
    announce.opened(cases, at=at)
    return cases


def cancel(*, draw_id: int, cancelled_by: User, at: datetime) -> None:
    """Remove the unclaimed posts of a draw from the queue; the decided ones stay a smaller random sample.

    Raises NotAllowed, AlreadyCancelled or LabelDraw.DoesNotExist.
    """
    if not cancelled_by.may_export:
        raise NotAllowed(_("Only leads and ML engineers can draw posts for labelling."))
    with transaction.atomic():
        draw = LabelDraw.objects.select_for_update(of=("self",)).get(pk=draw_id)
        if draw.cancelled_at is not None:
            raise AlreadyCancelled(_("This draw was already cancelled."))
        cases = Case.objects.filter(draw=draw)
        open_cases = list(cases.filter(state=CaseState.OPEN).select_for_update().order_by("id"))
        ids = [case.pk for case in open_cases if case.lease_end_at is None or case.lease_end_at <= at]
        Case.objects.filter(pk__in=ids).update(
            state=CaseState.WITHDRAWN, closed_at=at, claimed_by=None, lease_end_at=None
        )
        # Cases come up in the order of the draw, so the decided ones are a random sample, too.
        rest = cases.exclude(state=CaseState.WITHDRAWN)
        rest.update(audit_probability=rest.count() / draw.population)
        draw.cancelled_at, draw.cancelled_by = at, cancelled_by
        draw.save(update_fields=("cancelled_at", "cancelled_by"))
        _audit("draw.cancelled", draw, actor=cancelled_by, at=at, posts=len(ids))


def _refuse_too_many(platform: Platform, *, posts: int) -> None:
    count = Case.objects.filter(draw__platform=platform, state=CaseState.OPEN).count()
    if count + posts > MOST_WAITING:
        raise TooManyWait(
            _("%(waiting)d posts drawn from this platform are still waiting; label or cancel them first.")
            % {"waiting": count}
        )


def _drawn(platform: Platform, *, posts: int, since: datetime) -> tuple[list[int], int]:
    """Return posts in random order, and the size of the population."""
    with connection.cursor() as cursor:
        cursor.execute(_DRAW, {"platform": platform.pk, "since": since, "wanted": posts})
        rows = cursor.fetchall()
    return [row[0] for row in rows], rows[0][1] if rows else 0
