"""Fetch an address, read and keep its content, and rescore the posts that it could matter to."""

import time
from contextlib import closing
from datetime import datetime, timedelta
from functools import cache, partial
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

import structlog
from django.conf import settings
from django.db import transaction

from moderation import prepared
from moderation.evidence import addresses
from moderation.evidence.facts import Reason, Unreadable
from moderation.evidence.reader import Busy, Lost, Readers
from moderation.models import Evidence, PictureGroup
from moderation.models.evidence import EvidenceKind, EvidenceState
from moderation.models.posts import ScoreState
from moderation.operations.evidence import (
    answers,
    browse,
    fetch,
    leads,
    leases,
    mattering,
    opening,
    renew,
    sent_pictures,
    thumbnails,
)
from moderation.operations.evidence.answers import Answer
from moderation.operations.evidence.fetch import Journey, Means
from moderation.operations.evidence.thumbnails import Kept
from moderation.operations.infrastructure import transactions
from moderation.operations.similarity import listed_pictures, picture_groups
from scoring import links

log = structlog.get_logger(__name__)

_FIRST_ERROR = 400
_READERS_WITHIN_SECONDS = 60.0
"""From the claim on: including the fetch and the last read this ends well before the lease."""
_READERS: dict[str, Readers] = {}
_FILLED = (
    *("state", "detail", "chain", "final_url", "final_host", "final_domain", "content_type", "bytes_read"),
    *("facts", "thumbnail", "picture_group", "fetched_at", "lease_until"),
)
_LATEST = """
SELECT r.id, r.post_id, j.state FROM moderation_revision r
JOIN moderation_post p ON p.id = r.post_id AND p.latest_revision = r.number
JOIN moderation_scoringjob j ON j.revision_id = r.id WHERE r.id = ANY(%(ids)s)
"""
_UNREAD = {
    Reason.WRONG_KIND: EvidenceState.WRONG_KIND,
    Reason.TOO_LARGE: EvidenceState.TOO_LARGE,
    Reason.BROKEN: EvidenceState.BROKEN,
    Reason.NOT_INSTALLED: EvidenceState.NOT_INSTALLED,
}


def run(*, evidence_id: int, at: datetime, means: Means | None = None) -> int:
    """Fetch an address unless another worker does or did, and those that waited for its place meanwhile;
    return how many answers were kept.

    Safe to run twice. Nothing is locked while a site answers. Without a free reader the row waits again, and
    no attempt counts. A rehearsal passes its own `means`.
    """
    count, began, now = 0, time.monotonic(), at
    with closing(leases.turns(evidence_id)) as turns:
        for owner, following in turns:
            if row := leases.claim(evidence_id=following, at=now):
                count += _collect(row, owner=owner, at=now, means=means)
            now = at + timedelta(seconds=time.monotonic() - began)
    return count


def _collect(row: Evidence, *, owner: str, at: datetime, means: Means | None) -> int:
    if means is None:
        ends_at = time.monotonic() + _READERS_WITHIN_SECONDS
        reader = partial(_guarded_read, owner=owner, site=row.site, ends_at=ends_at)
        means = Means(get=answers.get, read=reader, wait=leases.wait_for_site)
    journey = Journey(url=row.url, means=means, at=at, is_browser=row.kind == EvidenceKind.BROWSER)
    try:
        facts = _facts(journey, expected=row.kind)
    except Busy:
        leases.give_back(row, at=at)
        return 0
    with transaction.atomic():
        kept = thumbnails.keep(facts, at=at)
        group = picture_groups.of(facts, at=at)
        posts = transactions.lock_posts(revisions__evidence__evidence=row)
        is_held, other = browse.lock_with_other(row)
        if not is_held:
            return 0
        _fill(row, journey, kept=kept, group=group, at=at)
        is_cloaked = browse.compare(row, other)
        row.save(update_fields=_FILLED)
        sent_pictures.drop_read(row.url, before=row.started_at)
        listed_pictures.match(row)
        carriers = dict(row.revisions.order_by().values_list("revision", "revision__post"))
        carrying = {revision for revision, post in carriers.items() if post in posts}
        due_ids = _due(row, other, carriers=set(carriers), is_cloaked=is_cloaked)
        due_ids |= picture_groups.join(carrying) if group else set()
        _lead_on(row, carrying, at=at)
        _rescore(due_ids, carrying=carrying, among=posts, at=at)
    log.info("evidence_ended", evidence=row.pk, state=row.state, hops=len(row.chain), bytes=row.bytes_read)
    return 1


