"""Everything that a case's page shows, in a fixed number of queries."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce

from moderation.models import (
    Appeal,
    Case,
    CaseNote,
    Complaint,
    Decision,
    Label,
    PolicyMatch,
    Post,
    PostLink,
    Rule,
    User,
)
from moderation.models.cases import CaseReason, CaseState
from moderation.queries import case_access, parents
from moderation.queries.cases import exposure, near_posts
from moderation.queries.cases.near_posts import NearPost, NearPosts
from moderation.queries.cases.scored_post import ScoredPost
from moderation.queries.evidence import findings
from moderation.queries.evidence.findings import Finding
from moderation.queries.parents import Thread
from moderation.queries.policies import policy_pages
from moderation.queries.records import stored_records
from moderation.queries.rules import rule_pages
from scoring.links import links_in
from scoring.records import History as History  # noqa: PLC0414 - pages read records but never import scoring
from scoring.records import PostRecord as PostRecord  # noqa: PLC0414
from scoring.routing import hundredth as hundredth  # noqa: PLC0414

_MAX_COMPLAINTS = 20
_MAX_EARLIER_COMPLAINTS = 200
_MAX_DECISIONS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainFact:
    """A domain that the post links to: what was known at scoring, and the rule in force now."""

    name: str
    urls: tuple[str, ...]
    posts: int
    confirmed_spam: int
    confirmed_not_spam: int
    complaints: int
    first_seen_at: datetime | None
    rule: Rule | None


@dataclass(frozen=True, kw_only=True)
class CasePage:
    """Everything that the review page shows. `record` is None if it cannot be read any more.

    `address` is what the viewer may read of the sender's, `hides_origin` if they may read neither that nor
    the e-mail domain.
    """

    case: Case
    record: PostRecord | None
    thread: Thread | None
    domains: tuple[DomainFact, ...]
    evidence: tuple[Finding, ...]
    policies: tuple[PolicyMatch, ...]
    complaints: tuple[Complaint, ...]
    complaint_count: int
    automated_complaints: int
    winner: Decision | None
    earlier: tuple[Decision, ...]
    appeal: Appeal | None
    notes: tuple[CaseNote, ...]
    near: NearPosts
    same_picture: tuple[NearPost, ...]
    same_meaning: tuple[NearPost, ...]
    address: str
    hides_origin: bool

    @property
    def is_open(self) -> bool:
        """Whether the case waits for a human."""
        return self.case.state == CaseState.OPEN

    @property
    def is_score_hidden(self) -> bool:
        """True for audit samples until they are decided: the model's output would bias the human."""
        return case_access.is_blind(self.case)

    @property
    def is_being_explained(self) -> bool:
        """Whether the word contributions are still being computed."""
        score = self.case.score
        return (
            self.is_open
            and not self.is_score_hidden
            and score.ban_id is None
            and score.word_contributions is None
            and score.content_probability is not None
            and bool(score.revision.text.strip())
            and not self.scored.is_unread
        )

    @property
    def scored(self) -> ScoredPost:
        """Return the score that the case was opened for."""
        case = self.case
        waits_since = case.opened_at if self.is_open else None
        return ScoredPost(score=case.score, record=self.record, case_id=case.pk, waits_since=waits_since)

    @property
    def is_graphic(self) -> bool:
        """Whether complaints say that the post is hard to look at."""
        return any(complaint.reason in exposure.GRAPHIC for complaint in self.complaints)

    def is_held_by(self, person: User, *, at: datetime) -> bool:
        """Return whether a user holds a live claim."""
        return self.case.claimed_by_id == person.pk and self._is_leased(at=at)

    def other_holder(self, person: User, *, at: datetime) -> User | None:
        """Return the other user who holds a live claim, None if there is none."""
        return (
            self.case.claimed_by if self.case.claimed_by_id != person.pk and self._is_leased(at=at) else None
        )

    def _is_leased(self, *, at: datetime) -> bool:
        lease_end_at = self.case.lease_end_at
        return self.case.claimed_by_id is not None and lease_end_at is not None and lease_end_at > at


