"""Domains as leads see them: how often they were posted, what became of those posts, and their bans."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Q

from moderation.models import Ban, Domain, PostLink
from moderation.models.bans import BanKind
from moderation.models.cases import CaseState
from moderation.queries import blocklist

RECENT = timedelta(days=7)
_LIMIT = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainHistory:
    """Counts of posts that link to a domain: `recent` in the last seven days, `waiting` in the queue now."""

    name: str
    first_seen_at: datetime
    posts: int
    recent: int
    authors: int
    spam: int
    not_spam: int
    complaints: int
    waiting: int
    ban: Ban | None

    @property
    def decided(self) -> int:
        """Posts that a human has judged."""
        return self.spam + self.not_spam

    @property
    def spam_width(self) -> int:
        """Share of spam among the judged ones, in per cent."""
        return round(self.spam * 100 / self.decided) if self.decided else 0


def listed(*, text: str = "", is_banned: bool = False, at: datetime) -> list[DomainHistory]:
    """Return the domains that match, else those most posted in the last seven days."""
    if is_banned:
        found = Domain.objects.filter(
            bans__in=Ban.objects.filter(blocklist.live(at=at)), name__icontains=text
        )
        ids = list(found.order_by("name").values_list("pk", flat=True)[:_LIMIT])
    elif text:
        found = Domain.objects.filter(name__icontains=text.lower())
        ids = list(found.order_by("name").values_list("pk", flat=True)[:_LIMIT])
    else:
        recent = PostLink.objects.filter(received_at__gt=at - RECENT).order_by().values("domain")
        counted = recent.annotate(posts=Count("revision__post", distinct=True)).order_by("-posts", "domain")
        ids = list(counted.values_list("domain", flat=True)[:_LIMIT])
    histories = _histories(ids, at=at)
    return sorted(histories, key=lambda history: (-history.recent, history.name))


def history(*, name: str, at: datetime) -> DomainHistory:
    """Return one domain's history. Raises Domain.DoesNotExist."""
    return _histories([Domain.objects.get(name=name.lower()).pk], at=at)[0]


def _histories(ids: list[int], *, at: datetime) -> list[DomainHistory]:
    """Two queries for any number of domains: counts, and live bans."""
    banned = Ban.objects.filter(blocklist.live(at=at), kind=BanKind.DOMAIN, domain__in=ids)
    live = {ban.domain_id: ban for ban in banned}
    post = "post_links__revision__post"
    labelled = Q(**{f"{post}__labels__retracted_at__isnull": True})
    rows = Domain.objects.filter(pk__in=ids).annotate(
        posts=Count(post, distinct=True),
        recent=Count(post, distinct=True, filter=Q(post_links__received_at__gt=at - RECENT)),
        authors=Count(f"{post}__author", distinct=True),
        spam=Count(
            f"{post}__labels", distinct=True, filter=labelled & Q(**{f"{post}__labels__is_spam": True})
        ),
        not_spam=Count(
            f"{post}__labels", distinct=True, filter=labelled & Q(**{f"{post}__labels__is_spam": False})
        ),
        complaints=Count(f"{post}__complaints", distinct=True),
        waiting=Count(f"{post}__cases", distinct=True, filter=Q(**{f"{post}__cases__state": CaseState.OPEN})),
    )
    return [
        DomainHistory(
            name=row.name,
            first_seen_at=row.first_seen_at,
            posts=row.posts,
            recent=row.recent,
            authors=row.authors,
            spam=row.spam,
            not_spam=row.not_spam,
            complaints=row.complaints,
            waiting=row.waiting,
            ban=live.get(row.pk),
        )
        for row in rows
    ]
