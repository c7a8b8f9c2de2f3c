"""Loading labelled texts, refusing bad rows by place, the split that never moves; curated posts."""

import hashlib
import json
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from deploy.local.places import ROOT
from scoring.links import links_in
from scoring.splits import Split, split_of
from tests.json_lines import written
from training import dataset
from training.dataset import Example, Malformed, Provenance
from training.train_content import OWN_TEXTS

ROW: dict[str, Any] = {
    "id": "a1",
    "source": "forum",
    "lang": "en",
    "text": "Buy now",
    "label": 1,
    "group": "g1",
    "meta": {"video": "x"},
}


def loaded(folder: Path, *rows: dict[str, Any]) -> list[Example]:
    return dataset.load([written(folder / "texts.jsonl", rows)])


FILE = ROOT / "training" / "curated_posts.jsonl"
_NUMBER = re.compile(r"(?<![\w.-])\+?\d[\d ().-]{7,}\d(?![\w.-])")
_ADDRESS = re.compile(r"\d{1,3}(\.\d{1,3}){3}")
_FICTION = ("5550", "7700900", "2079460", "1713920", "3023125", "63998", "19900", "491570")
"""Beginnings that regulators keep free for fiction: North America, Britain, Germany, France, Australia."""


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def test_the_text_alone_is_normalised_as_it_is_served(tmp_path: Path) -> None:
    (found,) = dataset.read_as_served(loaded(tmp_path, {**ROW, "text": "f r e e c4sh"}))

    assert found.text == "free cash"
    assert (found.id, found.group, found.label) == ("a1", "g1", 1)


def test_a_group_is_kept_together(tmp_path: Path) -> None:
    rows = [{**ROW, "id": str(number), "group": f"g{number % 50}"} for number in range(200)]
    examples = loaded(tmp_path, *rows)

    parts = {split: dataset.part(examples, split=split) for split in Split}

    groups = [{example.group for example in members} for members in parts.values()]
    assert sum(map(len, parts.values())) == 200
    assert sum(map(len, groups)) == len(set.union(*groups)) == 50


def test_a_manifest_counts_and_digests(tmp_path: Path) -> None:
    curated = {**ROW, "source": "own", "label": 0, "meta": {"provenance": "curated"}}
    path = written(tmp_path / "texts.jsonl", [ROW, curated])

    (entry,) = dataset.manifest([path])

    assert (entry.file, entry.rows, entry.spam) == ("texts.jsonl", 2, 1)
    assert entry.sources == ("forum", "own")
    assert entry.provenance == ("curated", "professional")
    assert entry.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_starter_texts_are_curated_and_usable_alone() -> None:
    examples = dataset.load(OWN_TEXTS[:1])

    assert {example.provenance for example in examples} == {Provenance.CURATED}
    assert {example.label for example in dataset.part(examples, split=Split.TRAIN)} == {0, 1}
    assert len({example.text for example in examples}) == len(examples)
    # Other languages must not mean one class.
    foreign = [example.label for example in examples if example.lang != "en"]
    assert 0.2 < sum(foreign) / len(foreign) < 0.8


