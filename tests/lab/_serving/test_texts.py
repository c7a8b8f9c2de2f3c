"""The load test asks with the published texts where the collection is given."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deploy.local.places import ROOT
from lab._serving import texts

_COLLECTION = ROOT.parent / "shared" / "data" / "sms_uci.jsonl"


class TestPublished:
    def test_takes_rows_by_id_in_the_published_order(self, tmp_path: Path) -> None:
        collection = tmp_path / "sms.jsonl"
        ids = ["another", *reversed(texts.PUBLISHED_IDS)]
        collection.write_text("\n".join(json.dumps({"id": one, "text": f"text of {one}"}) for one in ids))

        found = texts.published(collection)

        assert found == [f"text of {one}" for one in texts.PUBLISHED_IDS]

    def test_names_a_text_that_the_file_lacks(self, tmp_path: Path) -> None:
        collection = tmp_path / "sms.jsonl"
        collection.write_text(json.dumps({"id": texts.PUBLISHED_IDS[0], "text": "one"}))

        with pytest.raises(KeyError, match=texts.PUBLISHED_IDS[1]):
            texts.published(collection)

    @pytest.mark.skipif(not _COLLECTION.exists(), reason=f"the SMS collection is not at {_COLLECTION}")
    def test_they_are_the_ones_that_the_comparison_prints(self) -> None:
        starts = [
            "Oh k...i'm watching here",
            "As a valued customer",
            "I HAVE A DATE ON SUNDAY",
            "England v Maced",
        ]

        found = texts.published(_COLLECTION)

        assert [text.startswith(start) for text, start in zip(found, starts, strict=True)] == [True] * 4
