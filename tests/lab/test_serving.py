"""The load test that compares servers of one content model."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from deploy.local.places import ROOT
from lab import serving

_COLLECTION = ROOT.parent / "shared" / "data" / "sms_uci.jsonl"


def test_a_load_test_asks_each_text_so_often() -> None:
    lock, warm, asked = threading.Lock(), time.perf_counter() + 1.0, Counter[str]()

    def ask(texts: list[str]) -> None:
        time.sleep(0.01)
        with lock:
            asked.update(texts if time.perf_counter() > warm + 0.05 else [])

    server = serving.Server(name="fake", connect=lambda: ask)

    speed = serving.measure(server, cell=serving.Cell(callers=4), texts=["a", "b"], seconds=0, repeats=200)

    assert asked["a"] == pytest.approx(asked["b"], abs=20)
    assert sum(asked.values()) == pytest.approx(400, abs=40)
    assert speed.p50_ms >= 10


class TestPublished:
    def test_takes_rows_by_id_in_the_published_order(self, tmp_path: Path) -> None:
        collection = tmp_path / "sms.jsonl"
        ids = ["another", *reversed(serving.PUBLISHED_IDS)]
        collection.write_text("\n".join(json.dumps({"id": one, "text": f"text of {one}"}) for one in ids))

        found = serving.published(collection)

        assert found == [f"text of {one}" for one in serving.PUBLISHED_IDS]

    def test_names_a_text_that_the_file_lacks(self, tmp_path: Path) -> None:
        collection = tmp_path / "sms.jsonl"
        collection.write_text(json.dumps({"id": serving.PUBLISHED_IDS[0], "text": "one"}))

        with pytest.raises(KeyError, match=serving.PUBLISHED_IDS[1]):
            serving.published(collection)

    @pytest.mark.skipif(not _COLLECTION.exists(), reason=f"the SMS collection is not at {_COLLECTION}")
    def test_they_are_the_ones_that_the_comparison_prints(self) -> None:
        starts = [
            "Oh k...i'm watching here",
            "As a valued customer",
            "I HAVE A DATE ON SUNDAY",
            "England v Maced",
        ]

        found = serving.published(_COLLECTION)

        assert [text.startswith(start) for text, start in zip(found, starts, strict=True)] == [True] * 4
