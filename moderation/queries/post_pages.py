"""A post with everything stored about it, for the desk, whether or not a human saw it."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Exists, OuterRef, Q, Subquery

from moderation.models import (
    CampaignMember,
    Case,
    CaseNote,
    Complaint,
    Decision,
    Delivery,
    FeedEntry,
    GoldenItem,
    Post,
    PostLink,
    Reason,
    Revision,
    Score,
    User,
)
from moderation.models.cases import CaseReason, CaseState
from moderation.models.decisions import AUTOMATIC_REASONS
from moderation.models.feed import Stream
from moderation.queries import case_access, keyset, latest_scores, parents
from moderation.queries.cases import case_pages
from moderation.queries.cases.scored_post import ScoredPost
from moderation.queries.evidence import findings
from moderation.queries.evidence.findings import Finding
from moderation.queries.keyset import Page
from moderation.queries.parents import Thread
from moderation.queries.records import stored_records

_REVISIONS = 5
_SCORES = 10
_DECISIONS = 20
_CASES = 10
_NOTES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursors:
    """Cursors of a post's lists; "" starts with the newest."""

    revisions: str = ""
    scores: str = ""
    decisions: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentMessage:
    """A message about a decision.

    `host` is the only part of the endpoint's URL that is shown: the rest may hold a secret.
    """

    delivery: Delivery
    host: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionStep:
    """A decision in the chain: what its reason is called, its messages to endpoints, its place in the feed.

    `feed` is None where it has no entry in the feed of decisions.
    """

    decision: Decision
    reason: str
    messages: tuple[SentMessage, ...]
    feed: FeedEntry | None


@dataclass(frozen=True, kw_only=True)
class PostPage:
    """Everything that a post's page shows. Lists are newest first.

    While the post is judged blindly (`is_blind`), the filter's and people's verdicts are left out: the viewer
    may be the next to judge it.
    """

    post: Post
    thread: Thread | None
    answers: int
    revisions: Page[Revision]
    evidence: tuple[Finding, ...]
    scores: Page[Score]
    explained: ScoredPost | None
    standing: Decision | None
    decisions: Page[DecisionStep]
    cases: tuple[Case, ...]
    membership: CampaignMember | None
    complaints: tuple[Complaint, ...]
    complaint_count: int
    automated_complaints: int
    notes: tuple[CaseNote, ...]
    domains: tuple[str, ...]
    is_blind: bool
    is_golden: bool

    @property
    def latest(self) -> Revision | None:
        """The newest of the revisions that are shown."""
        return self.revisions.rows[0] if self.revisions.rows else None

    @property
    def has_more_answers(self) -> bool:
        """Whether there may be more answers than were counted."""
        return self.answers >= parents.MOST_ANSWERS

    @property
    def open_case(self) -> Case | None:
        """The case that waits for a human."""
        return next((case for case in self.cases if case.state == CaseState.OPEN), None)


def page(
    *, post_id: int, viewer: User, cursors: Cursors | None = None, score_id: int | None = None
) -> PostPage:
    """Read a post's page, in a number of queries that does not grow with the chains.

    `score_id` chooses the score to explain, else the newest. Raises Post.DoesNotExist or InvalidCursor.
    """
    cursors = cursors or Cursors()
    post = _post(post_id, viewer)
    member = getattr(post, "membership", None)
    complaints, complaint_count, automated = case_pages.complaints_about(post)
    revisions = _revisions(post, cursors.revisions, viewer)
    answers = parents.answers(platform_id=post.platform_id, external_id=post.external_id)
    decisions = Page((), None) if post.is_blind else _decisions(post, cursors.decisions)
    return PostPage(
        post=post,
        thread=parents.thread(revisions.rows[0]) if revisions.rows else None,
        answers=answers[: parents.MOST_ANSWERS].count(),
        revisions=revisions,
        evidence=findings.of(revisions.rows[0]) if revisions.rows else (),
        scores=Page((), None) if post.is_blind else _scores(post, cursors.scores),
        explained=None if post.is_blind else _explained(post, score_id, viewer),
        standing=None if post.is_blind else _standing(post, decisions, cursors.decisions),
        decisions=decisions,
        cases=_cases(post, viewer),
        membership=member if member and member.campaign.posts > 1 and not post.is_blind else None,
        complaints=complaints,
        complaint_count=complaint_count,
        automated_complaints=automated,
        notes=_notes(post, viewer),
        domains=tuple(dict.fromkeys(post.domains)),
        is_blind=post.is_blind,
        is_golden=post.is_golden,
    )


def revision(*, post_id: int, number: int) -> Revision:
    """Read one revision of a post. Raises Revision.DoesNotExist."""
    return Revision.objects.select_related("post__author").get(post=post_id, number=number)


def _post(post_id: int, viewer: User) -> Any:
    """Read a post, its campaign, its domains, whether it is a golden item or waits for a blind judgement."""
    blind = case_access.blind_cases().filter(post=OuterRef("pk")).exclude(case_access.kept_from(viewer))
    links = PostLink.objects.filter(revision__post=OuterRef("pk")).values("domain__name")
    names = links.filter(revision__number=OuterRef("latest_revision")).order_by("position")[:20]
    posts = Post.objects.select_related("platform", "author", "membership__campaign").annotate(
        is_blind=Exists(blind),
        is_golden=Exists(GoldenItem.objects.filter(post=OuterRef("pk"))),
        domains=ArraySubquery(names),
    )
    return posts.get(pk=post_id)


