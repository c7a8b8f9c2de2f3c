"""What the measurement of hidden spam leaves out, and how it is parted."""

from __future__ import annotations

import argparse
import dataclasses
import json
from datetime import UTC, datetime
from pathlib import Path

from bench import hidden_spam
from scoring import features
from scoring.features import Models
from scoring.records import History
from tests.scoring.random_records import labelled
from tests.scoring.starter import STARTER


def test_a_forgotten_verdict_says_what_no_verdict_says() -> None:
    record = dataclasses.replace(
        labelled(1)[0].record,
        similar=History(posts=4, authors=3, confirmed_spam=2, recent_spam=2.0, spam_days=1, spam_authors=2),
    )
    undecided = dataclasses.replace(record, similar=History(posts=4, authors=3))
    models = Models.load(STARTER, files=[])

    rows = [
        features.extract(one, models=models).tolist() for one in (hidden_spam.forgotten(record), undecided)
    ]

    assert str(rows[0]) == str(rows[1])


def test_languages_are_measured_apart(tmp_path: Path) -> None:
    path = tmp_path / "hidden.jsonl"
    at = datetime(2026, 3, 1, tzinfo=UTC)
    with path.open("w") as file:
        for place, language in enumerate(("en", "", "fr", "de", "en")):
            one = labelled(1)[0]
            record = dataclasses.replace(
                one.record, external_id=str(place), at=at, posted_at=at, language=language
            )
            line = {"record": record.to_json(), "is_spam": True, "kind": "pills", "group": str(place)}
            file.write(json.dumps(line) + "\n")
    options = argparse.Namespace(records=[path], forget_verdicts=True, by_language=True)

    parts = dict(hidden_spam._parts(options))

    assert {name: len(posts) for name, posts in parts.items()} == {
        "hidden": 5,
        "hidden, English or not known": 3,
        "hidden, other languages": 2,
    }
