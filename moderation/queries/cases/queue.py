"""The queue: cases that wait for a human, in the order in which they are handed out."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, F, QuerySet
from django.db.models.functions import Left

from moderation.models import Case, Complaint, Post, Score, User
from moderation.models.cases import BLIND_REASONS
from moderation.models.posts import ERASED_NAME, Subject
from moderation.queries import case_access, keyset, search
from moderation.queries.cases.backlog import visible
from moderation.queries.cases.queue_filter import KEYS, QueueFilter, Sort, condition
from moderation.queries.keyset import Page

EXCERPT_LENGTH = 160
_READ_LENGTH = 4 * EXCERPT_LENGTH


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueRow:
    """One case in the list. `spam_probability` is None for audit samples: showing it would bias the human."""

    case_id: int
    version: int
    reason: str
    is_escalated: bool
    uncertainty: float
    is_hidden: bool
    opened_at: datetime
    is_mine: bool
    holder: str
    author: str
    is_author_gone: bool
    is_account: bool
    excerpt: str
    language: str
    domains: tuple[str, ...]
    spam_probability: float | None
    is_degraded: bool
    complaints: int
    automated_complaints: int
    followers: int | None
    spread: int
    campaign_id: int | None
    campaign_posts: int

    @property
    def pick(self) -> str:
        """Name case and version where it may be decided with others; "" for what is judged blindly."""
        if self.holder and not self.is_mine:
            return ""
        return case_access.pick(case_id=self.case_id, version=self.version, reason=self.reason)

    @property
    def hidden_domains(self) -> tuple[str, ...]:
        """Domains that the excerpt does not show by itself."""
        return tuple(name for name in self.domains if name not in self.excerpt[:EXCERPT_LENGTH])


def rows(
    *, viewer: User, wanted: QueueFilter, at: datetime, cursor: str = "", limit: int = keyset.SHOWN
) -> Page[QueueRow]:
    """Return a page of the queue: escalated cases first if the viewer may take them, then in the order asked.

    Raises InvalidCursor.
    """
    order = (f"-{KEYS[wanted.sort]}", "pk")
    after = keyset.after(cursor, bool, datetime if wanted.sort is Sort.NEWEST else float, int)
    cases: list[Any] = []
    # One query each, as when cases are claimed, so that each reads its index in order and stops.
    for is_escalated in (True, False) if viewer.may_lead else (False,):
        if after is not None and is_escalated and not after[0]:
            continue
        group = visible(viewer).filter(condition(wanted, at=at), is_escalated=is_escalated)
        if after is not None and after[0] == is_escalated:
            group = keyset.beyond(group, order=order, after=after[1:])
        cases += _columns(group.order_by(*order))[: limit + 1 - len(cases)]
    has_more = len(cases) > limit
    end = keyset.key_of(cases[limit - 1], order=("is_escalated", *order)) if has_more else None
    return Page(_whole(cases[:limit], viewer=viewer, at=at), end)


def _columns(cases: QuerySet[Case]) -> QuerySet[Case, Any]:
    """Return the columns of the case itself; related rows are read for the shown rows only.

    With everything joined, planning the order of nine tables took longer than reading them.
    """
    return cases.values(
        "pk",
        "version",
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


def _whole(cases: list[dict[str, Any]], *, viewer: User, at: datetime) -> tuple[QueueRow, ...]:
    """Return the rows with the related rows of their cases."""
    posts = _posts([case["post_id"] for case in cases])
    scores = _scores([case["score_id"] for case in cases])
    domains = search.domains_of([score["revision_id"] for score in scores.values()])
    holders, automated = _holders(cases, at=at), _automated(cases)
    rows = []
    for case in cases:
        score = scores[case["score_id"]]
        whole = score | posts[case["post_id"]] | case
        holder = holders.get(case["claimed_by_id"], "") if _is_held(case, at=at) else ""
        is_mine = bool(holder) and case["claimed_by_id"] == viewer.pk
        names, by_machines = domains.get(score["revision_id"], ()), automated.get(case["post_id"], 0)
        rows.append(_row(whole, names, holder=holder, is_mine=is_mine, automated=by_machines))
    return tuple(rows)


def _automated(cases: list[dict[str, Any]]) -> dict[int, int]:
    """Return how many complaints machines made, by post; no query if nobody complained."""
    posts = [case["post_id"] for case in cases if case["complaint_count"]]
    rows = Complaint.objects.filter(post__in=posts, is_automated=True).order_by().values_list("post")
    return dict(rows.annotate(all=Count("pk"))) if posts else {}


def _posts(ids: list[int]) -> dict[int, dict[str, Any]]:
    posts: QuerySet[Post, Any] = Post.objects.filter(pk__in=ids).values(
        "pk",
        "subject",
        author_name=F("author__display_name"),
        author_external_id=F("author__external_id"),
        author_deleted_at=F("author__deletion__deleted_at"),
        campaign_id=F("membership__campaign_id"),
        campaign_posts=F("membership__campaign__posts"),
    )
    return {post["pk"]: post for post in posts}


def _scores(ids: list[int]) -> dict[int, dict[str, Any]]:
    """Read the scores without texts and records, which would be megabytes."""
    scores: QuerySet[Score, Any] = Score.objects.filter(pk__in=ids).values(
        "pk",
        "spam_probability",
        "is_degraded",
        "is_audit_sample",
        "revision_id",
        text=Left("revision__text", _READ_LENGTH),
        followers=F("revision__author_snapshot__followers"),
        shares=F("revision__shares"),
        comments=F("revision__comments"),
    )
    return {score["pk"]: score for score in scores}


def _holders(cases: list[dict[str, Any]], *, at: datetime) -> dict[int, str]:
    """Return the names of the users who hold the cases; no query if none is held."""
    holders = {case["claimed_by_id"] for case in cases if _is_held(case, at=at)}
    return dict(User.objects.filter(pk__in=holders).values_list("pk", "username")) if holders else {}


def _is_held(case: dict[str, Any], *, at: datetime) -> bool:
    return case["lease_end_at"] is not None and case["lease_end_at"] > at


def _row(
    case: dict[str, Any], domains: tuple[str, ...], *, holder: str, is_mine: bool, automated: int
) -> QueueRow:
    is_hidden = case["reason"] in BLIND_REASONS or case["is_audit_sample"]
    return QueueRow(
        case_id=case["pk"],
        version=case["version"],
        reason=case["reason"],
        is_escalated=case["is_escalated"],
        uncertainty=case["uncertainty"],
        is_hidden=is_hidden,
        opened_at=case["opened_at"],
        is_mine=is_mine,
        holder=holder,
        author=case["author_name"] or case["author_external_id"] or str(ERASED_NAME),
        is_author_gone=case["author_deleted_at"] is not None,
        is_account=case["subject"] == Subject.ACCOUNT,
        excerpt=case["text"],
        language=case["language"],
        domains=domains,
        spam_probability=None if is_hidden else case["spam_probability"],
        is_degraded=case["is_degraded"],
        complaints=case["complaint_count"],
        automated_complaints=automated,
        followers=case["followers"],
        spread=(case["shares"] or 0) + (case["comments"] or 0),
        campaign_id=None if is_hidden else case["campaign_id"],
        campaign_posts=case["campaign_posts"] or 0,
    )
