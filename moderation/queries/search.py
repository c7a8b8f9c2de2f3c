"""The list of posts, by words and other filters.

Posts are sorted newest first and never by a probability: the order must not reveal a hidden score.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce, Left

from moderation.models import Case, Complaint, Decision, Platform, Post, PostLink, Revision, Score, User
from moderation.models.cases import BLIND_REASONS, CaseReason, CaseState
from moderation.models.decisions import Verdict
from moderation.models.posts import ERASED_NAME
from moderation.models.rules import RuleKind
from moderation.queries import case_access, full_text, keyset, parents
from moderation.queries.keyset import Page
from moderation.queries.parents import Parent
from moderation.queries.policies import policy_pages
from moderation.queries.rules import targets
from scoring.links import registrable_domain

_READ_LENGTH = 640
DOMAINS_SHOWN = 5
_FEW = 5_000


@dataclass(frozen=True, kw_only=True)
class PostFilter:
    """Which posts to show; empty means all. `state` is waiting, spam, not_spam, reported or unscored."""

    text: str = ""
    answers_to: str = ""  # the platform's id of a post
    language: str = ""
    domain: str = ""
    address: str = ""
    author_id: int | None = None
    policy: int | None = None
    post_ids: tuple[int, ...] | None = None
    state: str = ""
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PostRow:
    """One post in a list. `ip` is what the viewer may read of it, "" where none was sent or it is hidden,
    `spam_probability` is None while unscored, while a human must judge blindly, and
    where the models do not read the post's script.

    `pick` is "case:version" where its case may be decided together with others, else "". Where a human must
    judge blindly `verdict` is empty, whoever gave it, and `campaign_id` None.
    """

    post_id: int
    external_id: str
    author_id: int
    author: str
    parent: Parent | None
    excerpt: str
    language: str
    ip: str
    received_at: datetime
    domains: tuple[str, ...]
    complaints: int
    case_id: int | None
    is_waiting: bool
    pick: str
    verdict: str
    is_human: bool
    spam_probability: float | None
    is_hidden: bool
    is_unread: bool
    campaign_id: int | None
    campaign_posts: int


def only_post(wanted: PostFilter) -> int | None:
    """Return the post if the query is exactly its id on the platform, and the id is unique."""
    if not wanted.text or wanted != PostFilter(text=wanted.text):
        return None
    named = _named(wanted.text)
    return named[0] if len(named) == 1 else None


def posts(*, wanted: PostFilter, viewer: User, cursor: str = "", limit: int = keyset.SHOWN) -> Page[PostRow]:
    """Return posts, the newest first. Raises InvalidCursor.

    A viewer who may not read addresses finds nothing by one, else they could be guessed.
    """
    address = viewer.address_meant(wanted.address)
    latest = Revision.objects.filter(number=F("post__latest_revision"))
    revisions = _filtered(latest, replace(wanted, address=address), viewer)
    if wanted.state in Verdict.values:
        # Otherwise a blind reviewer could search for the verdict.
        blind = case_access.visible(viewer).filter(state=CaseState.OPEN, reason__in=BLIND_REASONS)
        revisions = revisions.exclude(Exists(blind.filter(post=OuterRef("post"))))
    if wanted.address and not address:
        revisions = revisions.none()
    return keyset.page(
        _columns(revisions, viewer), order=("-post_id",), after=keyset.after(cursor, int), limit=limit
    ).of(lambda rows: _rows(rows, viewer=viewer))


def _rows(rows: Sequence[dict[str, Any]], *, viewer: User) -> list[PostRow]:
    linked = domains_of([row["pk"] for row in rows])
    answered = parents.of_revisions([row["pk"] for row in rows if row["parent_external_id"]])
    return [_row(row, linked.get(row["pk"], ()), answered.get(row["pk"]), viewer=viewer) for row in rows]


def _filtered(revisions: QuerySet[Revision], wanted: PostFilter, viewer: User) -> QuerySet[Revision]:
    if wanted.text:
        revisions = _with_text(revisions, wanted.text)
    if wanted.answers_to:
        revisions = revisions.filter(pk__in=parents.named(wanted.answers_to).values("pk"))
    if wanted.author_id is not None:
        revisions = revisions.filter(post__author=wanted.author_id)
    if wanted.post_ids is not None:
        revisions = revisions.filter(post__in=wanted.post_ids)
    if wanted.domain:
        revisions = revisions.filter(pk__in=_links(wanted.domain).values("revision"))
    if wanted.address:
        revisions = _from_address(revisions, wanted.address)
    if wanted.policy is not None:
        revisions = revisions.filter(policy_pages.matching(wanted.policy), ~Exists(policy_pages.blind()))
    asked = {"language": wanted.language, "received_at__gte": wanted.since, "received_at__lt": wanted.until}
    revisions = revisions.filter(**{name: value for name, value in asked.items() if value})
    return _in_state(revisions, wanted.state, viewer)


def _links(name: str) -> QuerySet[PostLink]:
    """Return the links to a domain, or to one host of it; both use the index on the domain."""
    domain = registrable_domain(name) or name
    links = PostLink.objects.filter(domain__name=domain)
    return links if domain == name else links.filter(host=name)


def _with_text(revisions: QuerySet[Revision], text: str) -> QuerySet[Revision]:
    named = _named(text)
    if named:
        return revisions.filter(post__in=named)
    matching = full_text.revisions(text).values("pk")
    # PostgreSQL takes any word that is not among the commonest to be in one text of 200. With the rows in
    # order and a limit it would then read all newer posts for a word that few have, seconds at a million.
    some = list(matching.values_list("pk", flat=True)[: _FEW + 1])
    return revisions.filter(pk__in=some) if len(some) <= _FEW else revisions.filter(pk__in=matching)


def _named(text: str) -> list[int]:
    """Return the posts with this platform id."""
    # All platforms are listed, so that the index on (platform, external_id) can be used.
    posts = Post.objects.filter(platform__in=Platform.objects.values("pk"), external_id=text.strip())
    return list(posts.values_list("pk", flat=True)[:20])


def _from_address(revisions: QuerySet[Revision], address: str) -> QuerySet[Revision]:
    try:
        target = targets.target(kind=RuleKind.ADDRESS, value=address)
    except targets.NotATarget:
        return revisions.none()
    return revisions.filter(ip__gte=target.first_address, ip__lte=target.last_address)


def _in_state(revisions: QuerySet[Revision], state: str, viewer: User) -> QuerySet[Revision]:
    if state == "waiting":
        waits = Case.objects.filter(post=OuterRef("post"), state=CaseState.OPEN)
        return revisions.filter(Exists(waits.exclude(case_access.kept_from(viewer))))
    if state in Verdict.values:
        return revisions.annotate(standing=_standing("verdict")).filter(standing=state)
    if state == "reported":
        return revisions.filter(Exists(Complaint.objects.filter(post=OuterRef("post"))))
    if state == "unscored":
        return revisions.filter(scoring__state__in=("pending", "scoring", "dead"))
    return revisions


def _standing(column: str) -> Subquery:
    # A correction reverses the decision before it, so at most one of a revision stands; the newest revision's
    # counts.
    standing = Decision.objects.filter(post=OuterRef("post"), reversal__isnull=True)
    return Subquery(standing.order_by("-decided_at", "-id").values(column)[:1])


def _columns(revisions: QuerySet[Revision], viewer: User) -> QuerySet[Revision, Any]:
    """Return the columns that a row shows: whole texts and records of fifty posts would be megabytes."""
    scores = Score.objects.filter(revision=OuterRef("pk")).order_by("-generation")
    cases = case_access.visible(viewer).filter(post=OuterRef("post")).order_by("-version", "-id")
    complaints = Complaint.objects.filter(post=OuterRef("post")).order_by().values("post")
    return revisions.values(
        "pk",
        "post_id",
        "language",
        "received_at",
        "parent_external_id",
        "ip",
        external_id=F("post__external_id"),
        author_id=F("post__author_id"),
        author=F("post__author__display_name"),
        author_external_id=F("post__author__external_id"),
        text_begin=Left("text", _READ_LENGTH),
        complaints=Coalesce(Subquery(complaints.annotate(all=Count("pk")).values("all")), 0),
        case_id=Subquery(cases.values("pk")[:1]),
        case_state=Subquery(cases.values("state")[:1]),
        case_version=Subquery(cases.values("version")[:1]),
        case_reason=Subquery(cases.values("reason")[:1]),
        verdict=_standing("verdict"),
        judge=_standing("decided_by"),
        spam_probability=Subquery(scores.values("spam_probability")[:1]),
        route_reason=Subquery(scores.values("route_reason")[:1]),
        is_audit_sample=Subquery(scores.values("is_audit_sample")[:1]),
        campaign_id=F("post__membership__campaign"),
        campaign_posts=F("post__membership__campaign__posts"),
    )


def domains_of(revision_ids: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Return the domains that revisions link to first, by the revision's id, for a row of a list."""
    links = PostLink.objects.filter(revision__in=revision_ids, position__lt=DOMAINS_SHOWN)
    domains: dict[int, dict[str, None]] = {}
    for revision_id, name in links.order_by("revision_id", "position").values_list(
        "revision_id", "domain__name"
    ):
        domains.setdefault(revision_id, {})[name] = None
    return {revision_id: tuple(names) for revision_id, names in domains.items()}


