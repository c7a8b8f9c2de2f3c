"""The export of topic models."""

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest

from deploy.local.places import ROOT
from tests.libraries import later, needs
from tests.training.tiny_nli import write
from training import base_model, export_topics, model_configs, tensorrt_graph
from training.export_onnx import Unfaithful

onnxruntime = later("onnxruntime")
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

    def test_on_a_card_a_plan_answers_unless_it_answers_otherwise(
        self, code: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """ONNX Runtime runs the graph of the plan, in FP16 as TensorRT would."""
        network = tmp_path / "topics_encoder"
        tensorrt_graph.write_encoder(source=SHIPPED / "1" / "model.onnx", folder=network)
        (tmp_path / "topics").symlink_to(SHIPPED)
        session = onnxruntime.InferenceSession(str(network / "1" / "model.onnx"))
        server, factor = MagicMock(), 1.0
        server.Tensor = lambda name, rows: (name, rows)
        server.InferenceRequest.return_value.exec.return_value.has_error.return_value = False
        server.get_output_tensor_by_name.side_effect = lambda _, name: MagicMock(
            **{"as_numpy.return_value": factor * session.run([name], asked()[-1])[0]}
        )

        def asked() -> list[dict[str, Any]]:
            return [dict(call.kwargs["inputs"]) for call in server.InferenceRequest.call_args_list]

        monkeypatch.setattr(code, "pb_utils", server)
        on_card = code._engine(tmp_path / "topics" / "1")
        server.Logger.log_warn.assert_not_called()
        factor = np.nan
        on_processor = code._engine(tmp_path / "topics" / "1")
        server.Logger.log_warn.assert_called_once()

        factor = 1.0
        pair = (["Bitcoin and Ethereum prices rise"], [["cryptocurrency", "cooking"]])
        difference = on_card.probabilities(*pair) - on_processor.probabilities(*pair)
        assert 0 < np.abs(difference).max() < 0.02  # OpenVINO rounds, too
        assert {rows.shape[1] for inputs in asked() for rows in inputs.values()} == {128}
        config = (network / "config.pbtxt").read_text()
        assert [config.count(f"dims: {size}") for size in (128, 384)] == [2, 1]
        recipe = json.loads((network / "1" / "plan.json").read_text())
        assert "--maxShapes=input_ids:128x128,attention_mask:128x128" in recipe["arguments"]
