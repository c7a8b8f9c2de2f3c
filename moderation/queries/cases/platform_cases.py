"""A platform's own cases, for reviews through the API."""

from dataclasses import dataclass
from datetime import UTC, datetime

from django.db.models import Q, QuerySet

from moderation.models import Appeal, Case, Platform
from moderation.models.cases import BLIND_REASONS, CaseReason, CaseState
from moderation.queries import keyset
from moderation.queries.cases.queue_filter import KEYS, Sort
from moderation.queries.keyset import Key, Page

SORTS = {sort.value: key for sort, key in KEYS.items()}
"""The orders of a page, and what each sorts by, the largest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which cases, in which order; `after` is the place of the last one: (what it is sorted by, id)."""

    state: str = CaseState.OPEN
    reason: str = ""
    priority_from: float | None = None
    campaign_id: int | None = None
    release_id: str = ""
    sort: str = Sort.HARM
    after: tuple[float, int] | None = None


def of_platform(platform: Platform, *, reason: str = "") -> Q:
    """Return the condition for a platform's cases, of one reason or of all."""
    own = Q(platform=platform) & ~Q(reason=CaseReason.BLIND)
    return own & Q(reason=reason) if reason else own


def page(*, platform: Platform, wanted: Wanted, limit: int) -> Page[Case]:
    """Return cases by expected harm, or as `wanted.sort` says."""
    rows = _shown().filter(of_platform(platform, reason=wanted.reason), state=wanted.state)
    if wanted.priority_from is not None:
        rows = rows.filter(priority__gte=wanted.priority_from)
    if wanted.campaign_id is not None:
        # A blind case measures the campaign: showing that it belongs to one would bias the measurement.
        rows = rows.filter(post__membership__campaign=wanted.campaign_id).exclude(reason__in=BLIND_REASONS)
    if wanted.release_id:
        rows = rows.filter(score__release=wanted.release_id)
    key, after = SORTS[wanted.sort], None
    if wanted.after is not None:
        number, last = wanted.after
        value = datetime.fromtimestamp(number, tz=UTC) if wanted.sort == Sort.NEWEST else number
        after = (value, last)
    page = keyset.page(rows, order=(f"-{key}", "pk"), after=after, limit=limit)
    return Page(page.rows, page.end and _numbers(*page.end))


def _numbers(value: float | datetime, last: int) -> Key:
    """Return a sort key for a cursor, which holds the same kinds of numbers in every order."""
    return (value.timestamp() if isinstance(value, datetime) else float(value), last)


def one(*, platform: Platform, case_id: int) -> Case:
    """Return a case of this platform. Raises Case.DoesNotExist."""
    return _shown().get(post__platform=platform, pk=case_id)


def waiting(*, author_id: int) -> int:
    """Return how many posts of an author wait for a human, blind reviews left out."""
    rows = Case.objects.filter(post__author=author_id, state=CaseState.OPEN)
    return rows.exclude(reason=CaseReason.BLIND).count()


def some(*, case_ids: list[int]) -> list[Case]:
    """Return cases in this order."""
    cases = _shown().in_bulk(case_ids)
    return [cases[case_id] for case_id in case_ids if case_id in cases]


def appeal(*, platform: Platform, appeal_id: int, at: datetime) -> Appeal:
    """Return an appeal of this platform; its outcome is left out while it can be undone.

    Raises Appeal.DoesNotExist.
    """
    rows = Appeal.objects.filter(platform=platform).select_related("post", "decision", "outcome")
    row = rows.get(pk=appeal_id)
    if row.outcome is not None and row.outcome.effective_at > at:
        row.outcome = None
    return row


def position(row: Appeal | Case) -> int:
    """Return the place of an open appeal or case among the open ones of its platform, 1 for the oldest."""
    rows: QuerySet[Appeal] | QuerySet[Case]
    if isinstance(row, Appeal):
        rows = Appeal.objects.filter(outcome=None, post__erased_at=None)
    else:
        rows = Case.objects.filter(state=CaseState.OPEN).exclude(reason=CaseReason.BLIND)
    return 1 + rows.filter(platform=row.platform_id, pk__lt=row.pk).count()


def held(case: Case, *, at: datetime) -> bool:
    """Return whether somebody holds a live claim."""
    return case.claimed_by_id is not None and case.lease_end_at is not None and case.lease_end_at > at


def _shown() -> QuerySet[Case]:
    cases = Case.objects.exclude(reason=CaseReason.BLIND)
    rows = cases.select_related("post__author__deletion", "score__revision__parent_author", "claimed_by")
    return rows.defer(
        "score__record",
        "score__features",
        "score__word_contributions",
        "score__evidence_words",
        "score__revision__journey",
    )
