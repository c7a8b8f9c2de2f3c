"""Exports of labels: whole files whose manifest tells the truth, on a standby too."""

import hashlib
import importlib
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pyarrow import parquet
from pytest_django import Settings

from moderation.models import Platform, User
from moderation.models.exports import ExportState
from moderation.operations.infrastructure import probe
from moderation.operations.labels import export_build, export_files, export_formats, export_write, exports
from moderation.operations.outbox import feed
from moderation.queries.labels.label_json import weight_of
from moderation.queries.labels.labels import SPLITS, LabelFilter
from tests.moderation.instants import later
from tests.moderation.operations.labels.builds import rows_of


@pytest.mark.usefixtures("decided_posts")
class TestWrite:
    def test_writes_one_line_per_label_and_a_manifest_that_agrees(self, tmp_path: Path) -> None:
        out = tmp_path / "labels.jsonl"

        manifest = export_write.write(out=out, wanted=LabelFilter(), at=later(99))

        rows = rows_of(out)
        assert [row["label"] for row in rows] == [1, 1, 0]
        assert rows[0]["group"] == rows[1]["group"] != rows[2]["group"], "two are near duplicates"
        assert rows[0]["split"] == rows[1]["split"]
        assert rows[2]["text"] == 'Look at this =HYPERLINK("x") "quoted"\nnew line'
        assert rows[0]["provenance"]["decided_by"] == "moderator"
        assert "social.followers" in rows[0]["features"]
        assert manifest["sha256"] == hashlib.sha256(out.read_bytes()).hexdigest()
        assert manifest["counts"] == {"labels": 3, "spam": 2, "not_spam": 1, "retracted": 0}
        assert json.loads(Path(f"{out}.manifest.json").read_text()) == manifest

    def test_keeps_to_its_window(self, tmp_path: Path) -> None:
        wanted = LabelFilter(since=later(20), until=later(30))

        manifest = export_write.write(out=tmp_path / "labels.jsonl", wanted=wanted, at=later(99))

        assert manifest["counts"]["labels"] == 1


@pytest.mark.usefixtures("decided_posts")
class TestBuild:
    def test_builds_a_requested_export_once(self, lead: User, tmp_path: Path, settings: Settings) -> None:
        settings.EXPORT_DIR = tmp_path
        row = exports.request(requested_by=lead, wanted=LabelFilter(), at=later(50))

        export_build.build(export_id=row.pk, at=later(51))
        export_build.build(export_id=row.pk, at=later(52))

        row.refresh_from_db()
        assert (row.state, row.rows_written) == (ExportState.READY, 3)
        assert export_files.path_of(row).exists()

    def test_says_why_it_failed(self, lead: User, tmp_path: Path, settings: Settings) -> None:
        (tmp_path / "file").write_text("in the way")
        settings.EXPORT_DIR = tmp_path / "file"
        row = exports.request(requested_by=lead, wanted=LabelFilter(), at=later(50))

        export_build.build(export_id=row.pk, at=later(51))

        row.refresh_from_db()
        assert row.state == ExportState.FAILED
        assert row.error


