"""A database as large as asked: simulated posts, scored as the product scores, then copied in PostgreSQL.

A copy has authors, addresses, texts and domains of its own, as a larger network has; mail domains, autonomous
systems and the traits of accounts that scripts make are those of the original. Import with Django set up.
"""

import sys
import time
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from django.db import connection
from django.db.models import Max, Model

from lab import _posts, _rows
from moderation.models import (
    Author,
    AuthorBand,
    Domain,
    Platform,
    Post,
    PostLink,
    Revision,
    RevisionGroup,
    ScoringJob,
    SimilarityBand,
)
from moderation.models.posts import ScoreState
from moderation.operations.posts import ingest
from moderation.operations.posts.incoming_post import IncomingPost
from simulation.replay import incoming_post

EVERYWHERE = "everywhere.example"
_COPIES_AT_ONCE = 10
_ADDRESS = (
    "CASE WHEN family(t.ip) = 4 THEN"
    " '0.0.0.0'::inet + ((t.ip - '0.0.0.0'::inet + g::bigint * 16843009) % 4294967296) ELSE t.ip END"
)


def posts(*, count: int, seed: int) -> Iterator[IncomingPost]:
    """Yield simulated posts that nobody has sent before."""
    run = f"scale-{uuid.uuid4().hex[:8]}"
    payloads = _posts.payloads(
        run=run, seed=seed, count=count, seconds_per_post=3000 / count, begun=timedelta(hours=1)
    )
    yield from map(incoming_post, payloads)


def take_in(found: Iterator[IncomingPost]) -> int:
    """Store posts as a bulk request does; return how many."""
    platform = Platform.objects.get(slug="demo-social")
    number = 0
    while chunk := list(islice(found, 500)):
        answers = ingest.accept(platform=platform, posts=chunk, at=datetime.now(UTC))
        number += len([answer for answer in answers if isinstance(answer, ingest.Accepted)])
    return number


def unscored() -> int:
    """Return how many posts still wait for their score."""
    return ScoringJob.objects.filter(state__in=(ScoreState.PENDING, ScoreState.SCORING)).count()


def spread(*, share: float) -> None:
    """Let a share of the posts link to one domain."""
    domain, _ = Domain.objects.get_or_create(name=EVERYWHERE, defaults={"first_seen_at": datetime.now(UTC)})
    _run(
        "INSERT INTO moderation_postlink"
        " (revision_id, domain_id, position, url, url_digest, host, received_at)"
        " SELECT r.id, %s, 99, 'https://' || %s || '/' || r.id,"
        "  encode(sha256(r.id::text::bytea), 'hex'), %s, r.received_at"
        " FROM moderation_revision r WHERE r.id %% 100 < %s ON CONFLICT DO NOTHING",
        [domain.pk, EVERYWHERE, EVERYWHERE, round(100 * share)],
    )


def grow(*, to: int) -> None:
    """Copy what is there until there are so many posts."""
    have = Post.objects.count()
    copies = -(-(to - have) // have)
    start = time.perf_counter()
    steps: dict[type[Model], int] = {
        model: _step(model) for model in (Author, Domain, Post, Revision, PostLink)
    }
    domain_id = Domain.objects.filter(name=EVERYWHERE).values_list("pk", flat=True).first() or 0
    bands = SimilarityBand.objects.count()
    for first in range(1, copies + 1, _COPIES_AT_ONCE):
        last = min(copies, first + _COPIES_AT_ONCE - 1)
        _copy_all(steps, first=first, last=last, kept=domain_id)
        sys.stderr.write(f"\r{last} of {copies} copies, {time.perf_counter() - start:.0f} s\x1b[K")
    _run(
        "INSERT INTO moderation_similarityband (digest, similarity_group)"
        " SELECT t.digest # hashint8extended(g, 0), md5(t.similarity_group::text || g)::uuid"
        " FROM moderation_similarityband t, generate_series(1, %s) g ON CONFLICT DO NOTHING",
        [copies],
    )
    _run(
        "INSERT INTO moderation_scoringjob (revision_id, state, enqueued_at, attempts, generation)"
        " SELECT r.id, 'scored', r.received_at, 1, 1 FROM moderation_revision r ON CONFLICT DO NOTHING",
        [],
    )
    for model in steps:
        table = model._meta.db_table  # noqa: SLF001 - documented
        _run(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT max(id) FROM {table}))", [])
    _run("ANALYZE", [])
    sys.stderr.write(f"\r{have} posts copied {copies} times; {bands} bands before\x1b[K\n")


def _copy_all(steps: dict[type[Model], int], *, first: int, last: int, kept: int) -> None:
    author, domain = (f"+ g * {steps[model]}" for model in (Author, Domain))
    post, revision = (f"+ g * {steps[model]}" for model in (Post, Revision))
    earlier = "t.received_at - g * interval '1 hour'"
    name = "t.external_id || '~' || g"

    def copy(model: type[Model], *, where: str = "true", **instead: str) -> None:
        """Copy the rows that were there at first."""
        old, own = f"t.id <= {steps[model]} AND {where}", f"t.id + g * {steps[model]}"
        _rows.copy(model, first=first, last=last, where=old, id=own, **instead)

    copy(Author, external_id=name)
    _rows.copy(
        AuthorBand,
        first=first,
        last=last,
        where=f"t.author_id <= {steps[Author]}",
        author_id=f"t.author_id {author}",
        first_seen_at="t.first_seen_at - g * interval '1 hour'",
    )
    copy(Domain, name="left(g || '-' || t.name, 255)", where=f"t.id <> {kept}")
    copy(Post, external_id=name, author_id=f"t.author_id {author}", received_at=earlier)
    copy(
        Revision,
        post_id=f"t.post_id {post}",
        received_at=earlier,
        ip=_ADDRESS,
        ip_network=f"CASE WHEN family(t.ip) = 4 THEN network(set_masklen({_ADDRESS}, 24))::text"
        " ELSE t.ip_network END",
        text_digest="md5(t.text_digest || g)",
    )
    _rows.copy(
        RevisionGroup,
        first=first,
        last=last,
        where=f"t.revision_id <= {steps[Revision]}",
        revision_id=f"t.revision_id {revision}",
        post_id=f"t.post_id {post}",
        similarity_group="md5(t.similarity_group::text || g)::uuid",
        received_at=earlier,
    )
    copy(
        PostLink,
        revision_id=f"t.revision_id {revision}",
        domain_id=f"CASE WHEN t.domain_id = {kept} THEN t.domain_id ELSE t.domain_id {domain} END",
        url_digest="encode(sha256((t.url_digest || g)::bytea), 'hex')",
        received_at=earlier,
    )


def _step(model: type[Model]) -> int:
    return int(model._default_manager.aggregate(last=Max("pk"))["last"] or 0)  # noqa: SLF001 - documented


def _run(sql: str, values: list[Any] | None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
