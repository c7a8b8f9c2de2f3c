"""Counts in the database for one run, by the prefix of its post ids. Import after `connect`."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Count, Exists, F, OuterRef

from moderation.models import Case, Decision, Post, Revision
from moderation.models.cases import CaseState
from moderation.models.posts import ScoreState


def count(run: str) -> dict[str, int]:
    """Count this run's posts: stored, scored with content by now, scored more often than asked for."""
    revisions = Revision.objects.filter(post__external_id__startswith=run)
    doubled = revisions.annotate(times=Count("scores")).filter(times__gt=F("generation"))
    return {
        "posts": Post.objects.filter(external_id__startswith=run).count(),
        "settled": settled(run),
        "doubled": doubled.count(),
    }


def settled(run: str) -> int:
    """Count the posts that are scored with content."""
    revisions = Revision.objects.filter(post__external_id__startswith=run)
    return revisions.filter(score_state=ScoreState.SCORED).count()


def silent(run: str) -> int:
    """Count the posts that neither anybody decided nor waits for anybody: silently passed."""
    decisions = Decision.objects.filter(post=OuterRef("pk"), reversal__isnull=True)
    cases = Case.objects.filter(post=OuterRef("pk"), state=CaseState.OPEN)
    posts = Post.objects.filter(external_id__startswith=run)
    return posts.filter(~Exists(decisions), ~Exists(cases)).count()


def lost_decisions(acknowledged: Collection[int]) -> int:
    """Count the decisions whose answer arrived and whose row is not there."""
    ids = list(acknowledged)
    number = Decision.objects.filter(pk__in=ids).count()
    return len(set(ids)) - number


def cases_decided_twice(run: str) -> int:
    """Count the cases with more than one decision in force."""
    live = Decision.objects.filter(
        case__isnull=False, reversal__isnull=True, post__external_id__startswith=run
    )
    return live.order_by().values("case").annotate(times=Count("pk")).filter(times__gt=1).count()
