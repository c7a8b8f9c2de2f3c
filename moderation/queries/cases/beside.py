"""What a moderator looks up beside a case: its author, a domain that it links to, the address it came from.

Other posts of the platform alone, as of now; of the latest ones, as many as a history counts.
"""

import dataclasses
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from moderation.models import AuthorNote, CampaignMember, Case, CaseNote, Post, PostLink, Revision, Rule, User
from moderation.models.rules import RuleKind
from moderation.queries import case_access, latest_scores, outcome_counts, search
from moderation.queries.cases import case_context
from moderation.queries.cases.case_context import Lane
from moderation.queries.entities import authors
from moderation.queries.entities.authors import AlikeAccount
from moderation.queries.records import record_histories
from moderation.queries.rules import rule_pages, targets
from moderation.queries.rules.targets import NotATarget, Target
from moderation.queries.search import PostFilter, PostRow

_SHOWN = 10
_NOTES = 20
_DOMAINS = 20
_SHOWN_AROUND = 4
_NEWEST = 40


class Beside(StrEnum):
    """What can be looked up."""

    AUTHOR = "author"
    DOMAIN = "domain"
    ADDRESS = "address"


OtherPost = tuple[int, bool | None, int]
"""A post, whether people judge it spam (None where they have not), and its complaints."""


class NothingThere(LookupError):
    """The post has no such domain or address."""


@dataclass(frozen=True, kw_only=True)
class Panel:
    """What is told beside a case. `subject` was written by somebody else; without a target there is no rule.

    While the case is judged blindly (`is_blind`), posts of the same text or campaign are left out, and what
    the filter decided.
    """

    kind: Beside
    case: Case
    subject: str
    domains: tuple[str, ...]
    rows: tuple[PostRow, ...]
    posts: int
    removed: int
    spam: int
    not_spam: int
    complaints: int
    target: Target | None
    rule: Rule | None
    drafts: tuple[Rule, ...]
    notes: tuple[AuthorNote, ...]
    case_notes: tuple[CaseNote, ...]
    alike: tuple[AlikeAccount, ...]
    is_blind: bool

    @property
    def judged(self) -> int:
        """Posts that people judged."""
        return self.spam + self.not_spam

    @property
    def is_sample(self) -> bool:
        """True where more posts may lie before those that were counted."""
        return self.posts >= record_histories.SAMPLE


def panel(*, case_id: int, kind: Beside, viewer: User, at: datetime, domain: str = "") -> Panel:
    """Read what stands beside a case; of its domains the first unless one is named.

    Raises Case.DoesNotExist or NothingThere.
    """
    case = (
        case_access.visible(viewer)
        .select_related("post__platform", "post__author", "score__revision__grouped")
        .defer(*latest_scores.explaining("score"), "score__revision__text", "score__revision__journey")
        .get(pk=case_id)
    )
    revision = case.score.revision
    revision.post = case.post
    case.post.author.platform = case.post.platform
    links = PostLink.objects.filter(revision=revision).order_by("position")
    domains = dict(links.values_list("domain__name", "domain_id")[:_DOMAINS])
    subject = _subject(kind, revision=revision, domains=domains, domain=domain)
    is_blind = case_access.is_blind(case)
    posts = _posts(kind, case=case, subject=subject, domains=domains, at=at)
    if is_blind:
        posts = _apart(posts, revision=revision)
    target = _target(kind, revision=revision, subject=subject)
    is_author = kind is Beside.AUTHOR
    return Panel(
        kind=kind,
        case=case,
        subject=viewer.address_shown(subject) if kind is Beside.ADDRESS else subject,
        domains=tuple(domains),
        rows=_rows(posts, viewer=viewer, is_blind=is_blind),
        posts=len(posts),
        removed=0 if is_blind else _removed(posts),
        spam=sum(is_spam is True for _, is_spam, _ in posts),
        not_spam=sum(is_spam is False for _, is_spam, _ in posts),
        complaints=sum(complaints for *_, complaints in posts),
        target=target,
        rule=rule_pages.first_live(rule_pages.about(target), at=at) if target else None,
        drafts=tuple(rule_pages.drafts_about(target, at=at)) if target else (),
        notes=authors.notes(author_id=case.post.author_id) if is_author else (),
        case_notes=_case_notes(case, viewer=viewer) if is_author else (),
        alike=authors.alike(revision) if is_author and not is_blind else (),
        is_blind=is_blind,
    )


