"""A post with everything that its platform may see."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from moderation.models import CampaignMember, Case, Decision, Platform, PolicyMatch, Post, Revision, Score
from moderation.models.cases import CaseReason
from moderation.queries import parents
from moderation.queries.decisions import platform_decisions
from moderation.queries.evidence import findings
from moderation.queries.evidence.findings import Finding
from moderation.queries.parents import Parent
from moderation.queries.policies import policy_pages

_MAX_SCORES = 20


@dataclass(frozen=True, kw_only=True)
class PostPage:
    """The latest revision, the last scores of any revision (newest first), the last case and the decision."""

    post: Post
    revision: Revision
    parent: Parent | None
    evidence: tuple[Finding, ...]
    scores: tuple[Score, ...]
    campaign_id: int | None
    policies: tuple[PolicyMatch, ...]
    case: Case | None
    decision: Decision | None


def by_id(*, platform: Platform, post_id: str, at: datetime) -> PostPage:
    """Read a post of this platform by our id. Raises Post.DoesNotExist, also for an id that cannot be one."""
    is_number = post_id.isascii() and post_id.isdigit() and len(post_id) < 19
    return _page(platform=platform, at=at, pk=int(post_id) if is_number else 0)


def by_external_id(*, platform: Platform, external_id: str, at: datetime) -> PostPage:
    """Read a post of this platform by the platform's id. Raises Post.DoesNotExist."""
    return _page(platform=platform, at=at, external_id=external_id)


def count_since(*, platform: Platform, since: datetime) -> int:
    """Return the number of posts of a platform received since a time."""
    return Post.objects.filter(platform=platform, received_at__gte=since).count()


def _page(*, platform: Platform, at: datetime, **key: Any) -> PostPage:
    post = Post.objects.select_related("author").get(platform=platform, **key)
    scores = (
        Score.objects.filter(revision__post=post)
        .select_related("revision", "ban__author", "rule__author")
        .order_by("-scored_at", "-id")
    )
    members = CampaignMember.objects.filter(post=post, campaign__posts__gte=2)
    revision = Revision.objects.select_related("parent_author", "scoring").get(
        post=post, number=post.latest_revision
    )
    revision.post = post
    return PostPage(
        post=post,
        revision=revision,
        parent=parents.parent(revision),
        evidence=findings.of(revision),
        scores=tuple(
            scores.defer("record", "features", "word_contributions", "evidence_words")[:_MAX_SCORES]
        ),
        campaign_id=members.values_list("campaign_id", flat=True).first(),
        policies=tuple(policy_pages.matched_by(post.pk, at=at)),
        case=Case.objects.filter(post=post).exclude(reason=CaseReason.BLIND).order_by("-id").first(),
        decision=platform_decisions.standing(post_id=post.pk, at=at),
    )
