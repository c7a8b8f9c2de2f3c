"""What the Triton image does before it serves TensorRT plans, with stand-ins for trtexec and the card."""

import ctypes
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from deploy import serve_plans

RECIPE = {
    "arguments": ["--minShapes=ids:1x2", "--fp16"],
    "answers": {"shapes": "ids:2x2", "inputs": {"ids": [1, 2, 3, 4]}, "probabilities": [0.5, 0.9526]},
}
RIGHT = "[0.0, 0.0, -1.0, 2.0]"

# Notes each call; "builds" a plan of what it was given; answers with the logits in the file beside it.
TRTEXEC = """#!{python}
import json, pathlib, sys
given = dict(word.lstrip('-').split('=', 1) for word in sys.argv[1:] if '=' in word)
here = pathlib.Path(__file__).parent
with (here / 'words').open('a') as words:
    print(*sys.argv[1:], file=words)
with (here / 'calls').open('a') as calls:
    calls.write(json.dumps(given) + '\\n')
if 'saveEngine' in given:
    graph = pathlib.Path(given['onnx']).read_bytes()
    assert graph != b'refused'
    pathlib.Path(given['saveEngine']).write_bytes(graph)
else:
    assert len(pathlib.Path(given['loadInputs'].split(':', 1)[1]).read_bytes()) == 4 * 4
    said = (here / 'logits').read_text()
    text = '[{{"name": "logits", "dimensions": "2x2", "values": %s}}]' % said
    pathlib.Path(given['exportOutput']).write_text(text)
sys.exit(int((here / 'exit').read_text()))
"""
Started = list[Sequence[str]]


class Driver:
    """libcuda as ctypes sees it, with one card."""

    def cuInit(self, _flags: int) -> int:  # noqa: N802 - the library's name
        return 0

    def cuDeviceGet(self, _device: object, _number: int) -> int:  # noqa: N802 - as above
        return 0

    def cuDeviceGetName(self, name: object, _size: int, _device: object) -> int:  # noqa: N802 - as above
        name.value = b"NVIDIA H200 (one/of/them)"  # type: ignore[attr-defined] # a buffer
        return 0

    def cuDeviceGetAttribute(self, value: object, which: int, _device: object) -> int:  # noqa: N802 - as above
        value._obj.value = {75: 9, 76: 0}[which]  # type: ignore[attr-defined] # what ctypes.byref points at
        return 0


@pytest.fixture
def libraries(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """Give the process these libraries, and no others."""
    found: dict[str, object] = {
        "libcuda.so.1": Driver(),
        "libnvinfer.so.10": SimpleNamespace(getInferLibVersion=lambda: 101303),
    }

    def load(name: str) -> object:
        if name not in found:
            raise OSError(f"{name}: cannot open shared object file")
        return found[name]

    monkeypatch.setattr(ctypes, "CDLL", load)
    return found


@pytest.fixture
def trtexec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a stand-in on PATH; return its folder."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "trtexec").write_text(TRTEXEC.format(python=sys.executable))
    (folder / "trtexec").chmod(0o755)
    (folder / "logits").write_text(RIGHT)
    (folder / "exit").write_text("0")
    (folder / "calls").touch()
    monkeypatch.setenv("PATH", str(folder))
    return folder


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "models"
    for file, text in {
        "distilbert/1/model.onnx": "graph",
        "distilbert/1/plan.json": json.dumps(RECIPE),
        "distilbert/config.pbtxt": "backend: tensorrt",
        "topics/1/model.onnx": "served on CPU",
    }.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text)
    return folder


