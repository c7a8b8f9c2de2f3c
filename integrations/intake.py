"""Store what a platform tells: posts, complaints about them, and what its connector must know later."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from integrations.connector import Incoming
from integrations.models import Exchange, Integration, Item
from moderation.models import Post, Revision
from moderation.models.posts import ACCOUNT_PREFIX, Subject
from moderation.operations.posts import complaints, ingest
from moderation.operations.posts.complaints import IncomingComplaint
from moderation.operations.posts.incoming_post import IncomingPost, body_digest
from moderation.operations.refusals import Erased

_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,7})?", re.ASCII)
_ID, _TEXT, _NOTE, _LINK, _LINKS, _MEDIA = 200, 100_000, 2_000, 4_096, 100, 20


def take(integration: Integration, incoming: Iterable[Incoming], *, at: datetime) -> int:
    """Store each post with its complaints; return how many there were. The same again changes nothing.

    Erased posts are left out. Each is a transaction of its own, so that a bad one takes no other with it.
    """
    count = 0
    for piece in incoming:
        if piece.is_removed or (piece.is_direct and not integration.takes_direct_messages):
            continue
        post = cleaned(piece.post, at=at)
        if piece.account:
            name = f"{ACCOUNT_PREFIX}{post.author.external_id}"[:_ID]
            post = dataclasses.replace(post, subject=Subject.ACCOUNT, external_id=name)
        post = _numbered(integration, post)
        [answer] = ingest.accept(platform=integration.platform, posts=[post], at=at)
        if isinstance(answer, ingest.Refused):
            continue
        remember(integration, post_id=answer.post_id, remote=piece.remote)
        for complaint in piece.complaints:
            try:
                complaints.record(
                    platform=integration.platform, complaint=_told(complaint, post=post, at=at), at=at
                )
            except Erased:
                break
        count += 1
    return count


def _numbered(integration: Integration, post: IncomingPost) -> IncomingPost:
    """Return the post under the number of the stored revision that says the same, else under the next.

    Platforms do not number. The time of the post is the stored one, since a profile has none of its own.
    """
    rows = Revision.objects.filter(
        post__platform=integration.platform, post__external_id=post.external_id
    ).select_related("post")
    latest = rows.order_by("-number").first()
    if latest is None:
        return post
    same = dataclasses.replace(post, revision=latest.number, posted_at=latest.post.posted_at)
    is_same = body_digest(same) == latest.body_digest
    return same if is_same else dataclasses.replace(same, revision=latest.number + 1)


def remember(integration: Integration, *, post_id: int, remote: Mapping[str, Any]) -> None:
    """Keep what the connector must know later; lists grow, other values are replaced."""
    with transaction.atomic():
        if not Post.objects.filter(pk=post_id).exists():
            return
        item, _ = Item.objects.select_for_update().get_or_create(integration=integration, post_id=post_id)
        merged = item.remote | {
            name: [*dict.fromkeys([*item.remote.get(name, []), *value])] if isinstance(value, list) else value
            for name, value in remote.items()
        }
        if merged != item.remote:
            item.remote = merged
            item.save(update_fields=["remote"])


def forget(*, post_ids: Sequence[int]) -> None:
    """Erase what is known of these posts at their platforms, and deliveries that nobody could read.

    These may hold any words; asking the platform again brings what they said. Call inside a transaction.
    """
    Item.objects.filter(post__in=post_ids).delete()
    Exchange.objects.filter(delivery__post__in=post_ids).delete()
    platforms = Post.objects.filter(pk__in=post_ids).values("platform")
    Exchange.objects.filter(integration__platform__in=platforms).exclude(body="").update(body="", headers={})


def _told(complaint: IncomingComplaint, *, post: IncomingPost, at: datetime) -> IncomingComplaint:
    return dataclasses.replace(
        complaint,
        post=post.external_id,
        reporter=_text(complaint.reporter, _ID) or "unknown",
        external_id=_text(complaint.external_id, _ID),
        note=_text(complaint.note, _NOTE),
        reported_at=min(complaint.reported_at, at),
    )


def cleaned(post: IncomingPost, *, at: datetime) -> IncomingPost:
    """Return the post within the limits that the API keeps; platforms check less than it does."""
    author = dataclasses.replace(
        post.author,
        external_id=_text(post.author.external_id, _ID) or "unknown",
        display_name=_text(post.author.display_name, _ID),
    )
    parent = post.parent and dataclasses.replace(
        post.parent,
        external_id=_text(post.parent.external_id, _ID),
        text=_text(post.parent.text, 10_000),
        author_external_id=_text(post.parent.author_external_id, _ID),
        author_name=_text(post.parent.author_name, _ID),
    )
    return dataclasses.replace(
        post,
        external_id=_text(post.external_id, _ID),
        text=_text(post.text, _TEXT),
        posted_at=min(post.posted_at, at),
        author=author,
        parent=parent if parent and parent.external_id else None,
        language=post.language if _LANGUAGE.fullmatch(post.language) else "",
        links=_links(post.links, _LINKS),
        media_urls=_links(post.media_urls, _MEDIA),
    )


def _links(links: Iterable[str], most: int) -> tuple[str, ...]:
    fitting = [link for link in links if len(link) <= _LINK and _text(link, _LINK) == link]
    return tuple(dict.fromkeys(fitting))[:most]


def _text(text: str, longest: int) -> str:
    """Return text that the database stores: no zero bytes, no halves of surrogate pairs."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")[:longest]
