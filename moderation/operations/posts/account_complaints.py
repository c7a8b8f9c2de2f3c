"""Store complaints about an account without a post: its profile is a row of `Post`, as of `Subject`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from moderation.models import Complaint, Erasure, Platform, Revision
from moderation.models.erasures import ErasureKind, name_digest
from moderation.models.posts import ACCOUNT_PREFIX, Subject
from moderation.operations.posts import complaints, ingest
from moderation.operations.posts.complaints import IncomingComplaint
from moderation.operations.posts.incoming_post import IncomingAuthor, IncomingPost, body_digest
from moderation.operations.refusals import Erased


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingAccount:
    """A validated account with its public profile: `fields` are names and values, `picture` is a URL."""

    author: IncomingAuthor
    bio: str = ""
    fields: Sequence[tuple[str, str]] = ()
    links: Sequence[str] = ()
    picture: str = ""


def record(
    *, platform: Platform, account: IncomingAccount, complaint: IncomingComplaint, at: datetime
) -> Complaint:
    """Store an account's profile, have it scored, and store a complaint about it, once per reporter.

    The complaint's `post` is not read. A changed profile is a new revision; an id without a profile leaves
    what is stored. Raises Erased if the account was erased since the complaint was made.
    """
    with transaction.atomic():
        names = (account.author.external_id, f"{ACCOUNT_PREFIX}{account.author.external_id}")
        digests = [name_digest(platform=platform, external_id=name) for name in names]
        rows = Erasure.objects.filter(platform=platform, kind__in=ErasureKind.values, name_digest__in=digests)
        if rows.filter(erased_at__gte=complaint.reported_at).exists():
            raise Erased("The account was erased after this complaint was made.")
        # Two at once may take the same number: the second holds the row by then, and goes round once more.
        for _ in range(2):
            post = _profile(account, platform=platform, at=at)
            [answer] = ingest.accept(platform=platform, posts=[post], at=at)
            if isinstance(answer, ingest.Accepted):
                break
        complaint = dataclasses.replace(complaint, post=post.external_id)
        return complaints.record(platform=platform, complaint=complaint, at=at)


def _profile(account: IncomingAccount, *, platform: Platform, at: datetime) -> IncomingPost:
    """Return the profile as a post, under the number of the revision that says the same, else the next."""
    author, external_id = account.author, f"{ACCOUNT_PREFIX}{account.author.external_id}"
    rows = Revision.objects.filter(post__platform=platform, post__external_id=external_id)
    latest = rows.select_related("post").order_by("-number").first()
    lines = (author.display_name, account.bio, *(f"{name}: {value}" for name, value in account.fields))
    post = IncomingPost(
        external_id=external_id,
        subject=Subject.ACCOUNT,
        text="\n".join(line for line in lines if line),
        posted_at=latest.post.posted_at if latest else at,
        author=author,
        revision=latest.number if latest else 1,
        links=tuple(account.links),
        media_urls=(account.picture,) if account.picture else (),
    )
    if latest is None or body_digest(post) == latest.body_digest:
        return post
    if post.text or post.links or post.media_urls:
        return dataclasses.replace(post, revision=latest.number + 1)
    links, media_urls = tuple(latest.links), tuple(latest.media_urls)
    return dataclasses.replace(post, text=latest.text, links=links, media_urls=media_urls)
