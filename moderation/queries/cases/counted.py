"""The earlier posts behind a count on a case, in their state when the post was scored."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.db.models import Q

from moderation.models import Label, PostLink, Revision, User
from moderation.queries import search
from moderation.queries.cases.case_pages import CasePage, History, PostRecord
from moderation.queries.records import record_histories, records
from moderation.queries.search import PostFilter, PostRow


class Counted(StrEnum):
    """The trait that the counted posts share with the post of the case."""

    AUTHOR = "author"
    ADDRESS = "address"
    NETWORK = "network"
    PROVIDER = "provider"
    MAIL = "mail"
    DOMAIN = "domain"
    SIMILAR = "similar"
    RESEMBLING = "resembling"


class NotCounted(LookupError):
    """The post has no such trait, so nothing was counted."""


_SOURCES = {Counted.ADDRESS: "ip", Counted.PROVIDER: "asn"}
"""What histories call these; the others by the same name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedPost:
    """A post now, with the decisions and complaints on it when the case's post was scored.

    `was_spam` is None if nobody had judged its words by then; `spam_by_evidence` marks spam by what the post
    leads to or shows.
    """

    row: PostRow
    was_spam: bool | None
    complaints: int
    spam_by_evidence: bool = False


@dataclass(frozen=True, kw_only=True)
class CountedPosts:
    """The posts behind a count; `history` is what the record says of them, `at` the instant of the count."""

    posts: tuple[CountedPost, ...]
    history: History
    at: datetime

    @property
    def spam(self) -> int:
        """Number that people had judged spam."""
        return sum(post.was_spam is True for post in self.posts)

    @property
    def not_spam(self) -> int:
        """Number that people had judged not spam."""
        return sum(post.was_spam is False for post in self.posts)

    @property
    def complaints(self) -> int:
        """Number of complaints about all of them."""
        return sum(post.complaints for post in self.posts)

    @property
    def is_complete(self) -> bool:
        """False if posts were erased or regrouped since."""
        counted = self.history.confirmed_spam, self.history.confirmed_not_spam, self.history.posts
        return (self.spam, self.not_spam, len(self.posts)) == counted

    @property
    def is_sample(self) -> bool:
        """True if there may be more: a history covers the latest posts only."""
        return len(self.posts) >= record_histories.SAMPLE


def posts(*, page: CasePage, counted: Counted, domain: str, viewer: User) -> CountedPosts:
    """List what was counted when the case's post was scored, the newest first. Raises NotCounted."""
    record, revision = page.record, page.case.score.revision
    if record is None:
        raise NotCounted("the record cannot be read any more")
    history = _history(record, counted=counted, domain=domain)
    source = _SOURCES.get(counted, counted.value)
    key = _domain_key(revision, domain) if counted is Counted.DOMAIN else None
    key = key or records.keys_of(revision).get(source)
    if key is None:
        raise NotCounted(f"the post has no {counted}")
    older = record_histories.posts_of(source, key=key, post=revision.post_id, at=record.at)
    choice = PostFilter(post_ids=tuple(post_id for post_id, _, _ in older))
    rows = {row.post_id: row for row in search.posts(wanted=choice, viewer=viewer, limit=len(older)).rows}
    elsewhere = _spam_by_evidence(older, at=record.at)
    return CountedPosts(
        posts=tuple(
            CountedPost(
                row=rows[post_id],
                was_spam=was_spam,
                complaints=complaints,
                spam_by_evidence=post_id in elsewhere,
            )
            for post_id, was_spam, complaints in older
            if post_id in rows
        ),
        history=history,
        at=record.at,
    )


def _spam_by_evidence(older: Sequence[tuple[int, bool | None, int]], *, at: datetime) -> set[int]:
    """Return the posts whose verdict stood at an instant and was not counted, since it was not on words."""
    uncounted = [post_id for post_id, was_spam, _ in older if was_spam is None]
    if not uncounted:
        return set()
    stood = Q(retracted_at__isnull=True) | Q(retracted_at__gte=at)
    labels = Label.objects.filter(stood, post__in=uncounted, rests_on_evidence=True, labelled_at__lt=at)
    return set(labels.values_list("post_id", flat=True))


def _domain_key(revision: Revision, domain: str) -> str | None:
    links = PostLink.objects.filter(revision=revision, domain__name=domain)
    domain_id = links.values_list("domain_id", flat=True).first()
    return None if domain_id is None else str(domain_id)


def _history(record: PostRecord, *, counted: Counted, domain: str) -> History:
    """Return the record's history of the same posts."""
    if counted is Counted.DOMAIN:
        of_domain = [link.domain_history for link in record.links if (link.domain or link.host) == domain]
        if not of_domain:
            raise NotCounted("the post links to no such domain")
        return of_domain[0]
    return {
        Counted.AUTHOR: record.author_history,
        Counted.ADDRESS: record.ip_history,
        Counted.NETWORK: record.ip_network_history,
        Counted.PROVIDER: record.ip_asn_history,
        Counted.MAIL: record.email_domain_history,
        Counted.SIMILAR: record.similar,
        Counted.RESEMBLING: record.resembling,
    }[counted]
