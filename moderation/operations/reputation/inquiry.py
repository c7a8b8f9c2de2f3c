"""Query the configured providers about links of posts, store the answers, and rescore if one is bad."""

import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import F

from moderation.models import LinkVerdict, PostLink, Revision, Score
from moderation.operations import rescore
from moderation.operations.infrastructure import transactions
from moderation.operations.reputation.provider import NoAnswer, Provider, Said, Trust, WebRisk
from moderation.operations.reputation.registration import Registration
from scoring.content import Unavailable

log = structlog.get_logger(__name__)

# From this score on a link's verdict is bad enough to rescore its posts.
BAD_THREAT = 0.5
BAD_TRUST = 40.0
BAD_AGE = timedelta(days=30)
"""A domain that was registered less than this before it was posted is news, too."""
SECONDS = 30.0
"""After this time a task asks no further question; the next post with those links does."""
IANA, OFF = "iana", "off"
_MOST_LINKS = 20
_READ_AS: dict[str, str] = {
    WebRisk.name: "threat_score",
    Trust.name: "trust_score",
    Registration.name: "live_since_at",
}
"""Fields of a record that hold a provider's answer."""


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
    known_verdicts = _known(links, at=at)
    verdicts = list(_answers(links, known=known_verdicts, at=at))
    with transaction.atomic():
        # Do not store URLs of posts that were erased during the query.
        posts = transactions.lock_posts(revisions__in={link.revision_id for link in links})
        links = [link for link in links if link.revision.post_id in posts]
        subjects = {provider.subject(link) for provider in _providers() for link in links}
        verdicts = [verdict for verdict in verdicts if verdict.subject in subjects]
        LinkVerdict.objects.bulk_create(verdicts)
        _score_again(links, news=verdicts, known=known_verdicts, at=at)
    return len(verdicts)


def _known(links: Sequence[PostLink], *, at: datetime) -> list[LinkVerdict]:
    subjects = {provider.subject(link) for provider in _providers() for link in links}
    return list(LinkVerdict.objects.filter(subject__in=subjects - {""}, expires_at__gt=at))


def _answers(
    links: Sequence[PostLink], *, known: Sequence[LinkVerdict], at: datetime
) -> Iterator[LinkVerdict]:
    pairs = {(verdict.provider, verdict.subject) for verdict in known}
    ends_at = time.monotonic() + SECONDS
    for provider in _providers():
        for link in links:
            subject = provider.subject(link)
            if time.monotonic() > ends_at:
                log.warning("reputation_out_of_time", links=len(links))
                return
            if subject and (provider.name.value, subject) not in pairs:
                pairs.add((provider.name.value, subject))
                answer = _said(provider, link, at=at)
                if answer is not None:
                    yield LinkVerdict(
                        provider=provider.name,
                        subject=subject,
                        value=answer.value,
                        live_since_at=answer.live_since_at,
                        detail=answer.detail,
                        fetched_at=at,
                        expires_at=at + answer.holds_for,
                    )


def _said(provider: Provider, link: PostLink, *, at: datetime) -> Said | None:
    try:
        return provider.ask(link, at=at)
    except (NoAnswer, Unavailable) as reason:
        log.info("reputation_unknown", provider=provider.name.value, reason=str(reason))
        return None


def _is_bad(verdict: LinkVerdict) -> bool:
    if verdict.live_since_at is not None:
        return verdict.fetched_at - verdict.live_since_at < BAD_AGE
    if verdict.value is None:
        return False
    if verdict.provider == WebRisk.name:
        return verdict.value >= BAD_THREAT
    return verdict.provider == Trust.name and verdict.value < BAD_TRUST


def _score_again(
    links: Sequence[PostLink], *, news: Sequence[LinkVerdict], known: Sequence[LinkVerdict], at: datetime
) -> None:
    """Rescore posts that were scored before a bad verdict came; later scorings read it anyway.

    Also a verdict that another post's task stored meanwhile.
    """
    bad = {verdict.subject: verdict for verdict in [*known, *news] if _is_bad(verdict)}
    pairs = [
        (link, bad[subject])
        for link in links
        for subject in (link.url_digest, link.domain.name)
        if subject in bad
    ]
    latest = Revision.objects.filter(
        pk__in={link.revision_id for link, _ in pairs}, number=F("post__latest_revision")
    )
    scores = Score.objects.filter(revision__in=latest, generation=F("revision__scoring__generation"))
    records = dict(scores.values_list("revision", "record"))
    fresh = {verdict.subject for verdict in news}
    ids = {
        link.revision_id
        for link, verdict in pairs
        if verdict.subject in fresh or not _was_read(records.get(link.revision_id), link, verdict)
    }
    rescore.again(latest.filter(pk__in=ids).values_list("pk", flat=True), at=at)


def _was_read(record: Mapping[str, Any] | None, link: PostLink, verdict: LinkVerdict) -> bool:
    """Return whether a score includes a verdict; True without a score: it will include it."""
    if record is None:
        return True
    name = _READ_AS[verdict.provider]
    return any(
        entry["url"] == link.url and entry.get("reputation", {}).get(name) is not None
        for entry in record.get("links", ())
    )


@lru_cache(maxsize=1)
def _providers() -> tuple[Provider, ...]:
    """Return the providers that the settings name.

    One per process, so that its circuit breaker keeps its state.
    """
    providers: list[Provider] = []
    if settings.WEB_RISK_KEY:
        providers.append(WebRisk(address=settings.WEB_RISK_URL, key=settings.WEB_RISK_KEY))
    if settings.WOT_KEY:
        providers.append(Trust(address=settings.WOT_URL, key=settings.WOT_KEY, user=settings.WOT_USER))
    if settings.RDAP_URL != OFF:
        providers.append(Registration(address="" if settings.RDAP_URL == IANA else settings.RDAP_URL))
    return tuple(providers)
