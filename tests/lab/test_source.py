"""Which labelled files the trial of adaptation takes, and how it halves them."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from lab import _source
from lab._source import Text
from training.labelled_lines import Malformed

WHOLE = {"id": "a", "source": "s", "lang": "th", "text": "สวัสดี", "label": 1, "group": "g"}


def written(folder: Path, *lines: dict[str, Any]) -> Path:
    path = folder / "source.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def texts(*, groups: int, spam_groups: int, of_each: int = 3) -> list[Text]:
    return [
        Text(
            line=group * of_each + number,
            text=f"{group} {number}",
            language="en",
            is_spam=group < spam_groups,
            group=str(group),
        )
        for group in range(groups)
        for number in range(of_each)
    ]


class TestRead:
    def test_reads_a_text_whose_language_is_unknown(self, tmp_path: Path) -> None:
        path = written(tmp_path, {"text": "Hello", "label": 0, "group": 7})

        assert _source.read(path) == [Text(line=1, text="Hello", language="", is_spam=False, group="7")]

    def test_keeps_lines_apart_whose_ids_are_the_same(self, tmp_path: Path) -> None:
        assert [one.line for one in _source.read(written(tmp_path, WHOLE, WHOLE))] == [1, 2]

    def test_leaves_out_what_says_nothing(self, tmp_path: Path) -> None:
        path = written(tmp_path, WHOLE | {"text": " \n"}, WHOLE)

        assert [one.line for one in _source.read(path)] == [2]

    @pytest.mark.parametrize("field", ["text", "label", "group"])
    def test_names_line_and_field_that_is_absent(self, field: str, tmp_path: Path) -> None:
        broken = {name: value for name, value in WHOLE.items() if name != field}

        with pytest.raises(Malformed, match=rf"line 2: {field}: missing"):
            _source.read(written(tmp_path, WHOLE, broken))

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("label", 2),
            ("label", "1"),
            ("label", None),
            ("label", True),
            ("text", None),
            ("group", None),
            ("group", ""),
            ("lang", 5),
        ],
    )
    def test_names_line_and_field_that_cannot_be_read(
        self, field: str, value: object, tmp_path: Path
    ) -> None:
        with pytest.raises(Malformed, match=rf"line 1: {field}: expected"):
            _source.read(written(tmp_path, WHOLE | {field: value}))

    def test_names_the_line_that_is_not_json(self, tmp_path: Path) -> None:
        path = tmp_path / "source.jsonl"
        path.write_text(json.dumps(WHOLE) + "\n{\n")

        with pytest.raises(Malformed, match="line 2: not JSON"):
            _source.read(path)


def test_of_a_group_of_copies_a_hundred_are_enough() -> None:
    copies = texts(groups=1, spam_groups=1, of_each=400)
    others = texts(groups=30, spam_groups=0)

    chosen = _source.limited(
        [*copies, *(dataclasses.replace(one, group=f"other {one.group}") for one in others)], most=1_000
    )

    assert sum(one.is_spam for one in chosen) == 100


def test_of_many_texts_whole_groups_are_taken() -> None:
    given = texts(groups=40, spam_groups=20, of_each=7)

    chosen = _source.limited(given, most=50)

    groups = {one.group for one in chosen}
    assert 50 <= len(chosen) < 57
    assert [one for one in given if one.group in groups] == sorted(chosen, key=lambda one: one.line)
