"""The queue: cases that wait for a human, in the order in which they are handed out."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from moderation import prepared
from moderation.models import Case, User
from moderation.models.cases import BLIND_REASONS
from moderation.models.posts import ERASED_NAME, Subject
from moderation.queries import case_access, keyset, search
from moderation.queries.cases.backlog import visible
from moderation.queries.cases.queue_filter import KEYS, QueueFilter, Sort, condition
from moderation.queries.keyset import Page

EXCERPT_LENGTH = 160
# Prepared: with everything joined, planning the order of the tables takes longer than reading them.
_RELATED = """
select score.id, post.subject, coalesce(nullif(author.display_name, ''), author.external_id),
    exists (select from moderation_authordeletion where author_id = author.id),
    left(revision.text, %(letters)s),
    array(
        select name from moderation_postlink link join moderation_domain domain on domain.id = link.domain_id
        where link.revision_id = revision.id and position < %(domains)s order by position
    ),
    score.spam_probability, score.is_degraded, score.is_audit_sample,
    (revision.author_snapshot ->> 'followers')::bigint,
    coalesce(revision.shares, 0) + coalesce(revision.comments, 0),
    (select count(*) from moderation_complaint where post_id = post.id and is_automated),
    campaign.id, campaign.posts
from moderation_score score
join moderation_revision revision on revision.id = score.revision_id
join moderation_post post on post.id = revision.post_id
join moderation_author author on author.id = post.author_id
left join moderation_campaignmember member on member.post_id = post.id
left join moderation_campaign campaign on campaign.id = member.campaign_id
where score.id = any(%(scores)s)
"""


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
    """Return the columns of the case itself; related rows are read for the shown rows only."""
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
        "score_id",
    )


def _whole(cases: list[dict[str, Any]], *, viewer: User, at: datetime) -> tuple[QueueRow, ...]:
    """Return the rows with the related rows of their cases."""
    scores = [case["score_id"] for case in cases]
    limits = {"letters": 4 * EXCERPT_LENGTH, "domains": search.DOMAINS_SHOWN}
    related = {score: row for score, *row in prepared.rows(_RELATED, scores=scores, **limits)}
    holders, rows = _holders(cases, at=at), []
    for case in cases:
        holder = holders.get(case["claimed_by_id"], "") if _is_held(case, at=at) else ""
        is_mine = bool(holder) and case["claimed_by_id"] == viewer.pk
        rows.append(_row(case, related[case["score_id"]], holder=holder, is_mine=is_mine))
    return tuple(rows)


def _holders(cases: list[dict[str, Any]], *, at: datetime) -> dict[int, str]:
    """Return the names of the users who hold the cases; no query if none is held."""
    holders = {case["claimed_by_id"] for case in cases if _is_held(case, at=at)}
    return dict(User.objects.filter(pk__in=holders).values_list("pk", "username")) if holders else {}


def _is_held(case: dict[str, Any], *, at: datetime) -> bool:
    return case["lease_end_at"] is not None and case["lease_end_at"] > at


def _row(case: dict[str, Any], related: list[Any], *, holder: str, is_mine: bool) -> QueueRow:
    subject, author, is_author_gone, text, domains, probability, is_degraded, is_audit_sample, *more = related
    followers, spread, automated, campaign, campaign_posts = more
    is_hidden = case["reason"] in BLIND_REASONS or is_audit_sample
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
        author=author or str(ERASED_NAME),
        is_author_gone=is_author_gone,
        is_account=subject == Subject.ACCOUNT,
        excerpt=text,
        language=case["language"],
        domains=tuple(dict.fromkeys(domains)),
        spam_probability=None if is_hidden else probability,
        is_degraded=is_degraded,
        complaints=case["complaint_count"],
        automated_complaints=automated if case["complaint_count"] else 0,
        followers=followers,
        spread=spread,
        campaign_id=None if is_hidden else campaign,
        campaign_posts=campaign_posts or 0,
    )
