"""Posts on their way in."""

from __future__ import annotations

from datetime import datetime

from moderation.models import Platform
from moderation.operations.posts import ingest
from moderation.operations.posts.incoming_post import IncomingPost

SPAM = "Cheap pills without prescription, call 1-800-555-0199 or order at http://pills.example/{}"


def accept(platform: Platform, at: datetime, *posts: IncomingPost) -> list[ingest.Accepted | ingest.Refused]:
    return ingest.accept(platform=platform, posts=posts, at=at)


def accepted(platform: Platform, at: datetime, post: IncomingPost) -> ingest.Accepted:
    """Accept one post that nothing is wrong with."""
    [answer] = accept(platform, at, post)
    assert isinstance(answer, ingest.Accepted)
    return answer
