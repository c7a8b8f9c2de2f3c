"""Counts in the database for one run, by the prefix of its post ids. Import after `connect`."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Count, Exists, F, OuterRef, QuerySet

from moderation.models import Case, Decision, Post, Revision
from moderation.models.cases import CaseState
from moderation.models.posts import ScoreState


def settled(run: str) -> int:
    """Count the posts that are scored with content."""
    return _revisions(run).filter(scoring__state=ScoreState.SCORED).count()


def count(run: str, *, acknowledged: Collection[int]) -> dict[str, int]:
    """Count this run's posts and decisions, as a table names them; the answers to `acknowledged` arrived."""
    posts = Post.objects.filter(external_id__startswith=run)
    decisions = Decision.objects.filter(reversal__isnull=True)
    own, cases = decisions.filter(post=OuterRef("pk")), Case.objects.filter(post=OuterRef("pk"))
    doubled = _revisions(run).annotate(times=Count("scores")).filter(times__gt=F("scoring__generation"))
    of_cases = decisions.filter(case__isnull=False, post__external_id__startswith=run).order_by()
    return {
        "posts": posts.count(),
        "settled": settled(run),
        "doubled": doubled.count(),
        "silent": posts.filter(~Exists(own), ~Exists(cases.filter(state=CaseState.OPEN))).count(),
        "acknowledged": len(acknowledged),
        "forgotten": len(set(acknowledged)) - Decision.objects.filter(pk__in=acknowledged).count(),
        "twice": of_cases.values("case").annotate(times=Count("pk")).filter(times__gt=1).count(),
    }


def _revisions(run: str) -> QuerySet[Revision]:
    return Revision.objects.filter(post__external_id__startswith=run)
