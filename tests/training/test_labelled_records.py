"""Records with their truth: reading them, taking parts away, and how much decisions outweigh them."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scoring.features import NAMES, NO_MODELS, SUB_MODEL_FEATURES, extract
from scoring.records import History, Link
from tests.json_lines import written
from tests.scoring.random_records import decided, export_line, labelled
from training.labelled_lines import Malformed, Origin
from training.labelled_records import LabelledRecord, bare, load, with_links_of_another, with_random_gaps
from training.mixture import PRIOR_WEIGHT, fitted_on, mixed


def line_of(one: LabelledRecord) -> dict[str, Any]:
    return {"record": one.record.to_json(), "is_spam": one.is_spam, "kind": one.kind, "group": one.group}


SIMULATED = labelled(2_000)


def total(records: list[LabelledRecord], *, origin: Origin) -> float:
    return sum(one.weight for one in records if one.origin is origin)


def test_with_random_gaps_takes_away_each_part_of_some_and_all_of_others() -> None:
    generator = np.random.default_rng(0)
    records = [one.record for one in labelled(300)]

    gapped = [with_random_gaps(one, generator=generator) for one in records]

    without_journey = sum(not one.journey for one in gapped) / len(gapped)
    untouched = sum(new == old for new, old in zip(gapped, records, strict=True)) / len(gapped)
    assert 0.5 < without_journey < 0.68
    assert 0.01 < untouched < 0.12


class TestLoad:
    def test_reads_what_was_written(self, tmp_path: Path) -> None:
        path = written(tmp_path / "records.jsonl", map(line_of, labelled(5)))

        assert load(path) == labelled(5)

    @pytest.mark.parametrize(
        ("change", "problem"),
        [
            ({"is_spam": "yes"}, "is_spam"),
            ({"is_spam": 1}, "is_spam"),
            ({"record": {"version": 99}}, "version"),
            ({"record": None}, "version"),
        ],
    )
    def test_names_file_line_and_field(self, tmp_path: Path, change: dict[str, Any], problem: str) -> None:
        good = line_of(labelled(1)[0])
        path = written(tmp_path / "records.jsonl", [good, {**good, **change}])

        with pytest.raises(Malformed, match=rf"records\.jsonl, line 2: .*{problem}"):
            load(path)

    def test_reads_an_export_of_decisions_beside_simulated_records(self, tmp_path: Path) -> None:
        records = written(tmp_path / "records.jsonl", map(line_of, labelled(3)))
        labels = written(tmp_path / "labels.jsonl", map(export_line, decided(4)))

        assert load(records, labels) == [*labelled(3), *decided(4)]

    def test_leaves_reported_posts_out_unless_asked(self, tmp_path: Path) -> None:
        reported = [dataclasses.replace(one, weight=0.0) for one in decided(2)]
        path = written(tmp_path / "labels.jsonl", map(export_line, reported))

        assert load(path) == []
        assert load(path, with_reported=True) == reported

    def test_refuses_a_label_that_is_none(self, tmp_path: Path) -> None:
        path = written(tmp_path / "labels.jsonl", [{**export_line(decided(1)[0]), "label": True}])

        with pytest.raises(Malformed, match="line 1: TypeError: label: expected 0 or 1"):
            load(path)

    @pytest.mark.parametrize("field", ["record", "is_spam", "kind", "group"])
    def test_names_a_missing_field(self, tmp_path: Path, field: str) -> None:
        line = line_of(labelled(1)[0])
        del line[field]
        path = written(tmp_path / "records.jsonl", [line])

        with pytest.raises(Malformed, match=f"line 1: KeyError: '{field}'"):
            load(path)


class TestBare:
    def test_leaves_only_text_and_links(self) -> None:
        full = next(one.record for one in labelled(20) if one.record.links)

        left = bare(full)

        assert left.text == full.text
        assert [link.url for link in left.links] == [link.url for link in full.links]
        assert {link.domain_history for link in left.links} == {History()}
        assert (left.ip, left.journey, left.complaints, left.shares) == (None, (), (), None)
        assert left.author.created_at is None
        assert left.similar == left.author_history == History()

    def test_makes_whole_families_unknown(self) -> None:
        row = extract(bare(labelled(1)[0].record), models=NO_MODELS)

        journey = [
            NAMES.index(name) for name in SUB_MODEL_FEATURES["behaviour"] if name.startswith("journey.")
        ]
        assert np.isnan(row[journey]).all()


class TestWithLinksOfAnother:
    def test_lends_honest_links_to_both_sorts_and_takes_some_away(self) -> None:
        generator = np.random.default_rng(0)
        posts = labelled(2_000)
        honest_links = [one.record.links for one in posts if one.record.links and not one.is_spam]

        changed = [
            with_links_of_another(one, honest_links=honest_links, generator=generator) for one in posts
        ]

        pairs = list(zip(posts, changed, strict=True))
        lent = [new for old, new in pairs if new.record.links and not old.record.links]
        lost = [old for old, new in pairs if old.record.links and not new.record.links]
        linked = [one for one in posts if one.record.links]
        assert {one.is_spam for one in lent} == {True, False}
        assert all(one.record.links in honest_links for one in lent if not one.is_spam)
        assert len(lost) / len(linked) == pytest.approx(0.3, abs=0.05)

    def test_dresses_half_the_spam_in_honest_urls_and_keeps_its_past(self) -> None:
        generator = np.random.default_rng(0)
        plain = (Link(url="http://plain.example/", host="plain.example", domain="plain.example"),)
        spam = [one for one in labelled(2_000) if one.is_spam and one.record.links]

        changed = [with_links_of_another(one, honest_links=[plain], generator=generator) for one in spam]

        kept = [(old, new) for old, new in zip(spam, changed, strict=True) if new.record.links]
        dressed = [(old, new) for old, new in kept if new.record.links[0].url == plain[0].url]
        assert len(dressed) / len(kept) == pytest.approx(0.5, abs=0.06)
        assert all(
            new.record.links[0].domain_history == old.record.links[0].domain_history for old, new in dressed
        )


def test_fitted_on_counts_by_platform() -> None:
    random = [dataclasses.replace(one, is_random=True) for one in decided(10)]

    said = fitted_on([*SIMULATED, *random])

    assert said["simulated"] == len(SIMULATED)
    assert said["decided"] == {
        "tests": {"posts": 10, "spam": sum(one.is_spam for one in random), "random": 10}
    }


class TestMixed:
    @pytest.mark.parametrize("count", [50, 500, 1_500])
    def test_simulated_records_are_a_prior_of_stated_weight(self, count: int) -> None:
        found = mixed([*SIMULATED, *decided(count)])

        share = total(found, origin=Origin.DECIDED) / total(found, origin=Origin.SIMULATED)
        assert share == pytest.approx(count / PRIOR_WEIGHT)

    def test_a_heavy_label_counts_at_most_as_ten(self) -> None:
        first, *rest = decided(100)

        found = mixed([dataclasses.replace(first, weight=50.0), *rest])

        assert found[0].weight / found[1].weight == pytest.approx(10.0)

    def test_leaves_simulated_records_alone(self) -> None:
        assert mixed(SIMULATED) == SIMULATED
