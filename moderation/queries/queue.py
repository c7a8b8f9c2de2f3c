"""The queue: cases that wait for a human, in the order in which they are handed out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from django.db.models import Count, F, Min, Q, QuerySet
from django.db.models.functions import Left
from django.utils.translation import gettext_lazy as _

from moderation.models import Case, PostLink, User
from moderation.models.cases import BLIND_REASONS, CaseReason, CaseState
from moderation.queries.search import InvalidCursor as InvalidCursor  # noqa: PLC0414 - raised here, caught by pages

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

# Waiting times that a lead acts on; the last bucket is open.
BUCKETS: tuple[tuple[StrOrPromise, timedelta], ...] = (
    (_("under 5 min"), timedelta(0)),
    (_("5 to 30 min"), timedelta(minutes=5)),
    (_("30 min to 2 h"), timedelta(minutes=30)),
    (_("2 to 8 h"), timedelta(hours=2)),
    (_("over 8 h"), timedelta(hours=8)),
)
EXCERPT_LENGTH = 160
_READ_LENGTH = 4 * EXCERPT_LENGTH


class Sort(StrEnum):
    """The orders of the queue. None tells a hidden probability: an audit sample has a place without one."""

    HARM = "harm"
    UNCERTAINTY = "uncertainty"
    NEWEST = "newest"
    REPORTED = "reported"


_KEYS = {
    Sort.HARM: "priority",
    Sort.UNCERTAINTY: "uncertainty",
    Sort.NEWEST: "opened_at",
    Sort.REPORTED: "complaint_count",
}


@dataclass(frozen=True, kw_only=True)
class QueueFilter:
    """What to show, and in which order; empty means everything. `age` is an index of BUCKETS."""

    reason: str = ""
    language: str = ""
    domain: str = ""
    campaign: int | None = None
    age: int | None = None
    sort: Sort = Sort.HARM


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """How many cases have waited so long; `index` is the value of the filter by age."""

    index: int
    name: str
    cases: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonCount:
    """How many cases wait for one reason."""

    value: str
    name: str
    cases: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The queue in numbers, as one role sees it."""

    total: int
    claimed: int
    oldest_at: datetime | None
    reasons: tuple[ReasonCount, ...]
    buckets: tuple[Bucket, ...]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Some rows and the cursor that continues after them, "" at the end."""

    rows: tuple[QueueRow, ...]
    next_cursor: str


def overview(*, viewer: User, at: datetime) -> Overview:
    """Count the open cases that a person may work on, in one query."""
    aggregates: dict[str, Any] = {"total": Count("pk"), "oldest_at": Min("opened_at")}
    aggregates["claimed"] = Count("pk", filter=Q(lease_end_at__gt=at))
    for reason in CaseReason:
        aggregates[f"reason_{reason.value}"] = Count("pk", filter=Q(reason=reason))
    for index in range(len(BUCKETS)):
        aggregates[f"bucket_{index}"] = Count("pk", filter=_aged(index, at=at))
    counted = _visible(viewer).aggregate(**aggregates)
    return Overview(
        total=counted["total"],
        claimed=counted["claimed"],
        oldest_at=counted["oldest_at"],
        reasons=tuple(
            ReasonCount(value=reason.value, name=str(reason.label), cases=counted[f"reason_{reason.value}"])
            for reason in CaseReason
        ),
        buckets=tuple(
            Bucket(index=index, name=str(name), cases=counted[f"bucket_{index}"])
            for index, (name, _) in enumerate(BUCKETS)
        ),
    )


def languages(*, viewer: User) -> list[str]:
    """Return the languages of the posts that wait, for the filter."""
    named = _visible(viewer).exclude(language="").order_by("language")
    return list(named.values_list("language", flat=True).distinct())


def rows(*, viewer: User, wanted: QueueFilter, at: datetime, cursor: str = "", limit: int = 50) -> Page:
    """Return a page of the queue: escalated cases first if the viewer may take them, then in the order asked.

    Raises InvalidCursor.
    """
    key = _KEYS[wanted.sort]
    after = _parsed(cursor, sort=wanted.sort) if cursor else None
    found: list[Any] = []
    for is_escalated in (True, False) if viewer.may_lead else (False,):
        if after is not None and is_escalated and not after[0]:
            continue
        group = _filtered(_visible(viewer), wanted, at=at).filter(is_escalated=is_escalated)
        if after is not None and after[0] == is_escalated:
            _, value, case_id = after
            later = Q(**{f"{key}__lt": value}) | Q(**{key: value, "pk__gt": case_id})
            # The plain bound lets the index start at the cursor; the OR alone would scan from the beginning.
            group = group.filter(later, **{f"{key}__lte": value})
        found += _columns(group.order_by(f"-{key}", "id"))[: limit + 1 - len(found)]
    shown = found[:limit]
    domains = _domains([case["revision_id"] for case in shown])
    return Page(
        rows=tuple(_row(case, domains.get(case["revision_id"], ()), at=at) for case in shown),
        next_cursor=_cursor(shown[-1], key=key) if len(found) > limit else "",
    )


def _visible(viewer: User) -> QuerySet[Case]:
    cases = Case.objects.filter(state=CaseState.OPEN)
    return cases if viewer.may_lead else cases.filter(is_escalated=False)


def _aged(index: int, *, at: datetime) -> Q:
    """Return the condition of having waited as long as one of BUCKETS says."""
    aged = Q(opened_at__lte=at - BUCKETS[index][1]) if index else Q()
    return aged & Q(opened_at__gt=at - BUCKETS[index + 1][1]) if index + 1 < len(BUCKETS) else aged


def _filtered(cases: QuerySet[Case], wanted: QueueFilter, *, at: datetime) -> QuerySet[Case]:
    if wanted.reason:
        cases = cases.filter(reason=wanted.reason)
    if wanted.language:
        cases = cases.filter(language=wanted.language)
    if wanted.age is not None:
        cases = cases.filter(_aged(wanted.age, at=at))
    if wanted.domain:
        links = PostLink.objects.filter(domain__name=wanted.domain.lower())
        # By post, of which a case is the only open one; by score, every open case would be joined first.
        cases = cases.filter(post__in=links.values("revision__post"))
    if wanted.campaign is not None:
        cases = cases.filter(post__membership__campaign=wanted.campaign).exclude(reason__in=BLIND_REASONS)
    return cases


def _columns(cases: QuerySet[Case]) -> QuerySet[Case, Any]:
    """Only what a row shows: whole texts and records of fifty posts would be megabytes."""
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
        "score__spam_probability",
        "score__is_degraded",
        "score__is_audit_sample",
        holder=F("claimed_by__username"),
        external_id=F("post__external_id"),
        author=F("post__author__display_name"),
        author_external_id=F("post__author__external_id"),
        revision_id=F("score__revision_id"),
        text=Left("score__revision__text", _READ_LENGTH),
        followers=F("score__record__author__followers"),
        shares=F("score__revision__shares"),
        comments=F("score__revision__comments"),
        campaign_id=F("post__membership__campaign_id"),
        campaign_posts=F("post__membership__campaign__posts"),
    )


def _domains(revision_ids: list[int]) -> dict[int, tuple[str, ...]]:
    links = PostLink.objects.filter(revision__in=revision_ids, position__lt=5).order_by(
        "revision_id", "position"
    )
    found: dict[int, dict[str, None]] = {}
    for revision_id, name in links.values_list("revision_id", "domain__name"):
        found.setdefault(revision_id, {})[name] = None
    return {revision_id: tuple(names) for revision_id, names in found.items()}


def _row(case: dict[str, Any], domains: tuple[str, ...], *, at: datetime) -> QueueRow:
    is_held = case["lease_end_at"] is not None and case["lease_end_at"] > at
    is_hidden = case["reason"] in BLIND_REASONS or case["score__is_audit_sample"]
    return QueueRow(
        case_id=case["pk"],
        reason=case["reason"],
        is_escalated=case["is_escalated"],
        expected_harm=case["priority"],
        uncertainty=case["uncertainty"],
        is_hidden=is_hidden,
        opened_at=case["opened_at"],
        holder_id=case["claimed_by_id"] if is_held else None,
        holder=(case["holder"] or "") if is_held else "",
        post_external_id=case["external_id"],
        author=case["author"] or case["author_external_id"],
        excerpt=case["text"],
        language=case["language"],
        domains=domains,
        spam_probability=None if is_hidden else case["score__spam_probability"],
        is_degraded=case["score__is_degraded"],
        complaints=case["complaint_count"],
        followers=case["followers"],
        spread=(case["shares"] or 0) + (case["comments"] or 0),
        campaign_id=None if is_hidden else case["campaign_id"],
        campaign_posts=case["campaign_posts"] or 0,
    )


def _cursor(case: dict[str, Any], *, key: str) -> str:
    value = case[key]
    written = value.isoformat() if isinstance(value, datetime) else repr(value)
    return f"{int(case['is_escalated'])}~{written}~{case['pk']}"


def _parsed(cursor: str, *, sort: Sort) -> tuple[bool, float | datetime, int]:
    try:
        is_escalated, written, case_id = cursor.split("~")
        value = datetime.fromisoformat(written).astimezone(UTC) if sort is Sort.NEWEST else float(written)
        return bool(int(is_escalated)), value, int(case_id)
    except (ValueError, OverflowError):
        raise InvalidCursor("This page of the queue does not exist.") from None