def _cases(post: Post, viewer: User) -> tuple[Case, ...]:
    cases = case_access.visible(viewer).filter(post=post)
    return tuple(cases.order_by("-id").defer("skipped_by")[:_CASES])


def _revisions(post: Post, cursor: str, viewer: User) -> Page[Revision]:
    rows = Revision.objects.filter(post=post).select_related("post", "parent_author", "scoring")
    rows = rows.defer("links", "journey")
    revisions = keyset.page(rows, order=("-number",), after=keyset.after(cursor, int), limit=_REVISIONS)
    for row in revisions.rows:
        row.ip = viewer.address_shown(row.ip)
    return revisions


def _scores(post: Post, cursor: str) -> Page[Score]:
    rows = Score.objects.filter(revision__post=post).select_related(
        "revision", "ban__author__platform", "rule__author__platform"
    )
    light = rows.defer(*latest_scores.HEAVY)
    return keyset.page(
        light, order=("-scored_at", "-pk"), after=keyset.after(cursor, datetime, int), limit=_SCORES
    )


def _explained(post: Post, score_id: int | None, viewer: User) -> ScoredPost | None:
    rows = Score.objects.filter(revision__post=post)
    if score_id is not None:
        rows = rows.filter(pk=score_id)
    related = ("revision", "release", "ban__author__platform", "rule__author__platform")
    cases = case_access.visible(viewer).filter(score=OuterRef("pk")).order_by("-id")
    rows = rows.select_related(*related).annotate(newest_case=Subquery(cases.values("pk")[:1]))
    score = rows.order_by("-scored_at", "-pk").first()
    if score is None:
        return None
    score.revision.post = post
    return ScoredPost(score=score, record=stored_records.readable(score), case_id=score.newest_case)


def _standing(post: Post, shown: Page[DecisionStep], cursor: str) -> Decision | None:
    stands = [step.decision for step in shown.rows if not hasattr(step.decision, "reversal")]
    if not cursor and (stands or shown.end is None):
        return stands[0] if stands else None
    rows = Decision.objects.filter(post=post, reversal__isnull=True).select_related("decided_by")
    return rows.order_by("-decided_at", "-id").first()


def _decisions(post: Post, cursor: str) -> Page[DecisionStep]:
    rows = (
        Decision.objects.filter(post=post)
        .select_related(
            "decided_by",
            "campaign_decision",
            "revision",
            "label",
            "replaces__decision",
            "reversal__reversed_by",
            "appeal__outcome",
            "appeal__case",
        )
        .defer("campaign_decision__member_ids", "revision__text", "revision__journey")
    )
    decisions = keyset.page(
        rows, order=("-decided_at", "-pk"), after=keyset.after(cursor, datetime, int), limit=_DECISIONS
    )
    return decisions.of(_steps)


def _steps(decisions: Sequence[Decision]) -> list[DecisionStep]:
    """Read what belongs to some decisions in three queries for any number of them."""
    sent: dict[int | None, list[SentMessage]] = defaultdict(list)
    deliveries = Delivery.objects.filter(decision__in=decisions).select_related("endpoint").defer("body")
    for delivery in deliveries.order_by("created_at", "id"):
        host = urlsplit(delivery.endpoint.url).hostname if delivery.endpoint else ""
        sent[delivery.decision_id].append(SentMessage(delivery=delivery, host=host or ""))
    entries = FeedEntry.objects.filter(decision__in=decisions, stream=Stream.DECISIONS, is_retraction=False)
    fed = {entry.decision_id: entry for entry in entries}
    codes = {decision.reason for decision in decisions if decision.reason}
    reasons = Reason.objects.filter(code__in=codes) if codes else ()
    titles = AUTOMATIC_REASONS | {reason.code: reason.shown_title for reason in reasons}
    return [
        DecisionStep(
            decision=decision,
            reason=str(titles.get(decision.reason, decision.reason)),
            messages=tuple(sent[decision.pk]),
            feed=fed.get(decision.pk),
        )
        for decision in decisions
    ]


def _notes(post: Post, viewer: User) -> tuple[CaseNote, ...]:
    notes = CaseNote.objects.filter(case__post=post).exclude(text="").select_related("author")
    if not viewer.may_lead:
        unseen = Q(is_escalated=True) | case_access.elsewhere(viewer)
        hidden = Case.objects.filter(unseen, pk=OuterRef("case"), state=CaseState.OPEN)
        notes = notes.exclude(Exists(hidden))
        # What others wrote about a post that is judged again would tell what they thought of it.
        blind = Q(case__reason=CaseReason.BLIND)
        waits = Case.objects.filter(post=post, reason=CaseReason.BLIND, state=CaseState.OPEN)
        if waits.exclude(case_access.kept_from(viewer)).exists():
            blind = Q()
        notes = notes.exclude(blind & ~Q(author=viewer))
    return tuple(notes.order_by("-id")[:_NOTES])
