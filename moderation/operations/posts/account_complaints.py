"""Store complaints about an account without a post: its profile is a row of `Post`, as of `Subject`."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from moderation.models import Complaint, Platform, Revision
from moderation.models.posts import ACCOUNT_PREFIX, Subject
from moderation.operations.posts import complaints, ingest
from moderation.operations.posts.complaints import IncomingComplaint
from moderation.operations.posts.incoming_post import IncomingAuthor, IncomingPost, body_digest


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingAccount:
    """A validated account with its public profile; `fields` are pairs of name and value.

    The platform's id, display name, age and counts are those of `author`. `picture` is a URL.
    """

    author: IncomingAuthor
    bio: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    links: tuple[str, ...] = ()
    picture: str = ""


def record(
    *, platform: Platform, account: IncomingAccount, complaint: IncomingComplaint, at: datetime
) -> Complaint:
    """Store an account's profile, have it scored, and store a complaint about it, once per reporter.

    The complaint's `post` is not read. A profile that changed is a new revision; one of which nothing but
    the id and counts is given leaves what is stored. The account need not be known, nor have posts.
    """
    with transaction.atomic():
        post = _profile(account, at=at)
        # Two at once may both take the next number: the second finds it taken, holds the row from then on,
        # and goes round once more.
        for _ in range(2):
            [answer] = ingest.accept(platform=platform, posts=[_next(post, platform=platform)], at=at)
            if isinstance(answer, ingest.Accepted):
                break
        about = dataclasses.replace(complaint, post=post.external_id)
        return complaints.record(platform=platform, complaint=about, at=at)


def _profile(account: IncomingAccount, *, at: datetime) -> IncomingPost:
    """Return the profile as a post: a line for the display name, the bio and each field."""
    author = account.author
    lines = (author.display_name, account.bio, *(f"{name}: {value}" for name, value in account.fields))
    return IncomingPost(
        external_id=f"{ACCOUNT_PREFIX}{author.external_id}",
        subject=Subject.ACCOUNT,
        text="\n".join(line for line in lines if line),
        posted_at=at,
        author=author,
        links=account.links,
        media_urls=(account.picture,) if account.picture else (),
    )


def _next(post: IncomingPost, *, platform: Platform) -> IncomingPost:
    """Return the profile under the number of the stored revision that says the same, else under the next."""
    rows = Revision.objects.filter(post__platform=platform, post__external_id=post.external_id)
    latest = rows.select_related("post").order_by("-number").first()
    if latest is None:
        return post
    same = dataclasses.replace(post, posted_at=latest.post.posted_at, revision=latest.number)
    is_bare = not (post.text or post.links or post.media_urls)
    if is_bare:
        same = dataclasses.replace(
            same, text=latest.text, links=tuple(latest.links), media_urls=tuple(latest.media_urls)
        )
    is_changed = body_digest(same) != latest.body_digest
    return dataclasses.replace(same, revision=latest.number + 1) if is_changed else same
