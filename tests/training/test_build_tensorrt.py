"""What can be told of TensorRT without a GPU: refusal, and what is written around a plan."""

import ctypes
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest
from google.protobuf import text_format
from tritonclient.grpc import model_config_pb2

from training import __main__ as command_line
from training import build_tensorrt, export_onnx
from training.build_tensorrt import NoPlan


class Driver:
    """libcuda as ctypes sees it, with so many GPUs."""

    def __init__(self, *, gpus: int) -> None:
        self._gpus = gpus

    def cuInit(self, _flags: int) -> int:  # noqa: N802 - the library's name
        return 0 if self._gpus else 100

    def cuDeviceGetCount(self, count: object) -> int:  # noqa: N802 - as above
        count._obj.value = self._gpus  # type: ignore[attr-defined] # what ctypes.byref points at
        return 0

    def getInferLibVersion(self) -> int:  # noqa: N802 - of libnvinfer, which is loaded in the same way
        return 101303


def give_driver(monkeypatch: pytest.MonkeyPatch, *, gpus: int | None) -> None:
    """Put a driver there that counts so many GPUs, or take it away."""

    def load(_name: str) -> Driver:
        if gpus is None:
            raise OSError("libcuda.so.1: cannot open shared object file")
        return Driver(gpus=gpus)

    monkeypatch.setattr(ctypes, "CDLL", load)


@pytest.mark.parametrize(
    ("gpus", "says"), [(None, "no NVIDIA driver here"), (0, "counts no GPU")], ids=["no driver", "no GPU"]
)
def test_without_a_card_the_command_ends_with_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, gpus: int | None, says: str
) -> None:
    give_driver(monkeypatch, gpus=gpus)

    with pytest.raises(SystemExit, match=f"^tensorrt: .*{says}"):
        command_line.main(["tensorrt", "--out", str(tmp_path / "out")])

    assert not (tmp_path / "out").exists()


def give_tensorrt(monkeypatch: pytest.MonkeyPatch, *, error: str = "") -> MagicMock:
    """Put a package there that builds, or that refuses a graph with this message."""
    package = MagicMock(__version__="10.13.3")
    package.OnnxParser.return_value.parse.return_value = not error
    package.OnnxParser.return_value.num_errors = 1
    package.OnnxParser.return_value.get_error.return_value = error
    package.Builder.return_value.build_serialized_network.return_value = b"plan"
    monkeypatch.setitem(sys.modules, "tensorrt", package)
    return package


@pytest.mark.train
class TestBuild:
    @pytest.fixture
    def repository(self, tiny_base: Path, tmp_path: Path) -> Path:
        folder = tmp_path / "exported"
        export_onnx.export(model_folder=tiny_base, repository=folder)
        (folder / "tokenizer" / "1" / "model.py").touch()
        return folder

    def test_writes_plan_and_matching_config(
        self, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        give_driver(monkeypatch, gpus=1)
        package = give_tensorrt(monkeypatch)

        plan = build_tensorrt.build(repository=repository, out=tmp_path / "out")

        assert plan.read_bytes() == b"plan"
        shapes = package.Builder.return_value.create_optimization_profile.return_value.set_shape
        assert [call.args for call in shapes.call_args_list] == [
            (name, (1, 128), (16, 128), (128, 128)) for name in ("input_ids", "attention_mask")
        ]
        config = text_format.Parse(
            (tmp_path / "out" / "distilbert" / "config.pbtxt").read_text(), model_config_pb2.ModelConfig()
        )
        assert (config.backend, config.default_model_filename) == ("tensorrt", plan.name)
        assert json.loads(plan.with_name("built_with.json").read_text()) == {"tensorrt": "10.13.3"}

    @pytest.mark.parametrize("says", ["Unsupported operator", "tensorrt is not installed"])
    def test_says_why_there_is_none(
        self, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str
    ) -> None:
        give_driver(monkeypatch, gpus=1)
        if says == "Unsupported operator":
            give_tensorrt(monkeypatch, error=says)
        else:
            monkeypatch.setitem(sys.modules, "tensorrt", None)

        with pytest.raises(NoPlan, match=says):
            build_tensorrt.build(repository=repository, out=tmp_path / "out")


class TestVersions:
    def test_before_10_the_batch_is_explicit_and_the_kernels_are_its_own(self) -> None:
        trt = SimpleNamespace(
            __version__="8.6.1",
            NetworkDefinitionCreationFlag=SimpleNamespace(EXPLICIT_BATCH=0),
            TacticSource=SimpleNamespace(
                __members__={"CUBLAS": 0, "CUBLAS_LT": 1, "CUDNN": 2, "EDGE_MASK": 3, "JIT": 4}
            ),
        )

        assert build_tensorrt._flags(trt) == 1
        assert build_tensorrt._own_tactics(trt) == 0b11000
        assert build_tensorrt._flags(SimpleNamespace(__version__="10.13.2.6")) == 0

    def test_the_version_is_the_librarys_not_the_packages(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """TensorRT's package 8.6.1 ran with a library 8.6.0: the server's check compares libraries."""
        library = SimpleNamespace(getInferLibVersion=lambda: 8600)
        monkeypatch.setattr(ctypes, "CDLL", lambda _name: library)

        assert build_tensorrt._library_version(SimpleNamespace(__version__="8.6.1")) == "8.6.0"
