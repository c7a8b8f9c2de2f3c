"""A platform that nobody trained on: heads and TF-IDF learn the same labels and judge the other half."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.json_lines import written
from tests.scoring.platform_posts import decisions
from tests.scoring.random_records import Always
from training import new_platform
from training.promise import BROKEN, KEPT, Row

pytestmark = [pytest.mark.xdist_group("new platform"), pytest.mark.timeout(300)]


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    lines = [
        {
            "id": str(place),
            "source": "m",
            "text": one.record.text,
            "label": int(one.is_spam),
            "group": str(place),
        }
        for place, one in enumerate(decisions(300))
    ]
    return written(tmp_path / "messenger.jsonl", lines)


def measured(path: Path) -> dict[str, Row]:
    return {row.title: row for row in new_platform.rows([path], content=Always(0.5), most=300)}


def test_a_head_learns_what_content_does_not_know(texts: Path) -> None:
    rows = measured(texts)

    bare, after = (rows[f"messenger, {when}: ROC-AUC"] for when in ("bare", "after 100 labels"))
    assert (bare.value, bare.verdict, bare.promise) == (0.5, BROKEN, "≥ 0.940")
    assert after.value > 0.9
    assert after.note.startswith("TF-IDF ")
    assert rows["heads that rank below TF-IDF beyond noise"].texts == 6


def test_counts_heads_that_certainly_rank_below(texts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(new_platform, "_by_head", lambda _, unseen, **__: np.linspace(0, 1, len(unseen)))

    below = measured(texts)["heads that rank below TF-IDF beyond noise"]

    assert (below.value, below.verdict) == (6, BROKEN)
    assert below.verdict != KEPT