def _subject(kind: Beside, *, revision: Revision, domains: dict[str, int], domain: str) -> str:
    if kind is Beside.AUTHOR:
        return str(revision.post.author)
    if kind is Beside.ADDRESS:
        if not revision.ip:
            raise NothingThere("the platform sent no address")
        return str(revision.ip)
    name = domain or next(iter(domains), "")
    if name not in domains:
        raise NothingThere("the post links to no such domain")
    return name


def _posts(
    kind: Beside, *, case: Case, subject: str, domains: dict[str, int], at: datetime
) -> list[OtherPost]:
    """Return the latest other posts as scoring counts them, so that the numbers beside one another agree."""
    source, key = {
        Beside.AUTHOR: ("author", str(case.post.author_id)),
        Beside.DOMAIN: ("domain", str(domains.get(subject))),
        Beside.ADDRESS: ("ip", subject),
    }[kind]
    return record_histories.posts_of(source, key=key, post=case.post_id, at=at)


def _apart(posts: list[OtherPost], *, revision: Revision) -> list[OtherPost]:
    """Leave out the posts whose verdicts would tell what is to be measured: those of one text or campaign."""
    ids = [post_id for post_id, _, _ in posts]
    campaign = CampaignMember.objects.filter(post=revision.post_id).values("campaign")
    same = set(
        CampaignMember.objects.filter(post__in=ids, campaign__in=campaign).values_list("post", flat=True)
    )
    if revision.similarity_group is not None:
        texts = Revision.objects.filter(post__in=ids, grouped__similarity_group=revision.similarity_group)
        same |= set(texts.values_list("post", flat=True))
    return [post for post in posts if post[0] not in same]


def _rows(posts: list[OtherPost], *, viewer: User, is_blind: bool) -> tuple[PostRow, ...]:
    newest = tuple(post_id for post_id, _, _ in posts[:_SHOWN])
    if not newest:
        return ()
    rows = search.posts(wanted=PostFilter(post_ids=newest), viewer=viewer, limit=_SHOWN).rows
    return tuple(
        dataclasses.replace(row, verdict="") if is_blind and not row.is_human else row for row in rows
    )


def _removed(posts: list[OtherPost]) -> int:
    return outcome_counts.removed(Post.objects.filter(pk__in=[post_id for post_id, _, _ in posts])).count()


def _target(kind: Beside, *, revision: Revision, subject: str) -> Target | None:
    author = revision.post.author
    if kind is Beside.AUTHOR:
        return None if author.erased_at else targets.of_author(author)
    try:
        return targets.target(kind=RuleKind(kind.value), value=subject)
    except NotATarget:
        return None


def _case_notes(case: Case, *, viewer: User) -> tuple[CaseNote, ...]:
    """Return the notes on cases of the author's other posts."""
    cases = case_access.visible(viewer).filter(post__author=case.post.author_id).exclude(post=case.post_id)
    notes = CaseNote.objects.filter(case__in=cases.order_by().values("pk")).exclude(text="")
    return tuple(notes.select_related("author", "case").order_by("-id")[:_NOTES])


@dataclass(frozen=True, kw_only=True)
class Around:
    """What is shown around a case. While it is judged blindly, posts like it are left out."""

    panel: Panel
    similar: tuple[PostRow, ...]
    lanes: tuple[Lane, ...]

    @property
    def rows(self) -> tuple[PostRow, ...]:
        """The author's last posts."""
        return self.panel.rows[:_SHOWN_AROUND]


def around(*, case_id: int, viewer: User, at: datetime) -> Around:
    """Read what is around a case. Raises Case.DoesNotExist."""
    author_panel = panel(case_id=case_id, kind=Beside.AUTHOR, viewer=viewer, at=at)
    return Around(
        panel=author_panel,
        similar=() if author_panel.is_blind else _similar(author_panel.case.score.revision, viewer=viewer),
        lanes=case_context.lanes(case=author_panel.case, viewer=viewer, is_blind=author_panel.is_blind),
    )


def _similar(revision: Revision, *, viewer: User) -> tuple[PostRow, ...]:
    """Read the newest near-duplicates by others, decided or not; a post with several revisions is one."""
    if revision.similarity_group is None:
        return ()
    alike = Revision.objects.filter(grouped__similarity_group=revision.similarity_group)
    others = alike.exclude(post__author=revision.post.author_id)
    newest = others.order_by("-grouped__received_at", "-id").values_list("post_id", flat=True)[:_NEWEST]
    ids = tuple(dict.fromkeys(newest))[:_SHOWN_AROUND]
    if not ids:
        return ()
    return tuple(search.posts(wanted=PostFilter(post_ids=ids), viewer=viewer, limit=_SHOWN_AROUND).rows)
