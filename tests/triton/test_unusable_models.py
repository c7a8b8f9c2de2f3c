"""A model that cannot serve is refused by name when it is loaded, and the live one keeps answering.

On a Triton of its own, whose repository these tests break file by file.
"""

import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tritonclient.utils import InferenceServerException

from deploy.local.places import ROOT, State
from scoring.content import ContentModel
from scoring.triton_socket import TritonSocket
from tests.libraries import later, needs
from tests.triton import own_server

pytestmark = [needs("onnx"), pytest.mark.xdist_group("unusable models"), pytest.mark.timeout(300)]
onnx = later("onnx")

TEXT = ["Cheap pills, no prescription needed"]


@dataclass(frozen=True)
class Stage:
    """A running server and the folder that it serves."""

    repository: Path
    model: ContentModel
    admin: TritonSocket

    def load(self, name: str) -> None:
        self.admin.load_model(name)

    def file(self, path: str) -> Path:
        return self.repository / path


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    folder = tmp_path_factory.mktemp("unusable")
    repository = folder / "triton_repo"
    shutil.copytree(ROOT / "triton_repo", repository, ignore=shutil.ignore_patterns("__pycache__"))
    with own_server.serving(State(folder / "state"), repository=repository) as (server, _):
        yield Stage(
            repository=repository,
            model=ContentModel(url=server.url, version="1", timeout_seconds=20),
            admin=TritonSocket(server.socket, timeout_seconds=60),
        )


@pytest.fixture
def broken(stage: Stage) -> Iterator[Callable[[str, Callable[[Path], None]], str]]:
    """Break one file, load its model, give the refusal; put the file back and load it again afterwards."""
    undo = []

    def break_and_load(path: str, damage: Callable[[Path], None]) -> str:
        file, name = stage.file(path), path.split("/", maxsplit=1)[0]
        kept = file.read_bytes()
        undo.append((file, kept, name))
        damage(file)
        with pytest.raises(InferenceServerException) as refusal:
            stage.load(name)
        return str(refusal.value)

    yield break_and_load
    for file, kept, name in undo:
        file.write_bytes(kept)
        stage.load(name)


def cut_short(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:100_000])


def empty(file: Path) -> None:
    file.write_bytes(b"")


def garble(file: Path) -> None:
    file.write_text('{"version": "1.0", "model": "nothing')


def answer_nan(file: Path) -> None:
    """The classifier's bias becomes NaN, and so does every logit."""

    def spoil(graph: Any) -> None:
        bias = next(tensor for tensor in graph.initializer if tensor.name == "classifier.bias")
        bias.CopyFrom(onnx.numpy_helper.from_array(np.full(2, np.nan, dtype=np.float32), bias.name))

    rewrite(file, spoil)


def answer_three_classes(file: Path) -> None:
    def widen(graph: Any) -> None:
        last = next(node for node in graph.node if "logits" in node.output)
        last.output[:] = ["two"]
        graph.initializer.append(onnx.numpy_helper.from_array(np.array([0, 1, 0]), "classes"))
        graph.node.append(onnx.helper.make_node("Gather", ["two", "classes"], ["logits"], axis=1))
        graph.output[0].type.tensor_type.shape.dim[1].dim_value = 3

    rewrite(file, widen)


def take_other_inputs(file: Path) -> None:
    def rename(graph: Any) -> None:
        graph.input[0].name = "tokens"
        for node in graph.node:
            node.input[:] = ["tokens" if name == "input_ids" else name for name in node.input]

    rewrite(file, rename)


def rewrite(file: Path, change: Callable[[Any], None]) -> None:
    model = onnx.load(str(file))
    change(model.graph)
    file.write_bytes(model.SerializeToString())


MODEL, TOKENIZER = "distilbert/1/model.onnx", "tokenizer/1/tokenizer.json"
DAMAGES: list[tuple[str, Callable[[Path], None], str]] = [
    (MODEL, cut_short, r"distilbert: .*model\.onnx is not a model"),
    (MODEL, answer_nan, "not finite"),
    (TOKENIZER, garble, r"tokenizer: .*tokenizer\.json is not a tokenizer"),
]
OTHER_DAMAGES: list[tuple[str, Callable[[Path], None], str]] = [
    (MODEL, Path.unlink, r"distilbert: .*model\.onnx is missing"),
    (MODEL, empty, r"distilbert: .*model\.onnx is not a model"),
    (MODEL, take_other_inputs, r"takes \['attention_mask', 'tokens'\]"),
    (MODEL, answer_three_classes, r"logits of shape \(1, 3\)"),
    (TOKENIZER, Path.unlink, r"tokenizer: .*tokenizer\.json is missing"),
    ("distilbert/config.pbtxt", garble, "distilbert"),
]


@pytest.mark.parametrize(
    ("path", "damage", "complaint"),
    [*DAMAGES, *(pytest.param(*damage, marks=pytest.mark.long) for damage in OTHER_DAMAGES)],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_is_refused_by_name_while_the_live_one_answers(
    stage: Stage,
    broken: Callable[[str, Callable[[Path], None]], str],
    path: str,
    damage: Callable[[Path], None],
    complaint: str,
) -> None:
    before = stage.model.scores(TEXT)

    refusal = broken(path, damage)

    assert re.search(complaint, refusal), refusal
    assert stage.model.scores(TEXT) == before