def case_page(*, case_id: int, viewer: User, at: datetime) -> CasePage:
    """Read a case's page. Raises Case.DoesNotExist, also if it waits for a lead and the user is none."""
    cases = (
        case_access.visible(viewer)
        .select_related(
            "claimed_by",
            "post__platform",
            "post__author__deletion",
            "score__revision__parent_author",
            "score__revision__grouped",
            "score__release",
            "score__ban__author__platform",
            "score__rule__author__platform",
        )
        .annotate(  # most cases have none: a look costs less than a query of its own
            has_complaints=Exists(Complaint.objects.filter(post=OuterRef("post"))),
            has_notes=Exists(CaseNote.objects.filter(case=OuterRef("pk"))),
            has_matches=Exists(PolicyMatch.objects.filter(post=OuterRef("post"))),
        )
    )
    case = cases.get(pk=case_id)
    case.score.revision.post = case.post  # the same row: avoid a second query
    complaints, complaint_count, automated = (
        complaints_about(case.post) if case.has_complaints else ((), 0, 0)
    )
    is_matched = case.has_matches and not case_access.is_blind(case)
    decisions = list(
        Decision.objects.filter(post=case.post_id)
        .select_related("decided_by", "reversal", "action__confirmed_by")
        .order_by("-decided_at", "-id")[:_MAX_DECISIONS]
    )
    record, evidence = stored_records.readable(case.score), findings.of(case.score.revision)
    winner = next((row for row in decisions if row.case_id == case.pk and not hasattr(row, "reversal")), None)
    return CasePage(
        case=case,
        record=record,
        thread=parents.thread(case.score.revision),
        domains=_domains(case, record, at=at),
        evidence=evidence,
        policies=tuple(policy_pages.matched_by(case.post_id, at=at)) if is_matched else (),
        complaints=complaints,
        complaint_count=complaint_count,
        automated_complaints=automated,
        winner=winner,
        earlier=_earlier(case, decisions, winner=winner),
        appeal=Appeal.objects.filter(case=case).first() if case.reason == CaseReason.APPEALED else None,
        notes=notes(case) if case.has_notes else (),
        near=near_posts.near(case),
        same_picture=near_posts.same_picture(case, evidence),
        same_meaning=near_posts.same_meaning(case),
        address=viewer.address_shown(record.ip if record else None),
        hides_origin=not viewer.may_read_origins,
    )


def notes(case: Case) -> tuple[CaseNote, ...]:
    """Return what people told each other of a case, in order."""
    return tuple(CaseNote.objects.filter(case=case).exclude(text="").select_related("author"))


def complaints_about(post: Post) -> tuple[tuple[Complaint, ...], int, int]:
    """Return the latest complaints about a post, how many there are, and how many machines made.

    `agreed` and `disagreed` say in how many of the reporter's complaints before it people judged the post to
    be spam, or not.
    """
    about = Complaint.objects.filter(post=post)
    told = about.annotate(agreed=_earlier_labels(is_spam=True), disagreed=_earlier_labels(is_spam=False))
    latest = tuple(told.select_related("reporter").order_by("-received_at", "-id")[: _MAX_COMPLAINTS + 1])
    if len(latest) <= _MAX_COMPLAINTS:
        return latest, len(latest), sum(complaint.is_automated for complaint in latest)
    counts = about.aggregate(all=Count("pk"), automated=Count("pk", filter=Q(is_automated=True)))
    return latest[:_MAX_COMPLAINTS], counts["all"], counts["automated"]


def _earlier_labels(*, is_spam: bool) -> Coalesce:
    """Return an expression for the labels of what a complaint's reporter complained of before."""
    reporter, received_at = OuterRef(OuterRef("reporter")), OuterRef(OuterRef("received_at"))
    earlier = Complaint.objects.filter(reporter=reporter, received_at__lt=received_at)
    posts = earlier.order_by("-received_at").values("post")[:_MAX_EARLIER_COMPLAINTS]
    labels = Label.objects.filter(post__in=posts, is_spam=is_spam, retracted_at__isnull=True).order_by()
    return Coalesce(Subquery(labels.values("is_spam").annotate(all=Count("pk")).values("all")), 0)


def read_link(candidate: str) -> tuple[str, str] | None:
    """Parse a link as scoring does: (host, registrable domain), None if no browser would open it."""
    links = links_in(candidate)
    return (links[0].host, links[0].domain) if links else None


def _earlier(case: Case, decisions: list[Decision], *, winner: Decision | None) -> tuple[Decision, ...]:
    """Return the earlier decisions; none while the case is judged blindly, neither people's nor the filter's.

    None in a blind review even once it is answered: the answer may still be undone.
    """
    if case.reason == CaseReason.BLIND or case_access.is_blind(case):
        return ()
    return tuple(decision for decision in decisions if decision != winner)


def _domains(case: Case, record: PostRecord | None, *, at: datetime) -> tuple[DomainFact, ...]:
    rows = (
        PostLink.objects.filter(revision=case.score.revision_id).select_related("domain").order_by("position")
    )
    links = list(rows[:20])
    live = rule_pages.live_by_domain({link.domain_id for link in links}, at=at)
    histories = {link.domain or link.host: link.domain_history for link in record.links} if record else {}
    facts: dict[str, DomainFact] = {}
    for link in links:
        name = link.domain.name
        if name in facts:
            continue
        history = histories.get(name)
        facts[name] = DomainFact(
            name=name,
            urls=tuple(other.url for other in links if other.domain_id == link.domain_id),
            posts=history.posts if history else 0,
            confirmed_spam=history.confirmed_spam if history else 0,
            confirmed_not_spam=history.confirmed_not_spam if history else 0,
            complaints=history.complaints if history else 0,
            first_seen_at=link.domain.first_seen_at,
            rule=live.get(link.domain_id),
        )
    return tuple(facts.values())
