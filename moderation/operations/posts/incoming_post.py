"""A post as a platform sends it, and the revision that it becomes."""

import dataclasses
import hashlib
import ipaddress
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from moderation.models import Post, Revision, ScoringJob
from moderation.models.posts import Subject
from scoring.records import AuthorSnapshot

IncomingAuthor = AuthorSnapshot
"""The author as the platform described them, stored as sent."""

_AUTHOR_FIELDS = tuple(field.name for field in dataclasses.fields(IncomingAuthor))


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingParent:
    """The post that a post answers, by the platform's id.

    Text and author ("" where not told) are for parents that the platform did not send.
    """

    external_id: str
    text: str = ""
    author_external_id: str = ""
    author_name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingPost:
    """A validated post. `journey` holds (step name, milliseconds since the first step).

    `transcripts` are as a revision stores them; `pictures` are those whose names stand among `media_urls`.
    """

    external_id: str
    text: str
    posted_at: datetime
    author: IncomingAuthor
    subject: str = Subject.POST
    revision: int = 1
    parent: IncomingParent | None = None
    language: str = ""
    ip: str | None = None
    ip_asn: int | None = None
    user_agent: str = ""
    links: tuple[str, ...] = ()
    media_urls: tuple[str, ...] = ()
    pictures: tuple[tuple[str, bytes], ...] = ()
    transcripts: tuple[dict[str, Any], ...] = ()
    journey: tuple[tuple[str, int], ...] = ()
    shares: int | None = None
    comments: int | None = None
    views: int | None = None


def of_fields(fields: Mapping[str, Any]) -> IncomingPost:
    """Return the post of validated fields of JSON, with times already parsed.

    Every body becomes a post here: from the API's two readers, Akismet's form and a rehearsal.
    """
    values = dict(fields)
    values["author"] = IncomingAuthor(**values["author"])
    if "parent" in values:
        values["parent"] = _parent(values["parent"])
    for name in ("links", "media_urls", "pictures", "transcripts"):
        if name in values:
            values[name] = tuple(values[name])
    if "journey" in values:
        values["journey"] = tuple([(step["name"], step["at_ms"]) for step in values["journey"]])
    return IncomingPost(**values)


def revision_of(*, incoming: IncomingPost, row: Post, digest: str, at: datetime) -> Revision:
    """Return the unsaved revision of `row` that a post asks for, with its unsaved job; `digest` is its
    `body_digest`."""
    revision = Revision(
        post=row,
        number=incoming.revision,
        received_at=at,
        text=incoming.text,
        language=incoming.language,
        parent_external_id=incoming.parent.external_id if incoming.parent else "",
        parent_text=incoming.parent.text if incoming.parent else "",
        links=list(incoming.links),
        media_urls=list(incoming.media_urls),
        transcripts=list(incoming.transcripts),
        author_snapshot=_snapshot(incoming.author),
        ip=incoming.ip,
        ip_network=_network(incoming.ip),
        ip_asn=incoming.ip_asn,
        user_agent=incoming.user_agent,
        journey=json.dumps(incoming.journey, separators=(",", ":")),
        shares=incoming.shares,
        comments=incoming.comments,
        views=incoming.views,
        body_digest=digest,
        text_digest=_digest(" ".join(incoming.text.casefold().split())),
    )
    ScoringJob(revision=revision, enqueued_at=at)  # becomes its `scoring`
    return revision


def body_digest(incoming: IncomingPost) -> str:
    """Digest the content of a revision.

    Counts of shares, comments and views are not in it, since they change without a revision; so may the text
    and the author's name of the parent.
    """
    body = {
        "external_id": incoming.external_id,
        "text": incoming.text,
        "posted_at": incoming.posted_at.isoformat(),
        "revision": incoming.revision,
        "language": incoming.language,
        "ip": incoming.ip,
        "user_agent": incoming.user_agent,
        "links": incoming.links,
        "media_urls": incoming.media_urls,
        "journey": incoming.journey,
    }
    # Left out if absent, so that digests of posts stored before these fields existed stay the same.
    if incoming.ip_asn is not None:
        body["ip_asn"] = incoming.ip_asn
    if incoming.transcripts:
        body["transcripts"] = incoming.transcripts
    if incoming.parent is not None:
        body["parent"] = incoming.parent.external_id
    return _digest(json.dumps(body, sort_keys=True, ensure_ascii=True))


def _parent(fields: Mapping[str, Any]) -> IncomingParent:
    author = fields.get("author") or {}
    return IncomingParent(
        external_id=fields["external_id"],
        text=fields.get("text", ""),
        author_external_id=author.get("external_id", ""),
        author_name=author.get("display_name", ""),
    )


def _network(ip: str | None) -> str:
    """Return the /24 or /48 around an address: what one customer of a provider commonly holds."""
    if ip is None:
        return ""
    if ":" not in ip:
        return f"{ip.rpartition('.')[0]}.0/24"
    return str(ipaddress.ip_network((ip, 48), strict=False))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]  # 128 bits


def _snapshot(author: IncomingAuthor) -> dict[str, Any]:
    values = {name: getattr(author, name) for name in _AUTHOR_FIELDS}
    values["created_at"] = author.created_at.isoformat() if author.created_at else None
    return values
