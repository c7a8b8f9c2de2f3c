"""Store what a platform tells: posts, complaints about them, and what its connector must know later."""

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from integrations.connector import Incoming
from integrations.fields import storable
from integrations.models import Exchange, HistoryImport, Integration, IntegrationState, Item
from moderation.models import Post
from moderation.models.posts import ACCOUNT_PREFIX, Subject
from moderation.operations.posts import complaints, ingest
from moderation.operations.posts.account_complaints import is_erased
from moderation.operations.posts.complaints import IncomingComplaint
from moderation.operations.posts.incoming_post import IncomingPost
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
            name = post.author.external_id
            reported = [told.reported_at for told in piece.complaints]
            if reported and is_erased(name, platform=integration.platform, since=max(reported)):
                continue
            external_id = f"{ACCOUNT_PREFIX}{name}"[:_ID]
            post = dataclasses.replace(post, subject=Subject.ACCOUNT, external_id=external_id)
        post = ingest.numbered(post, platform=integration.platform)
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


def forget(*, post_ids: Sequence[int], platform_id: int | None = None) -> None:
    """Erase what is known of these posts at their platforms, and deliveries that nobody could read.

    These may hold any words; asking the platform again brings what they said. Of a platform that is deleted
    also the connections and imports. Call inside a transaction.
    """
    if platform_id is not None:
        HistoryImport.objects.filter(platform=platform_id).delete()
        Exchange.objects.filter(integration__platform=platform_id).delete()
        Integration.objects.filter(platform=platform_id).update(
            state=IntegrationState.REMOVED, credentials="", webhook_secret="", cursor={}
        )
    Item.objects.filter(post__in=post_ids).delete()
    Exchange.objects.filter(delivery__post__in=post_ids).delete()
    platforms = Post.objects.filter(pk__in=post_ids).values("platform")
    Exchange.objects.filter(integration__platform__in=platforms).exclude(body="").update(body="", headers={})


def _told(complaint: IncomingComplaint, *, post: IncomingPost, at: datetime) -> IncomingComplaint:
    return dataclasses.replace(
        complaint,
        post=post.external_id,
        reporter=storable(complaint.reporter, _ID) or "unknown",
        external_id=storable(complaint.external_id, _ID),
        note=storable(complaint.note, _NOTE),
        reported_at=min(complaint.reported_at, at),
    )


def cleaned(post: IncomingPost, *, at: datetime) -> IncomingPost:
    """Return the post within the limits that the API keeps; platforms check less than it does."""
    author = dataclasses.replace(
        post.author,
        external_id=storable(post.author.external_id, _ID) or "unknown",
        display_name=storable(post.author.display_name, _ID),
    )
    parent = post.parent and dataclasses.replace(
        post.parent,
        external_id=storable(post.parent.external_id, _ID),
        text=storable(post.parent.text, 10_000),
        author_external_id=storable(post.parent.author_external_id, _ID),
        author_name=storable(post.parent.author_name, _ID),
    )
    return dataclasses.replace(
        post,
        external_id=storable(post.external_id, _ID),
        text=storable(post.text, _TEXT),
        posted_at=min(post.posted_at, at),
        author=author,
        parent=parent if parent and parent.external_id else None,
        language=post.language if _LANGUAGE.fullmatch(post.language) else "",
        links=_links(post.links, _LINKS),
        media_urls=_links(post.media_urls, _MEDIA),
    )


def _links(links: Iterable[str], most: int) -> tuple[str, ...]:
    fitting = [link for link in links if len(link) <= _LINK and storable(link, _LINK) == link]
    return tuple(dict.fromkeys(fitting))[:most]
