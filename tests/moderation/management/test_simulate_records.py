"""The training set comes from the code that serves, repeats itself and leaves no trace."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from moderation.models import Author, Label, Platform, Post, User
from scoring.records import PostRecord

pytestmark = pytest.mark.django_db


def rows(out: Path, *, posts: int, seed: int = 7) -> list[dict[str, Any]]:
    """Run the command and return the lines it wrote."""
    call_command("simulate_records", posts=posts, seed=seed, out=out, stdout=StringIO())
    return [json.loads(line) for line in out.read_text().splitlines()]


def test_writes_one_readable_record_per_post(tmp_path: Path) -> None:
    lines = rows(tmp_path / "records.jsonl", posts=40)

    records = [PostRecord.from_json(line["record"]) for line in lines]
    assert len({record.external_id for record in records}) == 40
    assert {line["is_spam"] for line in lines} == {True, False}
    assert all(line["kind"] and line["group"] for line in lines)


def test_repeats_itself_for_a_seed_only(tmp_path: Path) -> None:
    once = rows(tmp_path / "once.jsonl", posts=30)
    again = rows(tmp_path / "again.jsonl", posts=30)
    other = rows(tmp_path / "other.jsonl", posts=30, seed=8)

    assert once == again
    assert once != other


def test_history_shows_in_the_records(tmp_path: Path) -> None:
    lines = rows(tmp_path / "records.jsonl", posts=250)

    records = [PostRecord.from_json(line["record"]) for line in lines]
    assert any(record.author_history.posts for record in records)
    assert any(record.author_history.confirmed_spam for record in records)
    assert any(record.similar.posts for record in records)
    assert any(record.complaints for record in records)
    assert any(record.ip_network_history.posts for record in records)


def test_leaves_the_database_as_it_was(tmp_path: Path) -> None:
    rows(tmp_path / "records.jsonl", posts=30)

    for model in (Author, Label, Platform, Post, User):
        assert not model.objects.exists()
