"""The export of topic models."""

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from deploy.local.places import ROOT
from tests.libraries import needs
from tests.training.tiny_nli import write
from training import base_model, export_topics, model_configs
from training.export_onnx import Unfaithful

SHIPPED = ROOT / "triton_repo" / "topics"


@needs("torch", "transformers", "onnx")
@pytest.mark.timeout(300)
class TestShipped:
    def test_is_what_the_code_says_and_small_enough(self) -> None:
        told = json.loads((SHIPPED / "1" / "topics.json").read_text())

        assert (told["engine"], told["base"]) == ("embeddings", export_topics.MINILM)
        assert (told["slope"], told["intercept"]) == (export_topics.SLOPE, export_topics.INTERCEPT)
        assert told["largest_difference"] <= export_topics.MAX_DIFFERENCE
        assert (SHIPPED / "1" / "model.onnx").stat().st_size <= export_topics.MAX_BYTES

    def test_its_configuration_is_the_generated_one(self) -> None:
        assert (SHIPPED / "config.pbtxt").read_text() == model_configs.topics_text()


@needs("torch", "transformers", "onnx")
@pytest.mark.timeout(300)
class TestInference:
    def test_a_classifier_of_inference_becomes_the_engine_nli(self, tmp_path: Path) -> None:
        base = write(tmp_path / "base")

        told = export_topics.export(export_topics.load(str(base)), repository=tmp_path / "repository")

        written = tmp_path / "repository" / "topics"
        assert {path.name for path in (written / "1").iterdir()} == {
            "model.onnx",
            "model.py",
            "tokenizer.json",
            "topics.json",
        }
        assert (told["engine"], told["entailment"], told["contradiction"], told["pad"]) == ("nli", 2, 0, 1)

    def test_refuses_a_classifier_of_something_else(self, tmp_path: Path) -> None:
        base = write(tmp_path / "base", labels=("good", "bad", "ugly"))

        with pytest.raises(export_topics.NoEngine, match="bad"):
            export_topics.load(str(base))

    def test_refuses_what_is_no_model(self, tmp_path: Path) -> None:
        with pytest.raises(base_model.BaseUnavailable):
            export_topics.load(str(tmp_path))

    @pytest.mark.long
    def test_replaces_nothing_with_an_unfaithful_export(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        engine = export_topics.load(str(write(tmp_path / "base")))
        monkeypatch.setattr(export_topics, "MAX_DIFFERENCE", -1.0)

        with pytest.raises(Unfaithful):
            export_topics.export(engine, repository=tmp_path / "repository")

        assert not (tmp_path / "repository").exists()


@needs("torch", "transformers", "onnx")
@pytest.mark.timeout(300)
class TestServedCode:
    """What Triton runs, without Triton: nothing is loaded before the first request."""

    @pytest.fixture
    def code(self, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
        monkeypatch.setitem(sys.modules, "triton_python_backend_utils", ModuleType("pb_utils"))
        spec = importlib.util.spec_from_file_location("topics_model", SHIPPED / "1" / "model.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    @pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.json", "topics.json"])
    def test_refuses_a_version_without_its_files(
        self, code: ModuleType, tmp_path: Path, missing: str
    ) -> None:
        (tmp_path / "1").mkdir()
        for name in {"model.onnx", "tokenizer.json", "topics.json"} - {missing}:
            (tmp_path / "1" / name).symlink_to(SHIPPED / "1" / name)

        with pytest.raises(code.Unusable, match=missing):
            code.TritonPythonModel().initialize({"model_repository": str(tmp_path), "model_version": "1"})

    def test_loads_at_the_first_request_and_once(
        self, code: ModuleType, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        tried: list[Path] = []

        def broken(folder: Path) -> None:
            tried.append(folder)
            raise code.Unusable("damaged")

        monkeypatch.setattr(code, "_engine", broken)
        model = code.TritonPythonModel()
        model.initialize({"model_repository": str(SHIPPED), "model_version": "1"})
        assert tried == []

        for _ in range(2):
            with pytest.raises(code.Unusable, match="damaged"):
                model._checked(np.array([b"a"]), np.array([[b"b"]]))
        assert tried == [SHIPPED / "1"]
