"""What stands of labelled lines: the last word about each revision; and texts to learn from."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from tests.json_lines import written
from tests.scoring.random_records import labelled
from training import labelled_lines, worded_texts
from training.labelled_lines import MOST_TRAINING_WEIGHT, LabelledLine, Malformed, Origin
from training.worded_texts import WordedText


def decided(name: str = "a/1/1", *, label: int = 1, **provenance: Any) -> dict[str, Any]:
    return {"id": name, "label": label, "record": {}, "provenance": provenance}


def tombstone(name: str = "a/1/1", **provenance: Any) -> dict[str, Any]:
    return {"id": name, "label": None, "provenance": provenance}


def read(folder: Path, *rows: Any) -> list[LabelledLine]:
    return labelled_lines.read_all([written(folder / "one.jsonl", rows)])


LINE = {"text": "casino", "is_spam": True, "kind": "casino", "family": "casino.slots", "shown": "picture"}


def worded(folder: Path, **changed: object) -> list[WordedText]:
    return worded_texts.load([written(folder / "pages.jsonl", [LINE | changed])])


class TestReadAll:
    def test_a_tombstone_takes_back_what_an_earlier_file_said(self, tmp_path: Path) -> None:
        full = written(tmp_path / "full.jsonl", [decided("a/1/1"), decided("a/2/1")])
        increment = written(tmp_path / "increment.jsonl", [tombstone("a/1/1")])

        standing = labelled_lines.read_all([full, increment])

        assert [line.stored["id"] for line in standing] == ["a/2/1"]

    def test_takes_back_the_decision_that_it_names_and_no_later_one(self, tmp_path: Path) -> None:
        """The later one may stand before it: both reach an export in the order of the changes."""
        decisions = [decided(label=1, decision_id="7"), decided(label=0, decision_id="8")]

        [line] = read(tmp_path, *decisions, tombstone(decision_id="7"))

        assert line.stored["label"] == 0

    def test_an_unknown_tombstone_changes_nothing(self, tmp_path: Path) -> None:
        assert len(read(tmp_path, tombstone("b/1/1", decision_id="3"), decided())) == 1

    def test_leaves_accounts_out(self, tmp_path: Path) -> None:
        assert read(tmp_path, decided() | {"subject": "account"}) == []

    def test_the_last_decision_about_a_revision_counts(self, tmp_path: Path) -> None:
        [line] = read(tmp_path, decided(label=1), decided(label=0))

        assert line.stored["label"] == 0

    def test_texts_of_one_name_are_all_read(self, tmp_path: Path) -> None:
        text = {"id": "1", "source": "s", "text": "t", "label": 1, "group": "g"}

        assert len(read(tmp_path, text, text)) == 2

    def test_breaks_lines_at_line_feeds_alone(self, tmp_path: Path) -> None:
        path = tmp_path / "one.jsonl"
        text = {"id": "1", "label": 1, "text": "a\u2028b\u0085c"}
        path.write_text(json.dumps(text, ensure_ascii=False) + "\n", encoding="utf-8")

        [line] = labelled_lines.read_all([path])

        assert line.stored["text"] == "a\u2028b\u0085c"

    @pytest.mark.parametrize(
        ("line", "problem"),
        [
            (b"{", "line 1: not JSON"),
            (b"[]", "line 1: expected an object, got list"),
            (b"\xff\n", "byte 0: not UTF-8"),
        ],
    )
    def test_names_the_line_that_is_wrong(self, tmp_path: Path, line: bytes, problem: str) -> None:
        path = tmp_path / "one.jsonl"
        path.write_bytes(line)

        with pytest.raises(Malformed, match=problem):
            labelled_lines.read_all([path])

    @pytest.mark.parametrize("form", ["csv", "parquet"])
    def test_refuses_other_forms_of_an_export(self, tmp_path: Path, form: str) -> None:
        with pytest.raises(Malformed, match="ask for the export as jsonl"):
            labelled_lines.read_all([tmp_path / f"labels.{form}"])


class TestLabelledLine:
    def test_tells_the_three_kinds_apart(self, tmp_path: Path) -> None:
        simulated = {"record": {}, "is_spam": True}
        text = {"text": "t", "source": "s", "label": 1}

        lines = read(tmp_path, simulated, decided(), text)

        assert [line.origin for line in lines] == [Origin.SIMULATED, Origin.DECIDED, Origin.TEXT]

    @pytest.mark.parametrize(
        ("weight", "in_training"), [(1.0, 1.0), (50.0, MOST_TRAINING_WEIGHT), (0.0, 0.0)]
    )
    def test_one_decision_dominates_no_fit(self, tmp_path: Path, weight: float, in_training: float) -> None:
        [line] = read(tmp_path, decided() | {"weight": weight})

        assert (line.weight, line.training_weight) == (weight, in_training)


class TestWordedTexts:
    def test_reads_what_was_written(self, tmp_path: Path) -> None:
        [one] = worded(tmp_path)

        assert (one.text, one.is_spam, one.family) == ("casino", True, "casino.slots")
        assert one.weight > 1.0

    @pytest.mark.parametrize("changed", [{"is_spam": 1}, {"shown": "poem"}, {"is_spam": None}])
    def test_names_a_line_that_is_wrong(self, tmp_path: Path, changed: dict[str, object]) -> None:
        with pytest.raises(Malformed, match=r"pages\.jsonl, line 1"):
            worded(tmp_path, **changed)

    def test_learns_from_decisions_and_from_no_simulated_record(self) -> None:
        simulated, decided = labelled(2)
        decided = dataclasses.replace(decided, origin=Origin.DECIDED, group="g1", weight=40.0)

        found = worded_texts.decided([simulated, decided], texts=[["a page"], ["another", "and a picture"]])

        assert [(one.text, one.family, one.weight) for one in found] == [
            ("another", "decided g1", 10.0),
            ("and a picture", "decided g1", 10.0),
        ]
