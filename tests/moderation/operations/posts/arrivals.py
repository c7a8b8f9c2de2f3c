"""Posts on their way in."""

from datetime import datetime, timedelta

from moderation.models import Complaint, Platform
from moderation.operations.posts import account_complaints, ingest
from moderation.operations.posts.account_complaints import IncomingAccount
from moderation.operations.posts.complaints import IncomingComplaint
from moderation.operations.posts.incoming_post import IncomingAuthor, IncomingPost
from tests.moderation.instants import AT

SPAM = "Cheap pills without prescription, call 1-800-555-0199 or order at http://pills.example/{}"
PROFILE = IncomingAccount(
    author=IncomingAuthor(external_id="42", display_name="Pill Palace", created_at=AT - timedelta(days=1)),
    bio="Cheap pills without prescription",
    fields=(("Shop", "https://pills.example/"), ("Phone", "1-800-555-0199")),
    links=("https://pills.example/",),
    picture="https://cdn.example/42.jpg",
)
"""An account with every part of a profile."""


def accept(platform: Platform, at: datetime, *posts: IncomingPost) -> list[ingest.Accepted | ingest.Refused]:
    return ingest.accept(platform=platform, posts=posts, at=at)


def accepted(platform: Platform, at: datetime, post: IncomingPost) -> ingest.Accepted:
    """Accept one post that nothing is wrong with."""
    [answer] = accept(platform, at, post)
    assert isinstance(answer, ingest.Accepted)
    return answer


def complain(
    platform: Platform, account: IncomingAccount = PROFILE, *, reporter: str = "reporter", at: datetime = AT
) -> Complaint:
    """Complain of an account; its profile is stored."""
    complaint = IncomingComplaint(reporter=reporter, reason="spam", reported_at=at)
    return account_complaints.record(platform=platform, account=account, complaint=complaint, at=at)
