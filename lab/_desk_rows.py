"""Rows for the desk's measurement: copies of scored simulated posts under names of their own."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from django.db import connection
from django.test import Client
from django.utils import timezone

from moderation.models import Author, Case, Post, Revision, Score, User
from moderation.models.cases import CaseState
from moderation.models.posts import ScoreState

_BATCH = 2_000
_TEMPLATES = 300
_AUTHORS = 10_000


def sizes() -> tuple[int, int]:
    """Return how many posts and open cases there are."""
    return Post.objects.count(), Case.objects.filter(state=CaseState.OPEN).count()


def session(name: str) -> str:
    """Return the session of a demo account."""
    client = Client()
    client.force_login(User.objects.get(username=name))
    return client.cookies["sessionid"].value


def fill(*, posts: int, cases: int) -> None:
    """Make copies until there are so many posts; the first `cases` of them wait for a human."""
    at = timezone.now()
    templates = _templates()
    platform = templates[0].revision.post.platform
    mark = uuid.uuid4().hex[:6]
    authors = Author.objects.bulk_create(
        [
            Author(platform=platform, external_id=f"{mark}-{n}", display_name=f"Author {n}", first_seen_at=at)
            for n in range(_AUTHORS)
        ],
        batch_size=_BATCH,
    )
    numbers = iter(range(posts))
    while batch := list(islice(numbers, _BATCH)):
        _copy(batch, templates=templates, authors=authors, mark=mark, cases=cases, at=at)
        sys.stderr.write(f"\r{batch[-1] + 1} of {posts} posts\x1b[K")
    sys.stderr.write("\r\x1b[K")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def _templates() -> list[Score]:
    """Return scored posts, those that waited for a human first."""
    scores = Score.objects.select_related("revision__post__platform").order_by("pk")
    templates = list(scores.filter(route="review")[:_TEMPLATES]) or list(scores[:_TEMPLATES])
    if not templates:
        sys.exit("No post is scored yet: send some first (make demo-data).")
    return templates


def _copy(
    numbers: list[int], *, templates: list[Score], authors: list[Author], mark: str, cases: int, at: datetime
) -> None:
    originals = [templates[number % len(templates)] for number in numbers]
    moments = [at - timedelta(seconds=30 * number) for number in numbers]
    posts = Post.objects.bulk_create(
        [
            Post(
                platform_id=original.revision.post.platform_id,
                external_id=f"{mark}-{number}",
                author=authors[number * 7 % len(authors)],
                posted_at=moment,
                received_at=moment,
                latest_revision=1,
            )
            for number, original, moment in zip(numbers, originals, moments, strict=True)
        ]
    )
    revisions = Revision.objects.bulk_create(
        [
            _revision(post, original, number)
            for post, original, number in zip(posts, originals, numbers, strict=True)
        ]
    )
    scores = Score.objects.bulk_create(
        [_score(revision, original) for revision, original in zip(revisions, originals, strict=True)]
    )
    Case.objects.bulk_create(_cases(posts, scores, numbers, cases=cases))


def _fields(row: Any, **changed: object) -> dict[str, Any]:
    values = {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}  # noqa: SLF001
    values.pop("id")
    return values | changed


def _revision(post: Post, original: Score, number: int) -> Revision:
    changed = {
        "post_id": post.pk,
        "number": 1,
        "text": f"{original.revision.text} {number}",
        "received_at": post.received_at,
        "enqueued_at": post.received_at,
        "similarity_group": uuid.uuid5(uuid.NAMESPACE_OID, f"{number // 5}"),
        "body_digest": uuid.uuid4().hex,
        "text_digest": uuid.uuid4().hex,
        "score_state": ScoreState.SCORED,
    }
    return Revision(**_fields(original.revision, **changed))


def _score(revision: Revision, original: Score) -> Score:
    return Score(**_fields(original, revision_id=revision.pk, scored_at=revision.received_at))


def _cases(posts: list[Post], scores: list[Score], numbers: list[int], *, cases: int) -> Iterator[Case]:
    for post, score, number in zip(posts, scores, numbers, strict=True):
        if number < cases:
            yield Case(
                post=post,
                platform_id=post.platform_id,
                score=score,
                reason="uncertain",
                # Mixed, or the first page would show thirty copies of one post.
                priority=(number * 2_654_435_761 % 1_000_003) / 250_000,
                uncertainty=1 - abs(2 * score.spam_probability - 1),
                language=score.revision.language,
                opened_at=score.scored_at,
            )
