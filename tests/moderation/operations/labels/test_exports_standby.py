"""An export read from a standby, which takes no writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from moderation.operations.infrastructure import probe
from moderation.operations.labels import export_write
from moderation.operations.outbox import feed
from moderation.queries.labels.labels import LabelFilter
from tests.moderation.instants import later


@pytest.mark.usefixtures("decided_posts")
def test_holds_what_the_primary_has_numbered_and_numbers_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_primary = export_write.write(out=tmp_path / "primary.jsonl", wanted=LabelFilter(), at=later(99))
    monkeypatch.setattr(probe, "is_standby", lambda: True)
    monkeypatch.delattr(feed, "number")  # it locks rows, which a standby refuses

    of_standby = export_write.write(out=tmp_path / "standby.jsonl", wanted=LabelFilter(), at=later(99))

    assert of_standby["counts"] == of_primary["counts"]
    assert of_standby["counts"]["labels"] == 3
    assert of_standby["positions"] == of_primary["positions"]
