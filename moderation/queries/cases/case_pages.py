"""Everything that a case's page shows, in a fixed number of queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import F, Value
from django.db.models.functions import Coalesce, Concat, Left, NullIf, Trim

from moderation.models import (
    Appeal,
    Case,
    CaseNote,
    Complaint,
    Decision,
    PolicyMatch,
    PostLink,
    Revision,
    RevisionPicture,
    Rule,
    User,
)
from moderation.models.cases import CaseReason, CaseState
from moderation.models.decisions import Verdict
from moderation.models.posts import ERASED_NAME
from moderation.queries import case_access, parents
from moderation.queries.cases import exposure, scored_post
from moderation.queries.cases.scored_post import ScoredPost
from moderation.queries.evidence import findings
from moderation.queries.evidence.findings import Finding
from moderation.queries.parents import Thread
from moderation.queries.policies import policy_pages
from moderation.queries.rules import rule_pages
from scoring.links import links_in
from scoring.records import History as History  # noqa: PLC0414 - pages read records but never import scoring
from scoring.records import PostRecord as PostRecord  # noqa: PLC0414
from scoring.routing import hundredth as hundredth  # noqa: PLC0414

_MAX_COMPLAINTS = 20
_MAX_DECISIONS = 10
_MAX_NEAR = 3
_MAX_ALIKE = 60
_NEAR_LENGTH = 400
_NAME = ("decided_by__first_name", Value(" "), "decided_by__last_name")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class NearPost:
    """A near-duplicate post and its decision; `decided_by` is None for the filter."""

    post_id: int
    author: str
    excerpt: str
    verdict: str
    decided_by: str | None
    decided_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class NearPosts:
    """The nearest decided posts, people's decisions first, and counts over all posts compared.

    `spam` and `not_spam` count people's decisions, as the sentences about near-duplicates do.
    """

    posts: tuple[NearPost, ...]
    spam: int
    not_spam: int
    by_filter: int


@dataclass(frozen=True, kw_only=True)
class CasePage:
    """Everything that the review page shows. `record` is None if it cannot be read any more.

    `hides_addresses` if the viewer may not see which address and e-mail domain the post came from.
    """

    case: Case
    record: PostRecord | None
    thread: Thread | None
    domains: tuple[DomainFact, ...]
    evidence: tuple[Finding, ...]
    policies: tuple[PolicyMatch, ...]
    complaints: tuple[Complaint, ...]
    complaint_count: int
    winner: Decision | None
    earlier: tuple[Decision, ...]
    appeal: Appeal | None
    notes: tuple[CaseNote, ...]
    near: NearPosts
    hides_addresses: bool

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
        return ScoredPost(score=self.case.score, record=self.record, case_id=self.case.pk)

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
            "score__release",
            "score__ban__author__platform",
            "score__rule__author__platform",
        )
        .defer("score__features")
    )
    case = cases.get(pk=case_id)
    case.score.revision.post = case.post  # the same row: avoid a second query
    complaints = list(
        Complaint.objects.filter(post=case.post_id)
        .select_related("reporter")
        .order_by("-received_at", "-id")[: _MAX_COMPLAINTS + 1]
    )
    decisions = list(
        Decision.objects.filter(post=case.post_id)
        .select_related("decided_by", "reversal")
        .order_by("-decided_at", "-id")[:_MAX_DECISIONS]
    )
    record, evidence = scored_post.record_of(case.score), findings.of(case.score.revision)
    winner = next((one for one in decisions if one.case_id == case.pk and not hasattr(one, "reversal")), None)
    return CasePage(
        case=case,
        record=record,
        thread=parents.thread(case.score.revision),
        domains=_domains(case, record, at=at),
        evidence=evidence,
        policies=() if case_access.is_blind(case) else tuple(policy_pages.matched_by(case.post_id, at=at)),
        complaints=tuple(complaints[:_MAX_COMPLAINTS]),
        complaint_count=_count(case, complaints),
        winner=winner,
        earlier=_earlier(case, decisions, winner=winner),
        appeal=_appeal(case),
        notes=notes(case),
        near=_near(case, evidence),
        hides_addresses=not viewer.may_read_addresses,
    )


def notes(case: Case) -> tuple[CaseNote, ...]:
    """Return what people told each other of a case, in order."""
    return tuple(CaseNote.objects.filter(case=case).exclude(text="").select_related("author"))


def read_link(candidate: str) -> tuple[str, str] | None:
    """Parse a link as scoring does: (host, registrable domain), None if no browser would open it."""
    found = links_in(candidate)
    return (found[0].host, found[0].domain) if found else None


def _earlier(case: Case, decisions: list[Decision], *, winner: Decision | None) -> tuple[Decision, ...]:
    """Return the earlier decisions; none while the case is judged blindly, neither people's nor the filter's.

    None in a blind review even once it is answered: the answer may still be undone.
    """
    if case.reason == CaseReason.BLIND or case_access.is_blind(case):
        return ()
    return tuple(decision for decision in decisions if decision != winner)


def _appeal(case: Case) -> Appeal | None:
    return Appeal.objects.filter(case=case).first() if case.reason == CaseReason.APPEALED else None


def _near(case: Case, evidence: Sequence[Finding]) -> NearPosts:
    """Read the newest near-duplicates only, of text or picture: a campaign may have a hundred thousand."""
    alike = Revision.objects.filter(similarity_group=case.score.revision.similarity_group)
    by_text = alike.exclude(post=case.post_id).order_by("-received_at", "-id").values("pk")[:_MAX_ALIKE]
    # Each picture by itself: an index gives its newest posts, however many show it.
    by_picture = [
        RevisionPicture.objects.filter(group=group).order_by("-received_at").values("revision")[:_MAX_ALIKE]
        for group in sorted({one.row.picture_group_id for one in evidence if one.row.picture_group_id})
    ]
    newest = by_text.union(*by_picture) if by_picture else by_text
    decided = list(
        Decision.objects.filter(revision__in=newest, reversal__isnull=True)
        .exclude(post=case.post_id)
        .order_by(F("decided_by").asc(nulls_last=True), "-decided_at", "-id")
        .values_list(
            "post_id",
            Coalesce(
                NullIf("post__author__display_name", Value("")),
                "post__author__external_id",
                Value(str(ERASED_NAME)),
            ),
            Left("revision__text", _NEAR_LENGTH),
            "verdict",
            Coalesce(NullIf(Trim(Concat(*_NAME)), Value("")), "decided_by__username"),
            "decided_at",
        )
    )
    verdicts = [row[3] for row in decided if row[4] is not None]
    names = ("post_id", "author", "excerpt", "verdict", "decided_by", "decided_at")
    return NearPosts(
        posts=tuple(NearPost(**dict(zip(names, row, strict=True))) for row in decided[:_MAX_NEAR]),
        spam=verdicts.count(Verdict.SPAM),
        not_spam=verdicts.count(Verdict.NOT_SPAM),
        by_filter=len(decided) - len(verdicts),
    )


def _count(case: Case, complaints: list[Complaint]) -> int:
    """Count by a query only if there are more than shown."""
    if len(complaints) <= _MAX_COMPLAINTS:
        return len(complaints)
    return Complaint.objects.filter(post=case.post_id).count()


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
