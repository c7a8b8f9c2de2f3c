"""Decided posts beside a case: near-duplicates, those with the same picture, and those that say the same in
other words.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F, QuerySet, Value
from django.db.models.functions import Coalesce, Concat, Left, NullIf, Trim

from moderation.models import Case, Decision, Revision, RevisionGroup, RevisionPicture
from moderation.models.posts import ERASED_NAME
from moderation.queries import outcome_counts
from moderation.queries.evidence.findings import Finding
from moderation.queries.outcome_counts import Decided
from scoring.content import ContentScore, vectors_of

_MAX_SHOWN = 3
_MAX_ALIKE = 60
_MAX_COMPARED = 2_000
_LENGTH = 400
_SAME_MEANING = 0.95
"""Cosine of two vectors. Of 3,433 posts on X, 12 % have another at least so near that is no near-duplicate,
and 99 % of these have its label.
"""
_NAME = ("decided_by__first_name", Value(" "), "decided_by__last_name")
_AUTHOR = Coalesce(
    NullIf("post__author__display_name", Value("")), "post__author__external_id", Value(str(ERASED_NAME))
)
_FIELDS = (
    "post_id",
    _AUTHOR,
    Left("revision__text", _LENGTH),
    "verdict",
    Coalesce(NullIf(Trim(Concat(*_NAME)), Value("")), "decided_by__username"),
    "decided_at",
)
"""In the order of NearPost."""


@dataclass(frozen=True, slots=True)
class NearPost:
    """Another post and its decision; `decided_by` is None for the filter."""

    post_id: int
    author: str
    excerpt: str
    verdict: str
    decided_by: str | None
    decided_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class NearPosts:
    """The nearest decided posts, people's decisions first, and counts over all posts compared."""

    posts: tuple[NearPost, ...]
    decided: Decided


def near(case: Case) -> NearPosts:
    """Read the newest near-duplicates only: a campaign may have a hundred thousand."""
    group = case.score.revision.similarity_group
    alike = RevisionGroup.objects.filter(similarity_group=group) if group else RevisionGroup.objects.none()
    newest = alike.exclude(post=case.post_id).order_by("-received_at", "-pk").values("pk")[:_MAX_ALIKE]
    rows = list(_decided(newest).values_list(*_FIELDS, "source"))
    return NearPosts(
        posts=tuple(NearPost(*row) for *row, _ in rows[:_MAX_SHOWN]),
        decided=outcome_counts.decided(f"{source}:{row[3]}" for *row, source in rows),
    )


def same_picture(case: Case, evidence: Sequence[Finding]) -> tuple[NearPost, ...]:
    """Read decided posts of another text with a copy of one of its pictures, which may be a stock one."""
    groups = sorted({item.row.picture_group_id for item in evidence if item.row.picture_group_id})
    if not groups:
        return ()
    # Each picture by itself: an index gives its newest posts, however many show it.
    first, *others = [
        RevisionPicture.objects.filter(group=group).order_by("-received_at").values("revision")[:_MAX_ALIKE]
        for group in groups
    ]
    rows = _decided(first.union(*others) if others else first).exclude(post=case.post_id)
    if group := case.score.revision.similarity_group:
        rows = rows.exclude(revision__grouped__similarity_group=group)
    return tuple(NearPost(*row) for row in rows.values_list(*_FIELDS)[:_MAX_SHOWN])


def _decided(revisions: QuerySet[Any, Any]) -> QuerySet[Decision]:
    posts = Revision.objects.filter(pk__in=revisions).values("post")  # their index finds the decisions
    decided = Decision.objects.filter(post__in=posts, revision__in=revisions, reversal__isnull=True)
    return decided.order_by(F("decided_by").asc(nulls_last=True), "-decided_at", "-id")


def same_meaning(case: Case) -> tuple[NearPost, ...]:
    """Read which of the posts that people decided last on the platform say the same, the nearest first.

    Near-duplicates stand in their own list.
    """
    score, group = case.score, case.score.revision.similarity_group
    if not score.content_score:
        return ()
    decided = Decision.objects.filter(
        post__platform=case.post.platform_id,
        decided_by__isnull=False,
        reversal__isnull=True,
        score__content_model=score.content_model,
        score__content_score__isnull=False,
    )
    others = decided.exclude(post=case.post_id)
    if group:
        others = others.exclude(revision__grouped__similarity_group=group)
    newest = others.order_by("-decided_at").values_list("pk", "score__content_score")[:_MAX_COMPARED]
    own = bytes(score.content_score)
    stored = {pk: bytes(raw) for pk, raw in newest if raw is not None and len(raw) == len(own)}
    vector, *vectors = vectors_of([ContentScore.from_bytes(raw) for raw in (own, *stored.values())])
    alike = dict(zip(stored, (float(other @ vector) for other in vectors), strict=True))
    nearest = sorted((pk for pk in alike if alike[pk] >= _SAME_MEANING), key=lambda pk: -alike[pk])[
        :_MAX_SHOWN
    ]
    rows = {pk: row for pk, *row in Decision.objects.filter(pk__in=nearest).values_list("pk", *_FIELDS)}
    return tuple(NearPost(*rows[pk]) for pk in nearest if pk in rows)
