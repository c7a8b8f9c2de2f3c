"""A database as full as a busy week leaves it, and how long the lists take in it. Import after `connect`."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import numpy as np
from django.conf import settings
from django.db import connection, transaction
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext

from lab import _rows
from moderation.models import (
    Author,
    Case,
    Domain,
    Post,
    PostLink,
    Revision,
    RevisionGroup,
    Score,
    ScoringJob,
    User,
)
from moderation.models.platforms import Removal
from moderation.operations.accounts import platforms
from moderation.operations.posts import ingest
from moderation.operations.posts.incoming_post import IncomingAuthor, IncomingPost
from moderation.operations.scoring import score

_FIRST = 1_000_000_000
_DOMAINS, _AUTHORS = 400, 5_000
_LANGUAGE = "(array['en','fr','de','ar'])[1 + g % 4]"
_PROBABILITY = "(g % 997) / 997.0"
_THEN = "now() - g * interval '13 seconds'"
_PAGES = (
    "/queue/",
    "/queue/?sort=uncertainty",
    "/queue/?sort=newest",
    "/queue/?sort=reported",
    "/queue/?language=fr",
    "/queue/?domain=shop7.example",
    "/queue/?reason=audit",
    "/queue/?age=4",
    f"/review/{_FIRST + 7}/",
    "/today/",
    "/quality/",
    "/posts/",
    "/posts/?q=river",
    "/posts/?q=number77777",
    "/posts/?domain=shop7.example",
    "/posts/?address=198.51.100.0/24",
    "/authors/",
    "/authors/?q=ann77*",
    "/domains/?which=all",
    "/decisions/?whose=everyone&q=river",
    f"/posts/{_FIRST + 7}/",
    f"/authors/{_FIRST + 7}/",
    "/domains/shop7.example/",
    "/addresses/198.51.100.7/",
)


@contextmanager
def rehearsal() -> Iterator[None]:
    """Roll back everything at the end."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def measured(*, times: int) -> Iterator[str]:
    """Ask for every page so many times, as a lead; yield a line for each."""
    settings.ALLOWED_HOSTS = ["testserver"]
    lead = User.objects.filter(role="lead").first() or User.objects.create_user("bench", role="lead")
    desk = Client()
    desk.force_login(lead)
    yield f"{'page':<40}{'queries':>8}{'p50 ms':>9}{'p95 ms':>9}{'kB':>7}"
    for page in _PAGES:
        desk.get(page)  # fills caches
        with CaptureQueriesContext(connection) as queries:
            answer = desk.get(page)
        count = len(queries)  # now: the log is emptied when the next request begins
        assert answer.status_code == 200, (page, answer.status_code)
        p50, p95 = np.percentile([_seconds(desk, page) * 1000 for _ in range(times)], [50, 95])
        size = len(answer.content) / 1000
        yield f"{page:<40}{count:>8}{p50:>9.1f}{p95:>9.1f}{size:>7.0f}"


def fill(*, posts: int, cases: int) -> None:
    """Multiply one scored case, with other texts, languages, authors, addresses, domains, odds and times."""
    case = _example()
    revision, link = case.score.revision, case.score.revision.post_links.get()
    own, domain = f"{_FIRST} + g", f"1 + g % {_DOMAINS}"
    _multiply(
        Author, revision.post.author_id, _AUTHORS,
        id=own, external_id="'author-' || g", display_name="'Ann' || g",
    )  # fmt: skip
    _multiply(Domain, link.domain_id, _DOMAINS, id=own, name="'shop' || g || '.example'")
    _multiply(
        Post, revision.post_id, posts, id=own, external_id="'bench-' || g", received_at=_THEN,
        author_id=f"{_FIRST} + 1 + g % {_AUTHORS}",
    )  # fmt: skip
    _multiply(
        Revision, revision.pk, posts, id=own, post_id=own, received_at=_THEN, language=_LANGUAGE,
        text="'number' || g || ' grey cat near the ' || (array['river','wood','lake','town'])[1 + g % 4]",
        ip="('198.51.' || g % 256 || '.' || g % 250)::inet",
        text_digest="md5(g::text)", body_digest="md5(g::text)",
    )  # fmt: skip
    _multiply(
        RevisionGroup, revision.pk, posts, revision_id=own, post_id=own, received_at=_THEN,
        similarity_group="md5('bench' || g / 5)::uuid",
    )  # fmt: skip
    _multiply(ScoringJob, revision.pk, posts, revision_id=own)
    _multiply(
        PostLink, link.pk, posts, id=own, revision_id=own, received_at=_THEN,
        domain_id=f"{_FIRST} + {domain}", host=f"'www.shop' || ({domain}) || '.example'",
    )  # fmt: skip
    _multiply(Score, case.score_id, posts, id=own, revision_id=own, spam_probability=_PROBABILITY)
    _multiply(
        Case, case.pk, cases, id=own, post_id=own, score_id=own, opened_at=_THEN, language=_LANGUAGE,
        priority="(g % 997) / 99.0", uncertainty=f"1 - abs(2 * {_PROBABILITY} - 1)",
        complaint_count="g % 7", reason="(array['uncertain','audit'])[1 + (g % 20 = 0)::int]",
    )  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute("analyze")


def _example() -> Case:
    """Score one post as the product does, and return its open case."""
    at = datetime.now(UTC)
    platform = platforms.register(slug="bench", name="Bench", removal=Removal.ALWAYS, at=at)
    incoming = IncomingPost(
        external_id="example",
        text="grey cat near the river https://www.shop.example/",
        posted_at=at,
        author=IncomingAuthor(external_id="example"),
        ip="198.51.100.1",
    )
    [answer] = ingest.store(platform=platform, posts=[incoming], at=at)
    assert isinstance(answer, ingest.Accepted)
    score.run(revision_ids=[answer.revision_id], at=at)
    base = Revision.objects.get(pk=answer.revision_id).scores.get()
    case = Case.objects.filter(score=base).first()
    return case or Case.objects.create(
        post=base.revision.post,
        platform=platform,
        score=base,
        reason="uncertain",
        priority=1,
        opened_at=at,
    )


def _multiply(model: type[Model], example: Any, times: int, **instead: str) -> None:
    """Copy one row many times."""
    key = model._meta.pk.column  # noqa: SLF001 - documented under this name
    _rows.copy(model, first=1, last=times, where=f't."{key}" = {example}', **instead)


def _seconds(desk: Client, page: str) -> float:
    start = time.perf_counter()
    desk.get(page)
    return time.perf_counter() - start
