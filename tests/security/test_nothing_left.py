"""Trial 31. Promise: of what is erased no word is left in any table, file, log or in the broker.

The fields are read from the OpenAPI document and the desk's forms: a new one fails the first test until it is
marked here, or said here (and in docs/api-guide.md) to stay.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import uuid
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import redis
from django.conf import settings as configured
from django.db import connection
from django.test import Client
from django.utils import timezone
from pytest_django import Settings
from rest_framework.test import APIClient

from deploy.local.places import ROOT
from moderation.models import Author, Case, Decision, Export, Platform, Post, Revision, User
from moderation.models.platforms import Scope
from moderation.models.webhooks import WebhookEvent
from moderation.operations.accounts import api_keys
from moderation.operations.erasure import erase, journal
from moderation.operations.labels import export_build, export_files
from moderation.operations.outbox import feed
from moderation.operations.scoring import score
from moderation.operations.webhooks import endpoints
from tests.moderation.fakes import FakeScorer
from tests.moderation.operations.campaigns.campaign_posts import CITIES, TEXT, campaign_of
from tests.security import writable

_POST = (
    "author/display_name",
    "author/email_domain",
    "author/external_id",
    "ip",
    "journey/*/name",
    "links/*",
    "media_urls/*",
    "text",
    "user_agent",
)
_POSTING = ("send_post", "send_posts", "judge_post")
WIPED = {f"{operation}/{field}" for operation in _POSTING for field in _POST} | {
    "file_appeal/external_id",
    "file_appeal/reason",
    "decide_campaign/note",
    "decide_case/note",
    "escalate_case/note",
    "note_case/note",
    "ask_second_person/note",
    "send_complaint/external_id",
    "send_complaint/note",
    "send_complaint/reporter/external_id",
    "reverse_decision/reason",
    "add_rule/value",
    "add_rule/reason",
    "DecideForm.note",
    "EscalateForm.note",
    "CorrectForm.reason",
    "CampaignDecideForm.note",
    "CampaignCorrectForm.reason",
    "RuleForm.reason",
    "KeepFilterForm.name",
    "KeepFilterForm.query",
    "Idempotency-Key",
}
"""Written about a post or an author: gone with them. (A rule's words where it is about an author.)"""

_ID_OF_POST = "the platform's id of a post: by it the post is refused when it is sent again"
_CODE = "a code of the policy, no words: it stands in the audit log, too"
_NOT_STORED = "a question, which nobody stores"
_OURS = "an id of ours"
_DESK = "about the installation and who works there, not about authors"
STAYS = {
    **{f"{operation}/external_id": _ID_OF_POST for operation in _POSTING},
    **{f"{operation}/language": "a language code" for operation in _POSTING},
    **{f"{operation}/platform": "must be the platform's own name" for operation in _POSTING},
    "send_complaint/post": _ID_OF_POST,
    "file_appeal/decision": _OURS,
    "request_export/after": _OURS,
    "decide_campaign/exclude/*": _OURS,
    "decide_campaign/sample_seen/*": _OURS,
    "decide_campaign/reason": _CODE,
    "decide_case/reason": _CODE,
    "CampaignDecideForm.reason": _CODE,
    "CorrectForm.code": _CODE,
    "DecideForm.reason": _CODE,
    "HeldForm.held": _OURS,
    "HeldForm.leaving": _OURS,
    "TargetForm.value": "a domain, an address or our id of an author",
    "SignInForm.password": _NOT_STORED,
    "AuthorFilterForm.q": _NOT_STORED,
    "DomainFilterForm.q": _NOT_STORED,
    "HistoryFilterForm.q": _NOT_STORED,
    "PostFilterForm.address": _NOT_STORED,
    "PostFilterForm.domain": _NOT_STORED,
    "PostFilterForm.language": _NOT_STORED,
    "PostFilterForm.q": _NOT_STORED,
    "QueueFilterForm.domain": _NOT_STORED,
    "QueueFilterForm.language": _NOT_STORED,
    "add_endpoint/url": _DESK,
    "change_endpoint/url": _DESK,
    "EndpointForm.url": _DESK,
    "KeyForm.name": _DESK,
    "PlatformForm.name": _DESK,
    "NewPlatformForm.name": _DESK,
    "PersonForm.first_name": _DESK,
    "PersonForm.last_name": _DESK,
    "NewPersonForm.first_name": _DESK,
    "NewPersonForm.last_name": _DESK,
    "NewPersonForm.username": _DESK,
    "ReasonForm.signals": _DESK,
    "ReasonForm.title": _DESK,
    "NewReasonForm.signals": _DESK,
    "NewReasonForm.title": _DESK,
}

pytestmark = pytest.mark.django_db(transaction=True)
RUN = uuid.uuid4().hex


def word(field: str) -> str:
    """Return the mark of a field: a word that stands nowhere else, and that every field takes."""
    return "zq" + hashlib.sha256(f"{RUN}{field}".encode()).hexdigest()[:12]


AUTHOR = word("author/external_id")
IP = "198.51.100.77"


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


def post_of(operation: str, number: int) -> dict[str, Any]:
    """Return a post whose every field is marked."""
    text = TEXT.format(city=CITIES[number], number=number)
    return {
        "external_id": f"{RUN}-{number}",
        "text": f"{text} {word(f'{operation}/text')}",
        "posted_at": "2026-02-01T10:00:00Z",
        "language": "en",
        "author": {
            "external_id": AUTHOR,
            "display_name": word("author/display_name"),
            "email_domain": f"{word(f'{operation}/author/email_domain')}.example",
        },
        "ip": IP,
        "user_agent": word(f"{operation}/user_agent"),
        "links": [f"https://known.example/{word(f'{operation}/links/*')}"],
        "media_urls": [f"https://known.example/{word(f'{operation}/media_urls/*')}"],
        "journey": [{"name": word(f"{operation}/journey/*/name"), "at_ms": 0}],
    }


class Drive:
    """Sends every marked field through the API and the desk."""

    def __init__(self, platform: Platform, lead: User) -> None:
        self.platform = platform
        _, secret = api_keys.issue(
            platform=platform, name="k", scopes=Scope.values, expires_at=None, acts_as=lead, at=timezone.now()
        )
        self.api = APIClient()
        self.api.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
        self.desk = Client()
        self.desk.force_login(lead)
        self.replays: list[tuple[str, dict[str, Any], str]] = []

    def send(self, path: str, body: dict[str, Any]) -> Any:
        """Post to the API under a key of its own, which is marked, too."""
        name = f"{word('Idempotency-Key')}-{len(self.replays)}"
        answer = self.api.post(f"/api/v1/{path}", body, format="json", HTTP_IDEMPOTENCY_KEY=name)
        assert answer.status_code < 300, (path, answer.status_code, answer.content)
        self.replays.append((path, body, name))
        return answer.json()

    def press(self, path: str, **fields: object) -> None:
        """Send a form of the desk."""
        answer = self.desk.post(path, fields)
        assert answer.status_code < 400, (path, answer.status_code, answer.content.decode()[-2000:])

    def all(self) -> None:
        """Go the whole way."""
        self.posts()
        cases = self.cases()
        self.around(cases)
        self.campaign()
        self.rules()

    def posts(self) -> None:
        self.send("posts", post_of("send_post", 0))
        self.send("verdicts", post_of("judge_post", 1))
        more = "\n".join(json.dumps(post_of("send_posts", number)) for number in range(2, 6))
        answer = self.api.post("/api/v1/posts:bulk", more, content_type="application/x-ndjson")
        assert answer.json()["accepted"] == 4, answer.content
        self.send(
            "complaints",
            {
                "post": f"{RUN}-0",
                "reporter": {"external_id": AUTHOR},
                "reason": "spam",
                "reported_at": "2026-02-01T10:00:00Z",
                "external_id": word("send_complaint/external_id"),
                "note": word("send_complaint/note"),
            },
        )
        pending = list(Revision.objects.exclude(score_state="scored").values_list("pk", flat=True))
        score.run(revision_ids=pending, at=timezone.now())

    def cases(self) -> list[Case]:
        """Decide three cases; the others wait for the campaign."""
        found = [Case.objects.get(post__external_id=f"{RUN}-{number}") for number in range(3)]
        for case in found:
            self.api.put(f"/api/v1/claims/{case.pk}")
        self.send(f"cases/{found[0].pk}/notes", {"note": word("note_case/note")})
        self.send(f"cases/{found[0].pk}/escalations", {"note": word("escalate_case/note")})
        self.press(f"/review/{found[1].pk}/escalate/", note=word("EscalateForm.note"))
        for case in found[:2]:
            self.api.put(f"/api/v1/claims/{case.pk}")
        self.send(
            f"cases/{found[0].pk}/decisions",
            {"verdict": "spam", "version": 1, "note": word("decide_case/note")},
        )
        for case in found[1:]:
            self.press(
                f"/review/{case.pk}/decide/", verdict="spam", case_version=1, note=word("DecideForm.note")
            )
        return found

    def around(self, cases: list[Case]) -> None:
        first, second, third = (Decision.objects.get(case=case) for case in cases)
        self.send(f"cases/{cases[0].pk}/second-reviews", {"note": word("ask_second_person/note")})
        self.send(
            "appeals",
            {
                "decision": str(second.pk),
                "external_id": word("file_appeal/external_id"),
                "reason": word("file_appeal/reason"),
            },
        )
        self.send(f"decisions/{first.pk}/reversal", {"reason": word("reverse_decision/reason")})
        self.press(f"/decisions/{third.pk}/correct/", verdict="not_spam", reason=word("CorrectForm.reason"))
        self.press(f"/decisions/{second.pk}/correct/", verdict="not_spam", reason=word("CorrectForm.reason"))

    def campaign(self) -> None:
        found = campaign_of(Post.objects.get(external_id=f"{RUN}-3"))
        assert found is not None
        shown = self.api.get(f"/api/v1/campaigns/{found.pk}/members").json()["data"]
        one = next(row["post"]["id"] for row in shown if row["place"] == "waiting")
        # A lead's decision settles those that were handed to a lead, too.
        waiting = sum(row["place"] in ("waiting", "escalated") for row in shown)
        self.send(
            f"campaigns/{found.pk}/decisions",
            {
                "verdict": "spam",
                "expected_count": waiting - 1,
                "exclude": [one],
                "note": word("decide_campaign/note"),
            },
        )
        made = found.decisions.get()
        self.press(f"/campaign-decisions/{made.pk}/correct/", reason=word("CampaignCorrectForm.reason"))
        self.press(f"/campaigns/{found.pk}/leave-out/", post=one, is_left_out="")
        self.press(
            f"/campaigns/{found.pk}/decide/",
            verdict="spam",
            expected_waiting=1,
            expected_spam=0,
            expected_not_spam=0,
            note=word("CampaignDecideForm.note"),
        )

    def rules(self) -> None:
        author = Author.objects.get(external_id=AUTHOR)
        ends = (timezone.now() + timedelta(days=1)).isoformat()
        about = {"effect": "ban", "kind": "author", "value": AUTHOR, "reason": word("add_rule/reason")}
        drafted = self.send("rules", about | {"expires_at": ends})
        self.send(f"rules/{drafted['id']}/activation", {})
        self.api.delete(f"/api/v1/rules/{drafted['id']}")
        self.press(
            "/rules/new/", kind="author", value=author.pk, effect="ban", reason=word("RuleForm.reason")
        )
        name, query = word("KeepFilterForm.name"), f"q={AUTHOR}+{word('KeepFilterForm.query')}"
        self.press("/filters/keep/", page="authors", name=name, query=query)


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
        {f"{field}: {place}" for place, text in places for field, one in words.items() if one in text}
    )


@pytest.fixture
def marks() -> dict[str, str]:
    """Return the word of every field that is to be wiped."""
    own = {"author/external_id": AUTHOR, "author/display_name": word("author/display_name"), "ip": IP}
    named = {
        field: word(field)
        for field in WIPED
        if not field.endswith((*own, "reporter/external_id", "add_rule/value"))
    }
    return own | named


@pytest.fixture
def driven(
    platform: Platform, lead: User, fake_scorer: FakeScorer, settings: Settings, tmp_path: Path
) -> Drive:
    settings.UNDO_SECONDS = 0
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
        driven.api.post(f"/api/v1/{path}", body, format="json", HTTP_IDEMPOTENCY_KEY=name)
    assert left(marks, tmp_path, caplog.text) == []


def test_no_word_is_left_of_posts(
    driven: Drive, marks: dict[str, str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for pk in Post.objects.values_list("pk", flat=True):
        erase.post(post_id=pk, at=timezone.now())

    about_author = ("author/", "send_complaint/reporter", "add_rule/", "RuleForm.", "KeepFilterForm.")
    of_posts = {field: one for field, one in marks.items() if not field.startswith(about_author)}
    assert left(of_posts, tmp_path, caplog.text) == []
