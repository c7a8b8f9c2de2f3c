"""Stored records: what was written by an earlier version is read, what nobody wrote is refused."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from scoring.features import extract
from scoring.features.feature import MODEL_FILES, Models
from scoring.records import InvalidRecord, PostRecord
from tests.scoring.random_records import labelled, record
from tests.scoring.starter import STARTER

MODELS = Models.load(STARTER, files=MODEL_FILES)


def stored(post: PostRecord, **more: object) -> dict[str, Any]:
    """As PostgreSQL gives it back, with what an earlier version wrote beside it."""
    return dict(json.loads(json.dumps(post.to_json() | more)))


class TestFromJson:
    def test_reads_what_it_wrote(self) -> None:
        for one in labelled(50):
            assert PostRecord.from_json(stored(one.record)) == one.record

    def test_reads_a_record_from_before_evidence_to_the_same_features(self) -> None:
        for one in labelled(20):
            before = stored(one.record)
            del before["evidence"]
            read = PostRecord.from_json(before)

            assert read == one.record
            np.testing.assert_array_equal(extract(read, models=MODELS), extract(one.record, models=MODELS))

    @pytest.mark.parametrize("wrong", [{"surprise": 1}, {"version": 2}, {"text": None}, {"links": {}}])
    def test_refuses_what_no_version_wrote(self, wrong: dict[str, object]) -> None:
        with pytest.raises(InvalidRecord):
            PostRecord.from_json(stored(record(), **wrong))

    def test_names_the_missing_field(self) -> None:
        short = stored(record())
        del short["author"]

        with pytest.raises(InvalidRecord, match="author"):
            PostRecord.from_json(short)
