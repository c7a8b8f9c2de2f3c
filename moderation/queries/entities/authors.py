"""Authors for the desk: account facts, posts and outcomes, and accounts that look alike."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from moderation.models import (
    Author,
    AuthorBand,
    AuthorNote,
    Case,
    Complaint,
    Label,
    Post,
    PostLink,
    Revision,
    Rule,
    User,
)
from moderation.models.cases import CaseState
from moderation.queries import case_access, full_text, keyset, outcome_counts
from moderation.queries.entities import addresses, timeline
from moderation.queries.entities.timeline import Timeline
from moderation.queries.keyset import Page
from moderation.queries.outcome_counts import Figures
from moderation.queries.records import records
from moderation.queries.rules import rule_pages, targets
from moderation.queries.rules.targets import Target
from scoring.resemblance import SHARED_BANDS

RECENT = timedelta(days=7)
_TOP = 8
_NOTES = 20
_ALIKE, _PER_BAND = 6, 200


@dataclass(frozen=True, kw_only=True)
class AuthorFilter:
    """Which authors to show; `state` is all, spam (a post was judged so), reported or waiting."""

    text: str = ""
    state: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorRow:
    """One author in the list, with counts of posts and of complaints about them."""

    author: Author
    posts: int
    removed: int
    spam: int
    not_spam: int
    complaints: int
    waiting: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AlikeAccount:
    """An account that shares several traits with another; `posts` and what people judged of them."""

    author: Author
    posts: int
    spam: int
    not_spam: int


@dataclass(frozen=True, kw_only=True)
class AuthorFacts:
    """Everything that an author's page shows.

    `snapshot` is the platform's latest description of the account; an erased author has no target for rules.
    Domains and addresses come with the number of posts. A viewer who may not read origins gets no addresses
    and no e-mail domain.
    """

    author: Author
    snapshot: dict[str, Any]
    figures: Figures
    timeline: Timeline
    domains: tuple[tuple[str, int], ...]
    addresses: tuple[tuple[str, int], ...]
    complaints_made: int
    complaints_confirmed: int
    complaints_rejected: int
    target: Target | None
    rules: tuple[Rule, ...]
    live_rule: Rule | None


def page(
    *, wanted: AuthorFilter, viewer: User, cursor: str = "", at: datetime, limit: int = 50
) -> Page[AuthorRow]:
    """Return authors who posted, the newest first; without a filter, those most judged spam in seven days.

    Where people judged none, the newest again. Raises InvalidCursor.
    """
    waits = Case.objects.filter(state=CaseState.OPEN).exclude(case_access.kept_from(viewer))
    if not (wanted.text or wanted.state or cursor) and (ids := _most_judged_spam(at=at, limit=limit)):
        judged = Author.objects.select_related("platform").in_bulk(ids)
        return Page(_rows([judged[pk] for pk in ids], waits), None)
    authors = full_text.authors(wanted.text) if wanted.text else Author.objects.all()
    # Complainants have author rows, too: those who never posted are left out.
    authors = authors.filter(Exists(Post.objects.filter(author=OuterRef("pk"))))
    rows = _in_state(authors, wanted.state, waits).select_related("platform")
    page = keyset.page(rows, order=("-pk",), after=keyset.after(cursor, int), limit=limit)
    return page.of(lambda authors: _rows(authors, waits))


def _most_judged_spam(*, at: datetime, limit: int) -> list[int]:
    labels = Label.objects.filter(is_spam=True, retracted_at__isnull=True, labelled_at__gt=at - RECENT)
    counted = labels.order_by().values_list("post__author").annotate(spam=Count("pk"))
    return [pk for pk, _ in counted.order_by("-spam", "-post__author")[:limit]]


def facts(*, author_id: int, viewer: User, at: datetime) -> AuthorFacts:
    """Read an author's page. Raises Author.DoesNotExist."""
    author = Author.objects.select_related("platform").get(pk=author_id)
    revisions = Revision.objects.filter(post__author=author, number=F("post__latest_revision"))
    newest = revisions.order_by("-post_id").values_list("author_snapshot", flat=True).first()
    complaints = Complaint.objects.filter(reporter=author)
    labels = Label.objects.filter(post=OuterRef("post"), retracted_at__isnull=True)
    reported = complaints.aggregate(
        all=Count("pk"),
        confirmed=Count("pk", filter=Exists(labels.filter(is_spam=True))),
        rejected=Count("pk", filter=Exists(labels.filter(is_spam=False))),
    )
    ruled = rule_pages.of_author(author_id=author.pk)
    return AuthorFacts(
        author=author,
        snapshot=_shown(newest or {}, viewer),
        figures=outcome_counts.of(revisions, at=at, viewer=viewer),
        timeline=timeline.of(revisions),
        domains=_domains(revisions),
        addresses=addresses.used(revisions, viewer=viewer, most=_TOP) if viewer.may_read_origins else (),
        complaints_made=reported["all"],
        complaints_confirmed=reported["confirmed"],
        complaints_rejected=reported["rejected"],
        target=None if author.erased_at else targets.of_author(author),
        rules=tuple(ruled),
        live_rule=rule_pages.first_live(ruled, at=at),
    )


