"""The graph that TensorRT is given answers as the served model does; the image asks its plan for that.

A stand-in for trtexec runs the graph by ONNX Runtime: it shows that files, shapes and answers fit together.
"""

import json
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from deploy import serve_plans
from scoring import hosting
from tests.libraries import TORCH, later, needs
from training import build_tensorrt, plan_recipe, served_content, tensorrt_graph, variants
from training.model_configs import Variant

pytestmark = [
    *TORCH,
    needs("torch", "transformers", "onnx", "onnxruntime"),
    pytest.mark.filterwarnings("ignore"),  # the converter names numbers that it clamps
]
onnx = later("onnx")
onnxruntime = later("onnxruntime")

TRTEXEC = """
import json, pathlib, shutil
import numpy as np, onnxruntime
given = dict(word.lstrip('-').split('=', 1) for word in sys.argv[1:] if '=' in word)
if 'saveEngine' in given:
    shutil.copyfile(given['onnx'], given['saveEngine'])
    sys.exit()
shapes = dict(one.split(':') for one in given['shapes'].split(','))
inputs = {
    name: np.fromfile(file, dtype=np.int32).reshape([int(side) for side in shapes[name].split('x')])
    for name, file in (one.split(':') for one in given['loadInputs'].split(','))
}
session = onnxruntime.InferenceSession(given['loadEngine'], providers=['CPUExecutionProvider'])
logits = session.run(['logits'], inputs)[0]
said = [{'name': 'logits', 'dimensions': '4x2', 'values': logits.ravel().tolist()}]
pathlib.Path(given['exportOutput']).write_text(json.dumps(said))
"""


@pytest.fixture(scope="module")
def variant(both_halves_exported: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("variant")
    variants.write(variant=Variant.TENSORRT, repository=both_halves_exported, out=folder)
    return folder


def test_has_no_slice_of_tokens_and_computes_in_fp16(variant: Path) -> None:
    graph = onnx.load(str(variant / "distilbert" / "1" / "model.onnx")).graph

    made = {name: node for node in graph.node for name in node.output}
    sliced = {node.input[0] for node in graph.node if node.op_type == "Slice"}
    assert not sliced & {"input_ids", "attention_mask"}
    assert all(made[name].op_type != "Cast" for name in sliced if name in made)
    large = [tensor for tensor in graph.initializer if np.prod(tensor.dims) > 4096]
    assert {tensor.data_type for tensor in large} <= {onnx.TensorProto.FLOAT16, onnx.TensorProto.INT64}


def test_answers_as_the_served_model_at_every_width(both_halves_exported: Path, variant: Path) -> None:
    served, form = (
        onnxruntime.InferenceSession(
            str(folder / "distilbert" / "1" / "model.onnx"), providers=["CPUExecutionProvider"]
        )
        for folder in (both_halves_exported, variant)
    )
    random = np.random.default_rng(4)
    for rows, tokens in ((1, 2), (3, 17), (8, 128)):
        ids = random.integers(0, 500, size=(rows, tokens), dtype=np.int32)
        mask = (np.arange(tokens) < random.integers(1, tokens + 1, size=rows)[:, None]).astype(np.int32)
        asked = {"input_ids": ids, "attention_mask": mask}

        difference = np.abs(served.run(["logits"], asked)[0] - form.run(["logits"], asked)[0]).max()

        assert difference < 0.02


def test_the_recipe_is_what_triton_serves_and_the_release_asks(variant: Path) -> None:
    recipe = json.loads((variant / "distilbert" / "1" / plan_recipe.RECIPE).read_text())

    assert "--maxShapes=input_ids:128x128,attention_mask:128x128" in recipe["arguments"]
    assert recipe["answers"]["shapes"] == "input_ids:4x128,attention_mask:4x128"
    assert len(recipe["answers"]["probabilities"]) == len(served_content.PROBES)
    assert len(recipe["answers"]["inputs"]["input_ids"]) == 4 * 128
    assert serve_plans.TOLERANCE == hosting.PROBE_TOLERANCE


@pytest.mark.parametrize("is_spoilt", [False, True])
def test_the_image_serves_a_plan_that_answers_so(
    variant: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_spoilt: bool
) -> None:
    for folder in ("bin", "plans", "tmp"):
        (tmp_path / folder).mkdir()
    program = tmp_path / "bin" / "trtexec"
    program.write_text(f"#!{sys.executable}\nimport sys\n{TRTEXEC}")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    engine = serve_plans.Engine(card="card", tensorrt="10.13.3")
    monkeypatch.setattr(serve_plans.Engine, "here", lambda: engine)
    monkeypatch.setattr(serve_plans, "version_here", lambda *, major: "10.13.3")
    started: list[object] = []
    monkeypatch.setattr(serve_plans, "start", started.append)
    if is_spoilt:
        monkeypatch.setattr(serve_plans, "TOLERANCE", -1.0)
    words = [f"--plans={tmp_path / 'plans'}", "tritonserver", f"--model-repository={variant}"]

    if is_spoilt:
        with pytest.raises(SystemExit, match="of the model that it was built from"):
            serve_plans.main(words)
    else:
        serve_plans.main(words)

    assert len(started) == (not is_spoilt)


def test_a_variant_that_is_ready_is_built_without_torch(
    variant: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build_tensorrt, "require_gpu", lambda: None)
    monkeypatch.setattr(variants, "write", SimpleNamespace())  # a call would raise
    monkeypatch.setattr(build_tensorrt, "write_plan", lambda *_, **named: _written(named["plan"]))

    plan = build_tensorrt.build(repository=variant, out=tmp_path / "out")

    assert plan.read_text() == "plan"
    assert (tmp_path / "out" / "tokenizer" / "1" / "tokenizer.json").is_file()


def _written(plan: Path) -> str:
    plan.write_text("plan")
    return "10.13.3"


def test_texts_are_cut_and_padded_to_the_plan(both_halves_exported: Path) -> None:
    tokenizer = both_halves_exported / "tokenizer" / "1" / "tokenizer.json"

    asked = tensorrt_graph.tokenised(["free cash", "free " * 300], tokenizer=tokenizer)

    assert asked["input_ids"].shape == (2, 128)
    assert asked["attention_mask"].sum(axis=1).tolist() == [4, 128]
