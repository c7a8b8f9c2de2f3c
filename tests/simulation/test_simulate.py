"""manage.py simulate against the real API."""

import json
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from moderation.models import Complaint, Post, PostLink, Revision
from moderation.models.platforms import Platform, Scope
from moderation.operations.accounts import api_keys
from simulation.web.register import FILE, Register
from simulation.web.simulated_web import SimulatedWeb

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def state(settings: Settings, tmp_path: Path) -> Path:
    settings.STATE_DIR = tmp_path
    return tmp_path


@pytest.fixture
def key() -> str:
    platform = Platform.objects.create(
        slug="demo-social", name="Simulated", created_at=timezone.now(), removal="always"
    )
    scopes = [Scope.POSTS_WRITE, Scope.COMPLAINTS_WRITE]
    return api_keys.issue(platform=platform, name="test", scopes=scopes, expires_at=None, at=timezone.now())[
        1
    ]


def run(command: str = "simulate", **options: Any) -> str:
    said = StringIO()
    call_command(command, stdout=said, stderr=said, **options)
    return said.getvalue()


def truths(state: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (state / "simulation" / "truth.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("bulk", [1, 20])
def test_every_post_and_complaint_arrives(live_server: LiveServer, key: str, state: Path, bulk: int) -> None:
    said = run(url=live_server.url, key=key, posts=60, seed=3, run="sim-a", bulk=bulk, eagerness=20.0)

    assert "60 posts" in said
    assert "simulated" in said
    assert set(Post.objects.values_list("external_id", flat=True)) == {
        row["external_id"] for row in truths(state)
    }
    assert Complaint.objects.filter(post__isnull=False).exists()
    assert not Complaint.objects.filter(post__isnull=True).exists()


def test_what_posts_lead_to_is_written_down_before_they_are_sent(
    live_server: LiveServer, key: str, state: Path
) -> None:
    run(url=live_server.url, key=key, posts=60, seed=3, run="sim-w", bulk=20)

    web = SimulatedWeb(find=Register(state / "simulation" / FILE).find)
    links = [link.url for link in PostLink.objects.all() if "@" not in link.url]
    answers = [web.answer(url, agent="browser", at=timezone.now()) for url in links]
    known = [answer for answer in answers if answer is None or answer.status != 404]
    assert len(known) > 0.7 * len(links) > 5
    assert Revision.objects.exclude(media_urls=[]).exists()


def test_a_platform_of_texts_sends_text_and_author_only(
    live_server: LiveServer, key: str, tmp_path: Path
) -> None:
    texts = tmp_path / "texts.jsonl"
    texts.write_text('{"text": "Real spam", "label": 1}\n{"text": "Real talk", "label": 0, "group": "g"}\n')

    run(url=live_server.url, key=key, texts=texts, platform_kind="texts", bulk=10)

    assert set(Revision.objects.values_list("text", flat=True)) == {"Real spam", "Real talk"}
    assert all(row.author_snapshot["created_at"] is None for row in Revision.objects.all())
    assert {(row["kind"], row["is_spam"]) for row in truths(tmp_path)} == {
        ("file_spam", True),
        ("file_talk", False),
    }


def test_posts_lie_in_the_past_that_was_asked_for(live_server: LiveServer, key: str) -> None:
    before = timezone.now()
    run(url=live_server.url, key=key, posts=30, seed=3, start_days_ago=1.0, bulk=30)

    for post in Post.objects.all():
        assert before - timedelta(days=1) <= post.posted_at <= timezone.now()


def test_says_where_a_key_comes_from(live_server: LiveServer) -> None:
    with pytest.raises(CommandError, match="create_api_key"):
        run(url=live_server.url, posts=1)


def test_fails_when_the_key_is_wrong(live_server: LiveServer) -> None:
    with pytest.raises(CommandError, match="refused the key"):
        run(url=live_server.url, key="sk_wrong", posts=1, seed=1, rate=1000)


def test_refuses_a_file_that_is_no_texts(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text('{"text": "no label"}\n')

    with pytest.raises(CommandError, match="texts"):
        run(url="http://127.0.0.1:1", key="k", texts=wrong)
