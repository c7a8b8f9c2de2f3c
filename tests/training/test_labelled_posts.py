"""Three kinds of labelled lines become posts of one kind; only the test part is read."""

from pathlib import Path
from typing import Any

import pytest

from scoring.records import Link
from scoring.splits import Split, split_of
from tests.json_lines import written
from tests.scoring.random_records import record
from training import labelled_posts
from training.labelled_lines import Malformed
from training.labelled_posts import LabelledPost, with_text

TESTED = next(str(number) for number in range(1000) if split_of(str(number)) is Split.TEST)
TRAINED = next(str(number) for number in range(1000) if split_of(str(number)) is Split.TRAIN)


def loaded(folder: Path, *rows: Any) -> list[LabelledPost]:
    return labelled_posts.load([written(folder / "rows.jsonl", rows)])


def simulated(**changes: Any) -> dict[str, Any]:
    stored = record(language="de").to_json()
    return {"record": stored, "is_spam": True, "kind": "loan", "group": TESTED} | changes


def exported(**changes: Any) -> dict[str, Any]:
    return {"record": record().to_json(), "label": 0, "group": TESTED, "provenance": {}} | changes


def text(**changes: Any) -> dict[str, Any]:
    return {
        "id": "1",
        "source": "sms_uci",
        "text": "win at http://prize.example/",
        "label": 1,
        "group": TESTED,
        "lang": "en",
    } | changes


def test_reads_simulated_records(tmp_path: Path) -> None:
    [post] = loaded(tmp_path, simulated())

    assert (post.is_spam, post.source, post.language) == (True, "rows", "de")
    assert (post.group, post.weight) == (TESTED, 1.0)


def test_weighs_exported_decisions_as_the_export_says(tmp_path: Path) -> None:
    [post] = loaded(tmp_path, exported(weight=3.5))

    assert (post.is_spam, post.source, post.weight) == (False, "decided on tests", 3.5)


def test_leaves_out_what_came_by_a_complaint(tmp_path: Path) -> None:
    """Such a label stands for no other post: it used to stand for fifty."""
    assert not loaded(tmp_path, exported(weight=0))


def test_a_retracted_label_judges_no_release(tmp_path: Path) -> None:
    first = written(tmp_path / "first.jsonl", [exported(id="a/1/1", weight=1)])
    later = written(tmp_path / "later.jsonl", [{"id": "a/1/1", "label": None, "provenance": {}}])

    assert labelled_posts.load_by_file([first, later]) == {first: [], later: []}


def test_makes_a_bare_post_of_a_text(tmp_path: Path) -> None:
    [post] = loaded(tmp_path, text())

    assert (post.is_spam, post.source, post.language) == (True, "sms_uci", "en")
    assert [link.domain for link in post.record.links] == ["prize.example"]


def test_reads_the_test_part_only(tmp_path: Path) -> None:
    path = written(tmp_path / "rows.jsonl", [text(), text(group=TRAINED)])

    assert len(labelled_posts.load([path])) == 1
    assert len(labelled_posts.load([path], split=Split.TRAIN)) == 1


@pytest.mark.parametrize("row", [{}, [], "x", {"is_spam": True}, simulated(record={"version": 9})])
def test_names_the_line_that_is_wrong(tmp_path: Path, row: Any) -> None:
    with pytest.raises(Malformed, match=r"rows\.jsonl, line 2"):
        loaded(tmp_path, text(), row)


def test_a_defanged_link_is_gone_from_the_record() -> None:
    shown = Link(url="http://prize.example/", host="prize.example", domain="prize.example")
    attached = Link(url="http://other.example/", host="other.example", domain="other.example")
    post = record(text="win at http://prize.example/", links=(shown, attached))

    assert with_text(post, "win at nowhere").links == (attached,)
    assert with_text(post, "look: http://prize.example/").links == (shown, attached)
