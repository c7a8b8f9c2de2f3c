"""Store complaints about an account without a post: its profile is a row of `Post`, as of `Subject`."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from moderation.models import Complaint, Erasure, Platform
from moderation.models.erasures import ErasureKind, name_digest
from moderation.models.posts import ACCOUNT_PREFIX, Subject
from moderation.operations.posts import complaints, ingest
from moderation.operations.posts.complaints import IncomingComplaint
from moderation.operations.posts.incoming_post import IncomingAuthor, IncomingPost
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
        if is_erased(account.author.external_id, platform=platform, since=complaint.reported_at):
            raise Erased("The account was erased after this complaint was made.")
        profile = _profile(account, at=at)
        # Two at once may take the same number: the second holds the row by then, and goes round once more.
        for _ in range(2):
            post = ingest.numbered(profile, platform=platform)
            [answer] = ingest.accept(platform=platform, posts=[post], at=at)
            if isinstance(answer, ingest.Accepted):
                break
        complaint = dataclasses.replace(complaint, post=profile.external_id)
        return complaints.record(platform=platform, complaint=complaint, at=at)


def is_erased(external_id: str, *, platform: Platform, since: datetime) -> bool:
    """Tell whether an account, or its author, was erased since: earlier complaints bring nothing back."""
    names = (external_id, f"{ACCOUNT_PREFIX}{external_id}")
    digests = [name_digest(platform=platform, external_id=name) for name in names]
    rows = Erasure.objects.filter(platform=platform, kind__in=ErasureKind.values, name_digest__in=digests)
    return rows.filter(erased_at__gte=since).exists()


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
        links=tuple(account.links),
        media_urls=(account.picture,) if account.picture else (),
    )