def forget() -> None:
    """End the processes that read, so that changed settings apply."""
    while _READERS:
        _READERS.popitem()[1].close()
    _warn.cache_clear()


def _facts(journey: Journey, *, expected: str) -> dict[str, Any] | None:
    """Follow redirects, also those that a page asks of its browser; return the facts of what is there.

    Where these are too many, the last page is read as far as it goes.
    """
    if addresses.is_sent(journey.url):
        sent_pictures.bring(journey)
    else:
        fetch.follow(journey)
    facts = _read(journey, expected=expected)
    while facts and facts.get("refresh_url") and len(journey.chain) <= settings.EVIDENCE_LIMITS.redirects:
        journey.url = str(facts["refresh_url"])
        journey.answer = None
        fetch.follow(journey)
        facts = _read(journey, expected=expected)
    if facts and facts.get("refresh_url"):
        journey.end_redirects()
    return facts


def _read(journey: Journey, *, expected: str) -> dict[str, Any] | None:
    answer = journey.answer
    if answer is None:
        return None
    kind = answers.kind_of(answer, expected=expected)
    if kind is None:
        return _offered(journey, answer)
    if kind == "picture" and answer.is_cut:
        return None
    if kind == "speech" and not settings.SPEECH_MODEL:
        journey.end(EvidenceState.NOT_INSTALLED, "SPAMDESK_SPEECH_MODEL names no model")
        return None
    hints = {"url": journey.url, "content_type": answer.content_type}
    began = time.monotonic()
    try:
        return _parsed(journey, kind, answer.body, hints=hints)
    except Unreadable as unreadable:
        journey.end(_UNREAD[unreadable.reason], answer.content_type)
    except Lost as lost:
        journey.end(EvidenceState.BROKEN, str(lost))
    finally:
        journey.ends_at += (
            time.monotonic() - began
        )  # the reader is busy for others, too: no fault of the site
    return None


def _parsed(journey: Journey, kind: str, body: bytes, *, hints: dict[str, str]) -> dict[str, Any]:
    """Return the facts of a body; without the text of a picture if reading it takes too long.

    Raises Busy, Unreadable or Lost.
    """
    limits, read = settings.EVIDENCE_LIMITS, journey.means.read
    if kind == "speech":
        hints = {"model": str(settings.SPEECH_MODEL), "seconds": str(limits.speech_of_seconds)}
        return read(kind, body, hints=hints, seconds=limits.speech_seconds)
    if kind != "picture":
        return read(kind, body, hints=hints, seconds=limits.read_seconds)
    facts = read(kind, body, hints=hints, seconds=limits.picture_seconds)
    facts["sha256"] = sha256(body).hexdigest()
    try:
        return facts | (
            thumbnails.text_of_copy(facts) or read("text", body, hints=hints, seconds=limits.picture_seconds)
        )
    except (Lost, Unreadable) as trouble:
        journey.detail = f"without its text: {trouble}"
        return facts


def _guarded_read(kind: str, data: bytes, **given: Any) -> dict[str, Any]:
    readers = _readers(kind)
    try:
        return readers.read(kind, data, **given)
    finally:
        if readers.lacking:
            _warn(readers.lacking)


