"""The queue: cases that wait for a human, in the order in which they are handed out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, F, Min, Q, QuerySet
from django.db.models.functions import Left

from moderation.models import Case, PostLink, User
from moderation.models.cases import CaseReason, CaseState

# Waiting times that a lead acts on; the last bucket is open.
BUCKETS: tuple[tuple[str, timedelta], ...] = (
    ("under 5 min", timedelta(0)),
    ("5 to 30 min", timedelta(minutes=5)),
    ("30 min to 2 h", timedelta(minutes=30)),
    ("2 to 8 h", timedelta(hours=2)),
    ("over 8 h", timedelta(hours=8)),
)
EXCERPT_LENGTH = 160
_READ_LENGTH = 4 * EXCERPT_LENGTH


class InvalidCursor(ValueError):
    """The cursor was not given out by this module."""


@dataclass(frozen=True, kw_only=True)
class QueueFilter:
    """What to show; empty means everything."""

    reason: str = ""
    language: str = ""
    domain: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """How many cases have waited so long."""

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
    for index, (_, youngest) in enumerate(BUCKETS):
        aged = Q(opened_at__lte=at - youngest) if index else Q()
        if index + 1 < len(BUCKETS):
            aged &= Q(opened_at__gt=at - BUCKETS[index + 1][1])
        aggregates[f"bucket_{index}"] = Count("pk", filter=aged)
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
            Bucket(name=name, cases=counted[f"bucket_{index}"]) for index, (name, _) in enumerate(BUCKETS)
        ),
    )


def languages(*, viewer: User) -> list[str]:
    """Return the languages of the posts that wait, for the filter."""
    named = _visible(viewer).exclude(score__revision__language="").order_by("score__revision__language")
    return list(named.values_list("score__revision__language", flat=True).distinct())


def rows(*, viewer: User, wanted: QueueFilter, at: datetime, cursor: str = "", limit: int = 50) -> Page:
    """Return a page of the queue: escalated cases first if the viewer may take them, then by expected harm.

    Raises InvalidCursor.
    """
    after = _parsed(cursor) if cursor else None
    found: list[Any] = []
    for is_escalated in (True, False) if viewer.may_lead else (False,):
        if after is not None and is_escalated and not after[0]:
            continue
        group = _filtered(_visible(viewer), wanted).filter(is_escalated=is_escalated)
        if after is not None and after[0] == is_escalated:
            _, priority, case_id = after
            group = group.filter(Q(priority__lt=priority) | Q(priority=priority, pk__gt=case_id))
        found += _columns(group)[: limit + 1 - len(found)]
    shown = found[:limit]
    domains = _domains([case["revision_id"] for case in shown])
    return Page(
        rows=tuple(_row(case, domains.get(case["revision_id"], ()), at=at) for case in shown),
        next_cursor=_cursor(shown[-1]) if len(found) > limit else "",
    )


def _visible(viewer: User) -> QuerySet[Case]:
    cases = Case.objects.filter(state=CaseState.OPEN)
    return cases if viewer.may_lead else cases.filter(is_escalated=False)


def _filtered(cases: QuerySet[Case], wanted: QueueFilter) -> QuerySet[Case]:
    if wanted.reason:
        cases = cases.filter(reason=wanted.reason)
    if wanted.language:
        cases = cases.filter(score__revision__language=wanted.language)
    if wanted.domain:
        links = PostLink.objects.filter(domain__name=wanted.domain.lower())
        cases = cases.filter(score__revision__in=links.values("revision"))
    return cases


def _columns(cases: QuerySet[Case]) -> QuerySet[Case, Any]:
    """Only what a row shows: whole texts and records of fifty posts would be megabytes."""
    return cases.order_by("-priority", "id").values(
        "pk",
        "reason",
        "is_escalated",
        "priority",
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
    is_hidden = case["reason"] == CaseReason.AUDIT
    return QueueRow(
        case_id=case["pk"],
        reason=case["reason"],
        is_escalated=case["is_escalated"],
        expected_harm=case["priority"],
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
    )


def _cursor(case: dict[str, Any]) -> str:
    return f"{int(case['is_escalated'])}~{case['priority']!r}~{case['pk']}"


def _parsed(cursor: str) -> tuple[bool, float, int]:
    try:
        is_escalated, priority, case_id = cursor.split("~")
        return bool(int(is_escalated)), float(priority), int(case_id)
    except ValueError:
        raise InvalidCursor("This page of the queue does not exist.") from None
