"""Releases and stored records: the id follows the content, an earlier version is read, damage is named."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scoring import normalise
from scoring.features import SCHEMA_HASH, extract
from scoring.features.feature import MODEL_FILES, Models
from scoring.pins import Probe, manifest_id
from scoring.records import InvalidRecord, PostRecord
from scoring.release import MANIFEST, Corrupt, Release, SchemaMismatch
from tests.scoring.random_records import labelled, record
from tests.scoring.starter import STARTER

PINNED = "4100d84bc3f7444eff7eb87d6a8862a54770e855528e065194226b3a96b40b66"
FIELDS = ("content", "files", "schema_hash", "normaliser", "thresholds", "calibration", "training", "metrics")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(STARTER, tmp_path / "release"))


def manifest_of(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / MANIFEST).read_text()))


def rewrite(folder: Path, manifest: object) -> None:
    (folder / MANIFEST).write_text(json.dumps(manifest))


MODELS = Models.load(STARTER, files=MODEL_FILES)


def stored(post: PostRecord, **more: object) -> dict[str, Any]:
    """As PostgreSQL gives it back, with what an earlier version wrote beside it."""
    return dict(json.loads(json.dumps(post.to_json() | more)))


def test_scores_as_another_of_which_only_more_is_told(folder: Path) -> None:
    shipped, manifest = Release.load(STARTER), manifest_of(folder)
    rewrite(folder, manifest | {"training": {"heads_refused": {"a": "NoGain"}}, "heads": {}, "platforms": {}})
    refused = Release.load(folder)
    rewrite(folder, manifest | {"thresholds": manifest["thresholds"] | {"audit_rate": 0.03}})

    assert refused.id != shipped.id
    assert refused.scores_as(shipped)
    assert not Release.load(folder).scores_as(shipped)


def test_another_schema_is_refused(release: Release) -> None:
    with pytest.raises(SchemaMismatch, match="schema"):
        release.check_schema("0" * 64)


def test_an_id_is_stable() -> None:
    assert manifest_id({"b": [1, 2.5], "a": "ü"}) == PINNED


class TestLoad:
    def test_reads_the_shipped_release(self, release: Release) -> None:
        assert len(release.id) == 64
        assert release.content.model == "content"
        assert release.normaliser == normalise.VERSION
        assert 0 < release.thresholds.review_from < release.thresholds.remove_from < 1
        assert release.training["simulated"] is True
        release.check_schema(SCHEMA_HASH)

    def test_reads_manifests_from_before_content_files_were_pinned(self, folder: Path) -> None:
        manifest = manifest_of(folder)
        manifest["content"] = {"model": "content", "version": "1"}
        manifest.pop("sub_models", None)
        rewrite(folder, manifest)

        release = Release.load(folder)

        assert (release.content.digest, release.content.probes, release.sub_models) == ("", (), {})

    def test_reads_what_it_pins_of_the_content_model(self, folder: Path) -> None:
        content = {
            "model": "content",
            "version": "1",
            "files": {"distilbert/1/model.onnx": "ab" * 32},
            "probes": [{"text": "hello", "probability": 0.25}],
        }
        rewrite(folder, manifest_of(folder) | {"content": content})

        release = Release.load(folder)

        assert len(release.content.digest) == 64
        assert release.content.probes == (Probe(text="hello", probability=0.25),)
        assert release.manifest["content"] == content

    def test_id_follows_what_the_manifest_says_not_how_it_is_written(self, folder: Path) -> None:
        before = Release.load(folder).id
        manifest = manifest_of(folder)

        rewrite(folder, dict(reversed(manifest.items())))
        rewritten = Release.load(folder).id
        manifest["thresholds"]["audit_rate"] = 0.03
        rewrite(folder, manifest)
        changed = Release.load(folder).id

        assert rewritten == before
        assert changed != before

    def test_names_the_file_that_was_changed(self, folder: Path) -> None:
        with (folder / "ensemble.json").open("a") as ensemble:
            ensemble.write(" ")

        with pytest.raises(Corrupt, match=r"ensemble\.json: SHA-256"):
            Release.load(folder)

    def test_names_the_file_that_is_missing(self, folder: Path) -> None:
        (folder / "ensemble.json").unlink()

        with pytest.raises(Corrupt, match=r"ensemble\.json: named by the manifest"):
            Release.load(folder)

    def test_a_missing_folder_is_corrupt(self, tmp_path: Path) -> None:
        with pytest.raises(Corrupt, match=r"manifest\.json: cannot be read"):
            Release.load(tmp_path / "nowhere")

    @pytest.mark.parametrize(
        "text", ["", "{", "[]", "\udcff".encode("utf-8", "surrogateescape").decode("latin-1")]
    )
    def test_a_manifest_that_is_no_json_object_is_corrupt(self, folder: Path, text: str) -> None:
        (folder / MANIFEST).write_text(text)

        with pytest.raises(Corrupt, match=r"manifest\.json: not"):
            Release.load(folder)

    @pytest.mark.parametrize("field", FIELDS)
    def test_names_the_field_that_is_missing(self, folder: Path, field: str) -> None:
        manifest = manifest_of(folder)
        del manifest[field]
        rewrite(folder, manifest)

        with pytest.raises(Corrupt, match=field):
            Release.load(folder)

    @pytest.mark.parametrize(
        ("field", "value", "problem"),
        [
            ("thresholds", {"review_from": 0.9, "remove_from": 0.1, "audit_rate": 0.02}, "out of order"),
            ("calibration", {"method": "platt", "unknown": 1}, "unknown"),
            ("content", {"model": "content"}, "version"),
        ],
    )
    def test_names_what_is_wrong(self, folder: Path, field: str, value: object, problem: str) -> None:
        rewrite(folder, {**manifest_of(folder), field: value})

        with pytest.raises(Corrupt, match=problem):
            Release.load(folder)


class TestFeatures:
    KNOWN = ("a.one", "a.two")

    @pytest.mark.parametrize(
        ("names", "schema", "says"),
        [
            ((*KNOWN, "a.three"), "", "does not know a.three: refit it"),
            (("a.one",), "", "needs a.two, which is gone: refit it"),
            (KNOWN, "0" * 64, "feature schema"),  # computed otherwise
            (("a.two", "a.one"), "", "other features than its manifest"),
        ],
    )
    def test_that_are_others_are_named(
        self, release: Release, names: tuple[str, ...], schema: str, says: str
    ) -> None:
        with pytest.raises(SchemaMismatch, match=says):
            release.check_features(self.KNOWN, names=names, schema=schema or release.schema_hash)

    def test_that_it_was_trained_on_are_accepted(self, release: Release) -> None:
        release.check_features(self.KNOWN, names=self.KNOWN, schema=release.schema_hash)


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