def _shown(snapshot: dict[str, Any], viewer: User) -> dict[str, Any]:
    hidden = () if viewer.may_read_origins else ("email_domain",)
    return {name: value for name, value in snapshot.items() if name not in hidden}


def notes(*, author_id: int) -> tuple[AuthorNote, ...]:
    """Return the latest notes on an author, the newest first."""
    rows = AuthorNote.objects.filter(author=author_id).exclude(text="").select_related("written_by")
    return tuple(rows.order_by("-id")[:_NOTES])


def alike(revision: Revision) -> tuple[AlikeAccount, ...]:
    """Return accounts of the platform that look like a revision's author, those most alike first.

    The revision is loaded with `post`. Of a trait that many share, only the newest accounts are looked at.
    """
    digests = records.bands_of(revision) if revision.author_snapshot else ()  # empty once erased
    if not digests:
        return ()
    newest = [
        AuthorBand.objects.filter(digest=digest)
        .order_by("-first_seen_at")
        .values_list("author_id", flat=True)[:_PER_BAND]
        for digest in digests
    ]
    shared = Counter(newest[0].union(*newest[1:], all=True) if newest[1:] else newest[0])
    del shared[revision.post.author_id]
    ids = [author_id for author_id, bands in shared.most_common() if bands >= SHARED_BANDS][: 4 * _ALIKE]
    authors = Author.objects.filter(pk__in=ids, platform=revision.post.platform_id).in_bulk()
    chosen = [authors[author_id] for author_id in ids if author_id in authors][:_ALIKE]
    counts = _counts([author.pk for author in chosen])
    return tuple(AlikeAccount(author=author, **counts[author.pk]) for author in chosen)


def _in_state(authors: QuerySet[Author], state: str, waits: QuerySet[Case]) -> QuerySet[Author]:
    posts = Post.objects.filter(author=OuterRef("pk"))
    if state == "spam":
        judged = Label.objects.filter(post=OuterRef("pk"), is_spam=True, retracted_at__isnull=True)
        return authors.filter(Exists(posts.filter(Exists(judged))))
    if state == "reported":
        complaints = Complaint.objects.filter(post=OuterRef("pk"))
        return authors.filter(Exists(posts.filter(Exists(complaints))))
    if state == "waiting":
        return authors.filter(Exists(posts.filter(Exists(waits.filter(post=OuterRef("pk"))))))
    return authors


def _rows(authors: Sequence[Author], waits: QuerySet[Case]) -> tuple[AuthorRow, ...]:
    """Count in five queries for any number of authors: joins in one query would multiply the counts."""
    ids = [author.pk for author in authors]
    counts = _counts(ids)
    removed = _numbers(outcome_counts.removed(Post.objects.filter(author__in=ids)), "author")
    complaints = _numbers(Complaint.objects.filter(post__author__in=ids), "post__author")
    waiting = _numbers(waits.filter(post__author__in=ids), "post__author")
    return tuple(
        AuthorRow(
            author=author,
            **counts[author.pk],
            removed=removed[author.pk],
            complaints=complaints[author.pk],
            waiting=waiting[author.pk],
        )
        for author in authors
    )


def _counts(ids: Sequence[int]) -> dict[int, dict[str, int]]:
    """Return the posts of authors and what people judged of them."""
    posts = _numbers(Post.objects.filter(author__in=ids), "author")
    labels = Label.objects.filter(post__author__in=ids, retracted_at__isnull=True).order_by()
    rows = labels.values_list("post__author").annotate(
        spam=Count("pk", filter=Q(is_spam=True)), not_spam=Count("pk", filter=Q(is_spam=False))
    )
    counts = {pk: {"posts": posts[pk], "spam": 0, "not_spam": 0} for pk in ids}
    for pk, spam, not_spam in rows:
        counts[pk] |= {"spam": spam, "not_spam": not_spam}
    return counts


def _numbers(rows: QuerySet[Any], author: str) -> Counter[int]:
    return Counter(dict(rows.order_by().values_list(author).annotate(number=Count("pk"))))


def _domains(revisions: QuerySet[Revision]) -> tuple[tuple[str, int], ...]:
    links = PostLink.objects.filter(revision__in=revisions).order_by().values_list("domain__name")
    counted = links.annotate(posts=Count("revision", distinct=True)).order_by("-posts", "domain__name")
    return tuple(counted[:_TOP])
