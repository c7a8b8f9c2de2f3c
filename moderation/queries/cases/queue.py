"""The queue: cases that wait for a human, in the order in which they are handed out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.db.models import F, QuerySet
from django.db.models.functions import Left

from moderation.models import Case, Post, PostLink, Score, User
from moderation.models.cases import BLIND_REASONS
from moderation.models.posts import ERASED_NAME
from moderation.queries import keyset
from moderation.queries.cases.backlog import aged, visible
from moderation.queries.keyset import Page

EXCERPT_LENGTH = 160
_READ_LENGTH = 4 * EXCERPT_LENGTH


class Sort(StrEnum):
    """The orders of the queue. None tells a hidden probability: an audit sample has a place without one."""

    HARM = "harm"
    UNCERTAINTY = "uncertainty"
    NEWEST = "newest"
    REPORTED = "reported"


KEYS = {
    Sort.HARM: "priority",
    Sort.UNCERTAINTY: "uncertainty",
    Sort.NEWEST: "opened_at",
    Sort.REPORTED: "complaint_count",
}


@dataclass(frozen=True, kw_only=True)
class QueueFilter:
    """What to show, and in which order; empty means everything. `age` is an index of backlog.BUCKETS."""

    reason: str = ""
    language: str = ""
    domain: str = ""
    campaign: int | None = None
    age: int | None = None
    sort: Sort = Sort.HARM


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueRow:
    """One case in the list. `spam_probability` is None for audit samples: showing it would bias the human."""

    case_id: int
    reason: str
    is_escalated: bool
    expected_harm: float
    uncertainty: float
    is_hidden: bool
    opened_at: datetime
    holder_id: int | None
    holder: str
    post_external_id: str
    author: str
    excerpt: str
    language: str
    domains: tuple[str, ...]
    spam_probability: float | None
    is_degraded: bool
    complaints: int
    followers: int | None
    spread: int
    campaign_id: int | None
    campaign_posts: int

    @property
    def hidden_domains(self) -> tuple[str, ...]:
        """Domains that the excerpt does not show by itself."""
        return tuple(name for name in self.domains if name not in self.excerpt[:EXCERPT_LENGTH])


def rows(
    *, viewer: User, wanted: QueueFilter, at: datetime, cursor: str = "", limit: int = 50
) -> Page[QueueRow]:
    """Return a page of the queue: escalated cases first if the viewer may take them, then in the order asked.

    Raises InvalidCursor.
    """
    order = (f"-{KEYS[wanted.sort]}", "pk")
    after = keyset.after(cursor, bool, datetime if wanted.sort is Sort.NEWEST else float, int)
    found: list[Any] = []
    for is_escalated in (True, False) if viewer.may_lead else (False,):
        if after is not None and is_escalated and not after[0]:
            continue
        group = _filtered(visible(viewer), wanted, at=at).filter(is_escalated=is_escalated)
        if after is not None and after[0] == is_escalated:
            group = keyset.beyond(group, order=order, after=after[1:])
        found += _columns(group.order_by(*order))[: limit + 1 - len(found)]
    has_more = len(found) > limit
    end = keyset.key_of(found[limit - 1], order=("is_escalated", *order)) if has_more else None
    return Page(_whole(found[:limit], at=at), end)


def _filtered(cases: QuerySet[Case], wanted: QueueFilter, *, at: datetime) -> QuerySet[Case]:
    if wanted.reason:
        cases = cases.filter(reason=wanted.reason)
    if wanted.language:
        cases = cases.filter(language=wanted.language)
    if wanted.age is not None:
        cases = cases.filter(aged(wanted.age, at=at))
    if wanted.domain:
        links = PostLink.objects.filter(domain__name=wanted.domain.lower())
        # By post, of which a case is the only open one; by score, every open case would be joined first.
        cases = cases.filter(post__in=links.values("revision__post"))
    if wanted.campaign is not None:
        cases = cases.filter(post__membership__campaign=wanted.campaign).exclude(reason__in=BLIND_REASONS)
    return cases


def _columns(cases: QuerySet[Case]) -> QuerySet[Case, Any]:
    """Only what a row shows, and only of the case itself: what belongs to it is read for the rows shown.

    With all of it joined, PostgreSQL thought about the order of nine tables for longer than it read them.
    """
    return cases.values(
        "pk",
        "reason",
        "is_escalated",
        "priority",
        "uncertainty",
        "opened_at",
        "language",
        "complaint_count",
        "claimed_by_id",
        "lease_end_at",
        "post_id",
        "score_id",
    )


def _whole(cases: list[dict[str, Any]], *, at: datetime) -> tuple[QueueRow, ...]:
    """Return the rows with what belongs to their cases."""
    posts = _posts([case["post_id"] for case in cases])
    scores = _scores([case["score_id"] for case in cases])
    domains = _domains([score["revision_id"] for score in scores.values()])
    holders = _holders(cases, at=at)
    rows = []
    for case in cases:
        score = scores[case["score_id"]]
        whole = score | posts[case["post_id"]] | case
        shown_domains = domains.get(score["revision_id"], ())
        rows.append(_row(whole, shown_domains, holder=holders.get(case["claimed_by_id"], ""), at=at))
    return tuple(rows)


def _posts(ids: list[int]) -> dict[int, dict[str, Any]]:
    posts: QuerySet[Post, Any] = Post.objects.filter(pk__in=ids).values(
        "pk",
        "external_id",
        author_name=F("author__display_name"),
        author_external_id=F("author__external_id"),
        campaign_id=F("membership__campaign_id"),
        campaign_posts=F("membership__campaign__posts"),
    )
    return {post["pk"]: post for post in posts}


def _scores(ids: list[int]) -> dict[int, dict[str, Any]]:
    """Whole texts and records would be megabytes."""
    scores: QuerySet[Score, Any] = Score.objects.filter(pk__in=ids).values(
        "pk",
        "spam_probability",
        "is_degraded",
        "is_audit_sample",
        "revision_id",
        text=Left("revision__text", _READ_LENGTH),
        followers=F("record__author__followers"),
        shares=F("revision__shares"),
        comments=F("revision__comments"),
    )
    return {score["pk"]: score for score in scores}


def _holders(cases: list[dict[str, Any]], *, at: datetime) -> dict[int, str]:
    """Return the names of those who hold one of the cases; asks nobody where none is held."""
    held = {case["claimed_by_id"] for case in cases if case["lease_end_at"] and case["lease_end_at"] > at}
    return dict(User.objects.filter(pk__in=held).values_list("pk", "username")) if held else {}


def _domains(revision_ids: list[int]) -> dict[int, tuple[str, ...]]:
    links = PostLink.objects.filter(revision__in=revision_ids, position__lt=5).order_by(
        "revision_id", "position"
    )
    found: dict[int, dict[str, None]] = {}
    for revision_id, name in links.values_list("revision_id", "domain__name"):
        found.setdefault(revision_id, {})[name] = None
    return {revision_id: tuple(names) for revision_id, names in found.items()}


def _row(case: dict[str, Any], domains: tuple[str, ...], *, holder: str, at: datetime) -> QueueRow:
    is_held = case["lease_end_at"] is not None and case["lease_end_at"] > at
    is_hidden = case["reason"] in BLIND_REASONS or case["is_audit_sample"]
    return QueueRow(
        case_id=case["pk"],
        reason=case["reason"],
        is_escalated=case["is_escalated"],
        expected_harm=case["priority"],
        uncertainty=case["uncertainty"],
        is_hidden=is_hidden,
        opened_at=case["opened_at"],
        holder_id=case["claimed_by_id"] if is_held else None,
        holder=holder if is_held else "",
        post_external_id=case["external_id"],
        author=case["author_name"] or case["author_external_id"] or str(ERASED_NAME),
        excerpt=case["text"],
        language=case["language"],
        domains=domains,
        spam_probability=None if is_hidden else case["spam_probability"],
        is_degraded=case["is_degraded"],
        complaints=case["complaint_count"],
        followers=case["followers"],
        spread=(case["shares"] or 0) + (case["comments"] or 0),
        campaign_id=None if is_hidden else case["campaign_id"],
        campaign_posts=case["campaign_posts"] or 0,
    )
