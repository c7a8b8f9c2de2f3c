"""The demonstration's month: of the shipped release, ended just now, with something on every page."""

import re
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db.models import Max, Model
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from moderation import scorer
from moderation.models import (
    Appeal,
    BlindReview,
    CampaignDecision,
    CaseNote,
    Complaint,
    Decision,
    Evidence,
    GoldenItem,
    Label,
    LabelDraw,
    Policy,
    Post,
    Rule,
    Score,
    ShadowScore,
    TrainingRun,
    User,
)
from moderation.operations.accounts import demo
from moderation.operations.infrastructure import kept_files
from moderation.operations.labels import export_write
from moderation.operations.posts import ingest
from moderation.operations.posts.incoming_post import of_fields
from moderation.queries.labels.labels import LabelFilter
from simulation import month_file

PAGES = {
    "moderator": ("queue", "campaigns", "decisions", "pace"),
    "lead": (
        *("today", "appeals", "second-reviews", "golden-items", "audit", "named-queues", "authors"),
        *("policies", "rules", "quality", "drift", "thresholds", "labels"),
    ),
    "ml": ("models", "model-errors", "exports"),
}
EMPTY = re.compile(r"\b([Nn]one|No (?!data|removal)[a-z ]+) yet\b")


@pytest.fixture
def lived(db: None, settings: Settings, tmp_path: Path) -> datetime:
    settings.STATE_DIR, settings.RELEASES_DIR = tmp_path, tmp_path / "releases"
    settings.SIMULATED_WEB_PORT = 1
    at = timezone.now()
    call_command("load_month")
    call_command("seed_demo")
    return at


def test_is_of_the_shipped_release_and_ends_now(lived: datetime) -> None:
    newest = Score.objects.order_by("-pk")[0]

    assert newest.release_id == scorer.shipped().id, "live the month again: docs/simulation.md"
    for model, field in ((Post, "received_at"), (Decision, "decided_at"), (Complaint, "received_at")):
        last = model.objects.aggregate(last=Max(field))["last"]
        assert lived - timedelta(hours=8) < last <= lived


def test_has_something_of_all_and_no_empty_page(lived: datetime, client: Client) -> None:
    wanted: dict[type[Model], int] = {
        Post: 1000, Label: 250, LabelDraw: 5, Complaint: 20, Appeal: 3, Rule: 2, Policy: 1,
        CampaignDecision: 1, CaseNote: 2, GoldenItem: 5, BlindReview: 10, TrainingRun: 1, ShadowScore: 100,
    }  # fmt: skip
    there = {model: model._default_manager.count() for model in wanted}

    assert {model: count for model, count in there.items() if count < wanted[model]} == {}
    assert Decision.objects.exclude(decided_by=None).values("decided_by").distinct().count() >= 5
    shown = Evidence.objects.exclude(thumbnail="").values_list("thumbnail", flat=True)
    assert all(map(kept_files.read, shown))
    empty = {}
    for name, pages in PAGES.items():
        client.force_login(User.objects.get(username=name))
        for page in pages:
            answer = client.get(reverse(page))
            assert answer.status_code == 200, page
            if words := EMPTY.search(answer.content.decode()):
                empty[page] = words[0]
    assert not empty


def test_exports_its_labels_and_goes_on_from_there(lived: datetime, tmp_path: Path) -> None:
    manifest = export_write.write(out=tmp_path / "labels.jsonl", wanted=LabelFilter(), at=lived)
    assert manifest["counts"]["labels"] == Label.objects.filter(retracted_at=None).count()

    platform = demo.demo(at=lived)
    fields = {
        "external_id": "next",
        "text": "Good morning",
        "posted_at": lived,
        "author": {"external_id": "a"},
    }
    [answer] = ingest.store(platform=platform, posts=[of_fields(fields)], at=lived)

    assert isinstance(answer, ingest.Accepted)
    assert Post.objects.get(external_id="next").pk == Post.objects.aggregate(last=Max("pk"))["last"]


def test_is_refused_by_another_state_of_the_code(
    db: None, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.STATE_DIR = tmp_path
    accounts = User.objects.count()
    monkeypatch.setattr(month_file, "_migration", lambda: "0999_later")

    with pytest.raises(month_file.Unusable, match="0999_later"):
        month_file.load(month_file.PLACE, at=timezone.now())

    assert not Post.objects.exists()
    assert User.objects.count() == accounts