class TestLoad:
    def test_reads_every_field(self, tmp_path: Path) -> None:
        (example,) = loaded(tmp_path, ROW)

        assert (example.id, example.source, example.lang, example.text) == ("a1", "forum", "en", "Buy now")
        assert (example.label, example.group, example.meta) == (1, "g1", {"video": "x"})
        assert example.provenance is Provenance.PROFESSIONAL

    def test_keeps_repeats_and_skips_blank_lines(self, tmp_path: Path) -> None:
        path = written(tmp_path / "texts.jsonl", [ROW, ROW])
        path.write_text(path.read_text() + "\n   \n")

        assert len(dataset.load([path, path])) == 4

    @pytest.mark.parametrize("provenance", list(Provenance))
    def test_reads_who_labelled(self, tmp_path: Path, provenance: Provenance) -> None:
        (example,) = loaded(tmp_path, {**ROW, "meta": {"provenance": provenance.value}})

        assert example.provenance is provenance

    @pytest.mark.parametrize(
        ("change", "complaint"),
        [
            ({"text": 3}, "text: expected a string, got int"),
            ({"text": "  "}, "text: empty"),
            ({"group": None}, "group: expected a string, got NoneType"),
            ({"label": 2}, "label: expected 0 or 1, got 2"),
            ({"label": True}, "label: expected 0 or 1, got True"),
            ({"label": "1"}, "label: expected 0 or 1, got '1'"),
            ({"meta": []}, "meta: expected an object, got list"),
            (
                {"meta": {"provenance": "guess"}},
                "meta.provenance: expected one of professional, curated",
            ),
        ],
    )
    def test_names_file_line_and_field(self, tmp_path: Path, change: dict[str, Any], complaint: str) -> None:
        with pytest.raises(Malformed) as refusal:
            loaded(tmp_path, ROW, {**ROW, **change})

        assert str(refusal.value).startswith(f"texts.jsonl, line 2: {complaint}")

    @pytest.mark.parametrize("name", ["id", "source", "text", "label", "group"])
    def test_names_a_missing_field(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(Malformed, match=rf"line 1: {name}: missing"):
            loaded(tmp_path, {key: value for key, value in ROW.items() if key != name})


class TestDecisions:
    """A line of the desk's own export, as docs/ml-guide.md describes it."""

    ROW: dict[str, Any] = {
        "schema_version": 1,
        "id": "demo-social/post-1/2",
        "text": "Buy now",
        "lang": "",
        "label": 1,
        "group": "77",
        "split": "train",
        "record": {"schema": 1},
        "provenance": {"decided_by": "moderator", "release": "abc"},
    }

    def test_are_curated_labels_from_the_platform(self, tmp_path: Path) -> None:
        (example,) = loaded(tmp_path, self.ROW)

        assert (example.source, example.provenance) == ("desk demo-social", Provenance.CURATED)
        assert (example.lang, example.label, example.group) == ("xx", 1, "77")

    def test_without_text_are_left_out(self, tmp_path: Path) -> None:
        assert len(loaded(tmp_path, {**self.ROW, "text": ""}, self.ROW)) == 1

    def test_that_stand_for_no_other_post_are_left_out(self, tmp_path: Path) -> None:
        """Who trains on what people complained about alone learns that a language is spam."""
        assert not loaded(tmp_path, {**self.ROW, "weight": 0.0})

    def test_count_by_their_weight(self, tmp_path: Path) -> None:
        (decided,) = loaded(tmp_path, {**self.ROW, "weight": 5.0})

        assert decided.weight == 5.0


class TestCurated:
    def test_has_many_families_of_both_kinds_in_many_languages(self, rows: list[dict[str, Any]]) -> None:
        families = Counter((row["label"], row["group"]) for row in rows)
        spoken = defaultdict(set)
        for row in rows:
            spoken[row["group"]].add(row["lang"])

        counts = Counter(label for label, _ in families)
        assert min(counts.values()) >= 190
        assert abs(counts[0] - counts[1]) <= 2
        assert len({family for _, family in families}) == len(families), "a family is spam or it is not"
        assert min(families.values()) >= 40
        assert min(map(len, spoken.values())) >= 12
        assert {row["meta"]["judged"] for row in rows} == {"bare", "context"}

    def test_no_text_stands_twice(self, rows: list[dict[str, Any]]) -> None:
        assert len({row["text"].lower() for row in rows}) == len({row["id"] for row in rows}) == len(rows)

    def test_whole_families_are_kept_back(self, rows: list[dict[str, Any]]) -> None:
        kept = {row["group"]: row["label"] for row in rows if split_of(row["group"]) is Split.TEST}

        assert min(Counter(kept.values()).values()) >= 5

    def test_neither_kind_shows_by_having_links(self, rows: list[dict[str, Any]]) -> None:
        linked = Counter((row["label"], bool(links_in(row["text"]))) for row in rows)
        shares = [linked[label, True] / (linked[label, True] + linked[label, False]) for label in (0, 1)]

        assert abs(shares[0] - shares[1]) < 0.05
        assert min(shares) > 0.3

    def test_telephone_numbers_are_of_fiction(self, rows: list[dict[str, Any]]) -> None:
        found = [number for row in rows for number in _NUMBER.findall(row["text"])]
        digits = [re.sub(r"\D", "", number) for number in found if not _ADDRESS.match(number)]

        real = [one for one in digits if len(one) >= 10 and not any(part in one for part in _FICTION)]
        assert real == []
