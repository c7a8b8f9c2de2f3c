"""The file that PostgreSQL streams holds the labels that the API reads, row by row."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest

from moderation.models import Label, Platform, User
from moderation.models.feed import Stream
from moderation.operations.outbox import feed
from moderation.queries.labels import label_changes, label_lines, labels
from moderation.queries.labels.labels import LabelFilter
from scoring.splits import Split
from tests.moderation.conftest import Later
from tests.moderation.queries.labels import generated_labels

pytestmark = pytest.mark.django_db

SEED, COUNT = 18, 160


@pytest.fixture
def generated(platform: Platform, moderator: User, lead: User, at: datetime, later: Later) -> None:
    makers = generated_labels.makers(platform, [moderator, lead], at=at)
    generated_labels.labelled_posts(makers, count=COUNT, seed=SEED)
    while feed.number(platform_id=platform.pk, stream=Stream.LABELS, at=later(3_600)):
        pass


def rows(wanted: LabelFilter) -> list[dict[str, Any]]:
    """As the API reads them, and as JSON."""
    page = labels.page(wanted=wanted, after=None, limit=COUNT * 2)
    return [json.loads(json.dumps(row)) for row in page.rows]


@pytest.mark.usefixtures("generated")
class TestLines:
    def test_are_the_rows_of_the_api(self) -> None:
        streamed = [json.loads(one.line) for one in label_lines.lines(wanted=LabelFilter())]

        for line, row in zip(streamed, rows(LabelFilter()), strict=True):
            assert line == row
            assert list(line) == list(row)
            assert list(line["provenance"]) == list(row["provenance"])

    def test_meet_every_kind(self) -> None:
        """Else the comparison says less than it seems to."""
        found = rows(LabelFilter())

        assert 50 < len(found) < Label.objects.count()
        assert {row["provenance"]["sample"] for row in found} == {"", "audit", "draw", "review"}
        assert len({row["provenance"]["lane"] for row in found}) == 6
        assert {row["label"] for row in found} == {0, 1}
        assert len({row["schema_hash"] for row in found}) == 2
        assert any(not row["features"] for row in found)
        assert any(None in row["features"].values() for row in found)
        assert any(set(row["text"]) & set('"\\\n\u2028🎉') for row in found)
        assert {row["weight"] > 0 for row in found} == {True, False}

    def test_without_weights_nothing_else_is_left_out(self) -> None:
        streamed = [
            json.loads(one.line) for one in label_lines.lines(wanted=LabelFilter(), has_weights=False)
        ]

        for line, row in zip(streamed, rows(LabelFilter()), strict=True):
            del row["weight"]
            assert line == row

    @pytest.mark.whole
    @pytest.mark.parametrize("split", Split)
    def test_are_counted_by_what_they_say(self, split: Split) -> None:
        for one in label_lines.lines(wanted=LabelFilter(splits=(split.value,))):
            line = json.loads(one.line)
            assert line["split"] == one.split == split.value
            assert line["label"] == one.is_spam
            assert line["provenance"]["release"] == one.release
            assert line["provenance"]["is_audit_sample"] == one.is_random
            assert (line["lang"], line["provenance"]["decided_at"]) == (one.language, one.decided_at)

    def test_an_increment_from_the_beginning_holds_the_same_lines(self) -> None:
        wanted = LabelFilter(after={})
        until = label_changes.positions(platform_id=None)

        changed = list(label_changes.lines(wanted=wanted, until=until))

        standing = {one.line for one in changed if not one.is_retraction}
        assert standing == {one.line for one in label_lines.lines(wanted=LabelFilter())}
        assert {tuple(json.loads(one.line)) for one in changed} == {tuple(rows(LabelFilter())[0])}

    def test_labels_looked_up_by_their_decision_are_the_same(self) -> None:
        ids = list(Label.objects.values_list("decision", flat=True))

        found = labels.live(decision_ids=ids)

        by_decision = {str(pk): json.loads(json.dumps(row)) for pk, row in found.items()}
        assert by_decision == {row["provenance"]["decision_id"]: row for row in rows(LabelFilter())}