@cache
def _warn(lacking: frozenset[str]) -> None:
    log.warning("reader_not_jailed", lacking=sorted(lacking))


def _offered(journey: Journey, answer: Answer) -> dict[str, Any] | None:
    """Return the file that was offered instead of a page, in the shape of a page's facts.

    An error page offers none.
    """
    if answer.status >= _FIRST_ERROR:
        return None
    journey.end(EvidenceState.WRONG_KIND, answer.content_type)
    name = answer.file_name or urlsplit(journey.url).path.rpartition("/")[2]
    return {"downloads": [{"url": journey.url, "name": name[:200]}]}


def _fill(row: Evidence, journey: Journey, *, kept: Kept, group: PictureGroup | None, at: datetime) -> None:
    url = journey.chain[-1]["url"]
    final_links = links.links_in("", extra=[url])
    row.state, row.detail, row.chain = journey.state, journey.detail, journey.chain
    row.final_url, row.final_host = url, final_links[0].host if final_links else ""
    row.final_domain = final_links[0].domain if final_links else ""
    row.content_type = journey.answer.content_type[:100] if journey.answer else ""
    row.bytes_read = len(journey.answer.body) if journey.answer else 0
    row.facts, row.thumbnail, row.picture_group = kept.facts, kept.digest, group
    row.detail = row.detail or kept.trouble
    row.fetched_at, row.lease_until = at, None


def _due(row: Evidence, other: Evidence | None, *, carriers: set[int], is_cloaked: bool) -> set[int]:
    """Return the revisions to score again; those with an earlier fetch only if the page changed.

    A browser's fetch matters only if it shows another page.
    """
    changes = renew.compare(row)
    due_ids = {revision for revision, is_changed in changes.items() if is_changed}
    is_repeated = row.kind == EvidenceKind.BROWSER and other is not None
    if is_cloaked or (not is_repeated and mattering.could_matter(row)):
        others = other.revisions.values_list("revision", flat=True) if other and is_cloaked else ()
        due_ids |= carriers.union(others) - changes.keys()
    return due_ids


def _lead_on(row: Evidence, carrying: set[int], *, at: datetime) -> None:
    """Write down where a row leads, or ask opening if posts are not locked or an address is known."""
    facts = row.facts or {}
    further = leads.onward(row.revisions.all()) if facts.get("preview_url") or facts.get("codes") else []
    own = [address for address in further if address.revision_id in carrying]
    is_new = len(opening.write_down(own, at=at)) == len({address.digest for address in own})
    leads.reopen({address.revision_id for address in further} - (carrying if is_new else set()), at=at)


def _rescore(due: set[int], *, carrying: set[int], among: set[int], at: datetime) -> None:
    """Rescore the latest revisions of posts that are locked and have a score.

    Revisions joined meanwhile, or being scored, are requested again: opening checks whether their score lacks
    this evidence.
    """
    own_ids = {pk for pk, post, _ in prepared.rows(_LATEST, ids=list(due)) if post in among}
    taken = mattering.score_again(own_ids, carrying=carrying, at=at)
    rest = prepared.rows(_LATEST, ids=list(due.difference(taken)))
    ids = [pk for pk, _, state in rest if state in (ScoreState.SCORED, ScoreState.SCORING)]
    picture_groups.leave(ids)
    leads.reopen(ids, at=at)


def _readers(kind: str) -> Readers:
    """Return the readers of a kind in this process, each started with the first thing that it reads.

    Each kind has its own: pictures and speech take seconds, and pages should not wait for them. All threads,
    which start at once, share them.
    """
    limits, kind = settings.EVIDENCE_LIMITS, "picture" if kind == "text" else kind
    memory = limits.speech_memory_bytes if kind == "speech" else limits.read_bytes
    count = limits.page_readers if kind == "page" else 1
    readers = Readers(count, memory_bytes=memory, server=settings.READER_SOCKET)
    return _READERS.setdefault(kind, readers)
