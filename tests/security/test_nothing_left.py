"""Trial 31. Promise: of what is erased no word is left in any table, file, log or in the broker.

The fields are read from the OpenAPI document and the desk's forms: a new one fails the first test until
`erased_fields` says that it goes, or says (as docs/api-guide.md does) that it stays.
"""

import base64
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import redis
from django.conf import settings as configured
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from deploy.local.places import ROOT
from moderation.models import DeskSettings, Export, Platform, Post, User
from moderation.models.platforms import Collecting
from moderation.models.webhooks import WebhookEvent
from moderation.operations.erasure import erase, journal
from moderation.operations.labels import export_build, export_files
from moderation.operations.outbox import feed
from moderation.operations.webhooks import endpoints
from tests.moderation.fakes import FakeScorer
from tests.security import writable
from tests.security.drive import AUTHOR, IP, Drive, word
from tests.security.erased_fields import STAYS, WIPED

_NAMED_AFTER_THE_AUTHOR = (
    "reporter/external_id",
    "add_rule/value",
    "account/external_id",
    "account/display_name",
)

pytestmark = pytest.mark.django_db(transaction=True)


class TestFields:
    def test_are_all_marked_or_said_to_stay(self) -> None:
        found = writable.api_fields() | writable.desk_fields()

        assert found - WIPED - set(STAYS) == set(), "say in docs/api-guide.md what becomes of it"
        assert (WIPED | set(STAYS)) - found == {"Idempotency-Key"}

    def test_that_stay_are_said_in_the_guide(self) -> None:
        guide = (ROOT / "docs" / "api-guide.md").read_text()
        section = guide.split("## Erase a post or an author")[1].split("\n## ")[0]

        for kept in ("id of a post", "code", "Domains of links", "keyed digest", "verdicts"):
            assert kept in section, kept


def everything(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield every place and what stands there: tables, files, the broker."""
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT "{table}"::text FROM "{table}"')
            yield table, "\n".join(row[0] for row in cursor.fetchall())
    state = Path(os.environ["SPAMDESK_STATE_DIR"])
    for path in (*_files(folder), *_files(state)):
        # The cluster's own files hold dead rows until they are vacuumed: docs/api-guide.md says so.
        if "postgres" not in path.relative_to(path.anchor).parts:
            with suppress(FileNotFoundError):
                yield str(path), _unpacked(path.read_bytes())
    with redis.Redis.from_url(configured.CELERY_BROKER_URL) as broker:
        for name in broker.scan_iter(count=1000):
            kind = broker.type(name)
            held = broker.lrange(name, 0, -1) if kind == b"list" else [broker.dump(name) or b""]
            yield "broker", _unpacked(b"\n".join((name, *held)))


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder; other tests' folders may vanish meanwhile."""
    for parent, _, names in os.walk(folder):
        yield from (path for path in (Path(parent) / name for name in names) if path.is_file())


def _unpacked(raw: bytes) -> str:
    """Return bytes as text, with what Celery's messages pack in base64 beside them."""
    packed = re.findall(rb'"body": ?"([A-Za-z0-9+/=]+)"', raw)
    return "\n".join(part.decode("utf-8", "replace") for part in (raw, *map(base64.b64decode, packed)))


def left(words: dict[str, str], folder: Path, logs: str) -> list[str]:
    """Return `field: place` of each word that still stands somewhere."""
    places = [*everything(folder), ("logs", logs)]
    return sorted(
        {
            f"{field}: {place}"
            for place, text in places
            for field, one in words.items()
            if one in text or one.encode().hex() in text  # as PostgreSQL writes bytes
        }
    )


@pytest.fixture
def marks() -> dict[str, str]:
    """Return the word of every field that is to be wiped."""
    own = {"author/external_id": AUTHOR, "author/display_name": word("author/display_name"), "ip": IP}
    named = {field: word(field) for field in WIPED if not field.endswith((*own, *_NAMED_AFTER_THE_AUTHOR))}
    return own | named


@pytest.fixture
def driven(
    platform: Platform,
    lead: User,
    fake_scorer: FakeScorer,
    settings: Settings,
    tmp_path: Path,
    remembered: DeskSettings,
) -> Drive:
    remembered.undo_seconds = 0
    # Else pictures that come with posts are not kept at all.
    platform.collects_evidence = Collecting.ON
    platform.save()
    settings.EXPORT_DIR = tmp_path / "exports"
    settings.ERASURE_JOURNAL = tmp_path / "journal.jsonl"
    with redis.Redis.from_url(configured.CELERY_BROKER_URL) as broker:
        broker.flushdb()
    every = WebhookEvent.values
    endpoints.add(platform=platform, url="https://hooks.example/", events=every, at=timezone.now())
    drive = Drive(platform, lead)
    drive.all()
    asked = drive.send("exports", {"format": "jsonl"})
    # What was decided just now has no number yet, and is in no export.
    export_build.build(export_id=int(asked["id"]), at=timezone.now() + 2 * feed.SETTLE)
    return drive


@pytest.mark.whole
def test_no_word_is_left_of_an_author(
    driven: Drive, marks: dict[str, str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    there = left(marks, tmp_path, "")
    [exported] = Export.objects.all()
    assert AUTHOR in export_files.path_of(exported).read_text()
    # Keys are digests from the beginning; every other word stood somewhere.
    missing = {field for field in marks if not any(line.startswith(f"{field}: ") for line in there)}
    assert missing == {"Idempotency-Key"}

    driven.api.delete(f"/api/v1/authors/{AUTHOR}")
    driven.api.delete(f"/api/v1/authors/{AUTHOR}")
    journal.write(at=timezone.now())

    assert left(marks, tmp_path, caplog.text) == []
    for path, body, name in driven.replays:
        driven.api.post(f"/api/v1/{path}", body, HTTP_IDEMPOTENCY_KEY=name)
    assert left(marks, tmp_path, caplog.text) == []


def test_no_word_is_left_of_posts(
    driven: Drive, marks: dict[str, str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for pk in Post.objects.values_list("pk", flat=True):
        erase.post(post_id=pk, at=timezone.now())

    about_author = ("author/", "send_complaint/reporter", "add_rule/", "RuleForm.", "KeepFilterForm.")
    of_posts = {field: one for field, one in marks.items() if not field.startswith(about_author)}
    assert left(of_posts, tmp_path, caplog.text) == []