@pytest.mark.usefixtures("decided_posts")
class TestCommand:
    def test_refuses_a_time_without_offset(self, tmp_path: Path) -> None:
        with pytest.raises(CommandError, match="--since"):
            call_command("export_labels", out=tmp_path / "labels.jsonl", since="2026-01-01")

    def test_writes_a_file_of_one_platform(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        Platform.objects.create(slug="other", name="Other", created_at=later(0))
        [judged] = Platform.objects.exclude(slug="other").values_list("slug", flat=True)

        for slug in (judged, "other"):
            call_command("export_labels", out=tmp_path / f"{slug}.jsonl", platform=slug)

        assert capsys.readouterr().out.count("3 labels (2 spam, 1 not spam)") == 1
        assert (tmp_path / "other.jsonl").read_text() == ""
        with pytest.raises(CommandError, match="no platform 'nowhere'; there are: "):
            call_command("export_labels", out=tmp_path / "labels.jsonl", platform="nowhere")


@pytest.mark.usefixtures("decided_posts")
class TestForms:
    @pytest.mark.parametrize("form", ["csv", "parquet"])
    def test_say_what_the_lines_say(self, tmp_path: Path, form: str) -> None:
        lines, out = tmp_path / "labels.jsonl", tmp_path / f"labels.{form}"
        export_write.write(out=lines, wanted=LabelFilter(), at=later(99))

        manifest = export_write.write(out=out, wanted=LabelFilter(), at=later(99), form=form)

        assert manifest["format"] == form
        assert manifest["sha256"] == hashlib.sha256(out.read_bytes()).hexdigest()
        said = rows_of(lines)
        for row, line in zip(rows_of(out), said, strict=True):
            assert json.loads(row["record"]) == line["record"]
            found = (
                json.loads(row["features"])
                if form == "csv"
                else {feature["name"]: feature["value"] for feature in row["features"]}
            )
            assert found == line["features"]
            for name in ("id", "label", "group", "split", "weight"):
                assert str(row[name]) == str(line[name])
            assert row["decided_at"] == line["provenance"]["decided_at"]

    def test_parquet_is_read_by_whoever_trains(self, tmp_path: Path) -> None:
        """What `datasets` refuses in a file (maps above all), its users cannot load at all."""
        lines, out = tmp_path / "labels.jsonl", tmp_path / "labels.parquet"
        export_write.write(out=lines, wanted=LabelFilter(), at=later(99))
        export_write.write(out=out, wanted=LabelFilter(), at=later(99), form="parquet")

        rows = (
            importlib.import_module("datasets")
            .Dataset.from_parquet(str(out), cache_dir=str(tmp_path / "cache"))
            .to_list()
        )
        frame = importlib.import_module("pandas").read_parquet(out)

        said = rows_of(lines)
        for row, seen, line in zip(rows, frame.to_dict("records"), said, strict=True):
            for read in (row, seen):
                assert (read["text"], read["label"]) == (line["text"], line["label"])
                assert {one["name"]: one["value"] for one in read["features"]} == line["features"]

    def test_parquet_is_written_group_by_group(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(export_formats, "GROUP_ROWS", 2)
        out = tmp_path / "labels.parquet"

        export_write.write(out=out, wanted=LabelFilter(), at=later(99), form="parquet")

        assert parquet.ParquetFile(out).metadata.num_row_groups == 2

    @pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
    def test_hold_the_splits_and_columns_that_were_asked_for(self, tmp_path: Path, form: str) -> None:
        whole = export_write.write(out=tmp_path / "whole", wanted=LabelFilter(), at=later(99))
        for split in SPLITS:
            out = tmp_path / f"{split}.{form}"
            wanted = LabelFilter(splits=(split,))

            manifest = export_write.write(out=out, wanted=wanted, at=later(99), form=form, has_weights=False)

            assert manifest["counts"]["labels"] == whole["splits"].get(split, 0)
            assert manifest["filter"]["splits"] == [split]
            assert b"weight" not in out.read_bytes()


@pytest.mark.parametrize(
    ("chance", "is_sample", "stands_for"),
    [(1.0, False, 1.0), (0.02, True, 50.0), (0.02, False, 0.0), (0.0, False, 0.0)],
)
def test_weights_are_one_over_the_chance_of_being_seen(
    chance: float, is_sample: bool, stands_for: float
) -> None:
    assert weight_of(audit_probability=chance, is_audit_sample=is_sample) == stands_for


@pytest.mark.usefixtures("decided_posts")
def test_one_of_a_standby_holds_what_the_primary_has_numbered_and_numbers_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_primary = export_write.write(out=tmp_path / "primary.jsonl", wanted=LabelFilter(), at=later(99))
    monkeypatch.setattr(probe, "is_standby", lambda: True)
    monkeypatch.delattr(feed, "number")  # it locks rows, which a standby refuses

    of_standby = export_write.write(out=tmp_path / "standby.jsonl", wanted=LabelFilter(), at=later(99))

    assert of_standby["counts"] == of_primary["counts"]
    assert of_standby["counts"]["labels"] == 3
    assert of_standby["positions"] == of_primary["positions"]
