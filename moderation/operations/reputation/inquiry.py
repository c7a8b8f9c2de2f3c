"""Query the configured providers about links of posts, store the answers, and rescore if one is bad."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import lru_cache

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import F

from moderation.models import LinkVerdict, PostLink, Revision
from moderation.operations import rescore
from moderation.operations.infrastructure import erasure_locks
from moderation.operations.reputation.provider import NoAnswer, Provider, Said
from moderation.operations.reputation.registration import Registration
from moderation.operations.reputation.trust import Trust
from moderation.operations.reputation.web_risk import WebRisk
from scoring.content import Unavailable

log = structlog.get_logger(__name__)

# From this score on a link's verdict is bad enough to rescore its posts.
BAD_THREAT = 0.5
BAD_TRUST = 40.0
_MOST_LINKS = 20


def is_configured() -> bool:
    """Return whether any provider is configured."""
    return bool(_providers())


def ask(*, revision_ids: Sequence[int], at: datetime) -> int:
    """Query what is not known or has expired about the links of revisions; return how many answers came.

    Idempotent: an answer is not queried again until it expires. A provider that does not answer
    leaves its feature unknown; the next post with that link asks again.
    """
    links = list(
        PostLink.objects.filter(revision__in=revision_ids, position__lt=_MOST_LINKS)
        .select_related("domain", "revision")
        .order_by("revision_id", "position")
    )
    # Before the transaction: providers take seconds, and nothing may be locked meanwhile.
    verdicts = list(_answers(links, at=at))
    with transaction.atomic():
        # Do not store URLs of posts that were erased during the query.
        posts = erasure_locks.posts(revisions__in={link.revision_id for link in links})
        links = [link for link in links if link.revision.post_id in posts]
        left = {provider.subject(link) for provider in _providers() for link in links}
        verdicts = [verdict for verdict in verdicts if verdict.subject in left]
        LinkVerdict.objects.bulk_create(verdicts)
        _score_again([verdict for verdict in verdicts if _is_bad(verdict)], links=links, at=at)
    return len(verdicts)


def forget() -> None:
    """Drop the cached providers, so that changed settings apply."""
    _providers.cache_clear()


def _answers(links: Sequence[PostLink], *, at: datetime) -> Iterator[LinkVerdict]:
    subjects = {provider.subject(link) for provider in _providers() for link in links}
    known = set(
        LinkVerdict.objects.filter(subject__in=subjects, expires_at__gt=at).values_list("provider", "subject")
    )
    for provider in _providers():
        for link in links:
            subject = provider.subject(link)
            if subject and (provider.name.value, subject) not in known:
                known.add((provider.name.value, subject))
                said = _said(provider, link, at=at)
                if said is not None:
                    yield LinkVerdict(
                        provider=provider.name,
                        subject=subject,
                        value=said.value,
                        live_since_at=said.live_since_at,
                        detail=said.detail,
                        fetched_at=at,
                        expires_at=at + said.holds_for,
                    )


def _said(provider: Provider, link: PostLink, *, at: datetime) -> Said | None:
    try:
        return provider.ask(link, at=at)
    except (NoAnswer, Unavailable) as reason:
        log.info("reputation_unknown", provider=provider.name.value, reason=str(reason))
        return None


def _is_bad(verdict: LinkVerdict) -> bool:
    if verdict.value is None:
        return False
    if verdict.provider == WebRisk.name:
        return verdict.value >= BAD_THREAT
    return verdict.provider == Trust.name and verdict.value < BAD_TRUST


def _score_again(bad: Sequence[LinkVerdict], *, links: Sequence[PostLink], at: datetime) -> None:
    """Rescore posts that were scored before the verdict came; later scorings read it anyway."""
    subjects = {verdict.subject for verdict in bad}
    revisions = {link.revision_id for link in links if {link.url_digest, link.domain.name} & subjects}
    due = Revision.objects.filter(pk__in=revisions, number=F("post__latest_revision"))
    rescore.again(due.values_list("pk", flat=True), at=at)


@lru_cache(maxsize=1)
def _providers() -> tuple[Provider, ...]:
    """Return the providers that the settings name.

    One per process, so that its circuit breaker keeps its state.
    """
    found: list[Provider] = []
    if settings.WEB_RISK_KEY:
        found.append(WebRisk(address=settings.WEB_RISK_URL, key=settings.WEB_RISK_KEY))
    if settings.WOT_KEY:
        found.append(Trust(address=settings.WOT_URL, key=settings.WOT_KEY, user=settings.WOT_USER))
    if settings.RDAP_URL:
        found.append(Registration(address=settings.RDAP_URL))
    return tuple(found)