def _pick(row: dict[str, Any]) -> str:
    if row["case_state"] != CaseState.OPEN:
        return ""
    return case_access.pick(case_id=row["case_id"], version=row["case_version"], reason=row["case_reason"])


def _row(row: dict[str, Any], linked: tuple[str, ...], parent: Parent | None, *, viewer: User) -> PostRow:
    is_blind = row["case_state"] == CaseState.OPEN and row["case_reason"] in BLIND_REASONS
    is_hidden = is_blind or (bool(row["is_audit_sample"]) and not row["verdict"])
    is_unread = row["route_reason"] == CaseReason.UNREAD_SCRIPT
    return PostRow(
        post_id=row["post_id"],
        external_id=row["external_id"],
        author_id=row["author_id"],
        author=row["author"] or row["author_external_id"] or str(ERASED_NAME),
        parent=parent,
        excerpt=row["text_begin"],
        language=row["language"],
        ip=viewer.address_shown(row["ip"]),
        received_at=row["received_at"],
        domains=linked,
        complaints=row["complaints"],
        case_id=row["case_id"],
        is_waiting=row["case_state"] == CaseState.OPEN,
        pick=_pick(row),
        verdict="" if is_blind else row["verdict"] or "",
        is_human=row["judge"] is not None and not is_blind,
        spam_probability=None if is_hidden or is_unread else row["spam_probability"],
        is_hidden=is_hidden,
        is_unread=is_unread,
        campaign_id=None if is_hidden else row["campaign_id"],
        campaign_posts=row["campaign_posts"] or 0,
    )