@pytest.fixture
def plans(tmp_path: Path) -> Path:
    folder = tmp_path / "plans"
    folder.mkdir()
    return folder


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Started:
    """Note what becomes of the process."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    commands: list[Sequence[str]] = []
    monkeypatch.setattr(serve_plans, "start", commands.append)
    return commands


def start(plans: Path, repository: Path) -> None:
    serve_plans.main([f"--plans={plans}", "tritonserver", f"--model-repository={repository}", "--exit=1"])


def calls(trtexec: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in (trtexec / "calls").read_text().splitlines()]


@pytest.mark.usefixtures("libraries")
class TestFirstStart:
    def test_builds_asks_and_serves_a_copy_with_the_plan(
        self, trtexec: Path, repository: Path, plans: Path, started: Started
    ) -> None:
        start(plans, repository)

        [[server, option, *rest]] = started
        served = Path(option.removeprefix("--model-repository="))
        kept = plans / "NVIDIA-H200-one-of-them-sm90" / "10.13.3"
        assert (server, rest) == ("tritonserver", ["--exit=1"])
        assert (served / "distilbert" / "1" / "model.plan").resolve().is_relative_to(kept)
        assert (served / "distilbert" / "1" / "model.plan").read_text() == "graph"
        assert (served / "distilbert" / "config.pbtxt").is_file()
        assert (served / "topics" / "1" / "model.onnx").is_file()
        assert not (served / "distilbert" / "1" / "model.onnx").exists()
        built, asked = calls(trtexec)
        assert built["minShapes"] == "ids:1x2"
        assert asked["shapes"] == "ids:2x2"
        assert not list(serve_plans.refusals([served]))

    @pytest.mark.parametrize(("library", "number", "has_it"), [("10", 101303, True), ("11", 110400, False)])
    def test_asks_for_fp16_where_trtexec_has_the_option(
        self,
        trtexec: Path,
        repository: Path,
        plans: Path,
        started: Started,
        libraries: dict[str, object],
        library: str,
        number: int,
        *,
        has_it: bool,
    ) -> None:
        libraries.pop("libnvinfer.so.10")
        libraries[f"libnvinfer.so.{library}"] = SimpleNamespace(getInferLibVersion=lambda: number)

        start(plans, repository)

        assert ("--fp16" in (trtexec / "words").read_text().splitlines()[0].split()) is has_it

    @pytest.mark.parametrize("changed", ["library", "graph"])
    def test_is_the_only_one_that_builds_until_library_or_graph_changes(
        self,
        trtexec: Path,
        repository: Path,
        plans: Path,
        started: Started,
        libraries: dict[str, object],
        changed: str,
    ) -> None:
        start(plans, repository)
        start(plans, repository)
        assert ["saveEngine" in call for call in calls(trtexec)] == [True, False, False]
        if changed == "library":
            libraries["libnvinfer.so.10"] = SimpleNamespace(getInferLibVersion=lambda: 101400)
        else:
            (repository / "distilbert" / "1" / "model.onnx").write_text("another")

        start(plans, repository)

        assert sum("saveEngine" in call for call in calls(trtexec)) == 2
        assert len(started) == 3

    def test_a_plan_that_is_there_is_asked_and_not_built(
        self, trtexec: Path, repository: Path, plans: Path, started: Started
    ) -> None:
        (repository / "distilbert" / "1" / "model.plan").write_text("built by hand")
        (repository / "distilbert" / "1" / serve_plans.NOTE).write_text('{"tensorrt": "10.13.3"}')

        start(plans, repository)

        assert ["saveEngine" in call for call in calls(trtexec)] == [False]
        assert started

    def test_a_network_that_no_score_needs_is_left_out_if_it_cannot_be_built(
        self, trtexec: Path, repository: Path, plans: Path, started: Started
    ) -> None:
        for name, graph in (("topics_encoder", "graph"), ("resnet50", "refused")):
            folder = repository / name / "1"
            folder.mkdir(parents=True)
            (folder / "model.onnx").write_text(graph)
            (folder / "plan.json").write_text(json.dumps({"arguments": RECIPE["arguments"]}))

        start(plans, repository)

        [[_, option, _]] = started
        served = Path(option.removeprefix("--model-repository="))
        plans_served = sorted(plan.parts[-3] for plan in served.glob("*/1/model.plan"))
        assert plans_served == ["distilbert", "topics_encoder"]
        assert not (served / "resnet50").exists()

    def test_a_failed_build_leaves_nothing_and_is_tried_again(
        self, trtexec: Path, repository: Path, plans: Path, started: Started
    ) -> None:
        (trtexec / "exit").write_text("1")

        with pytest.raises(SystemExit, match=r"serve_plans: no plan of .*distilbert/1: trtexec ended with 1"):
            start(plans, repository)

        assert not started
        assert not list(plans.glob("*/*/*"))
        (trtexec / "exit").write_text("0")
        start(plans, repository)
        assert started


@pytest.mark.usefixtures("libraries", "trtexec")
class TestRefusals:
    @pytest.mark.parametrize(
        ("logits", "says"),
        [
            ("[0.0, 0.3, -1.0, 2.0]", r"P\(spam\) of probe 1 is 0\.574, .* 0\.500: serve the variant"),
            ("[0.0, 0.0, 9e9, 2.0]", r"P\(spam\) of probe 2 is 0\.000"),
            ("[0.0, 0.0, nan, -inf]", r"P\(spam\) of probe 2 is nan"),
            ("[0.0, 0.0", "trtexec wrote no 2 rows of logits"),
            ("[]", "trtexec wrote no 2 rows of logits"),
        ],
    )
    def test_a_plan_that_answers_otherwise(
        self, trtexec: Path, repository: Path, plans: Path, started: Started, logits: str, says: str
    ) -> None:
        (trtexec / "logits").write_text(logits)

        with pytest.raises(SystemExit, match=says):
            start(plans, repository)

        assert not started

    @pytest.mark.parametrize(
        ("lacks", "says"), [("libcuda.so.1", "no NVIDIA driver"), ("libnvinfer.so.10", "no TensorRT")]
    )
    def test_names_what_is_not_there(
        self, repository: Path, plans: Path, libraries: dict[str, object], lacks: str, says: str
    ) -> None:
        del libraries[lacks]

        with pytest.raises(SystemExit, match=f"serve_plans: {says}"):
            start(plans, repository)

    def test_no_trtexec(self, repository: Path, plans: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(serve_plans, "_TRTEXEC", ("no-such-program",))

        with pytest.raises(SystemExit, match=r"no trtexec in this image: build it by"):
            start(plans, repository)

    def test_nowhere_to_keep_it(self, repository: Path, plans: Path) -> None:
        with pytest.raises(SystemExit, match=r"plans cannot be kept there: .*; mount a writable volume"):
            start(plans / "is" / "not there", repository)
