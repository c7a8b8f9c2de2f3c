"""Build the TensorRT plans of a repository where they will run, once; ask them; then start Triton with them.

TensorRT reads only plans of its own version; Triton says so in a page of log and serves nothing. So a plan
that another version built is refused in one line.

`python -m training variants --variant tensorrt` writes `plan.json` beside each graph: how to build
its plan, and what that must answer. A plan is kept under the names of GPU, TensorRT and graph, so another
card or image builds its own. Standard library only: it runs in NVIDIA's image, where `trtexec` is,
`python3 -m deploy.serve_plans --plans=/plans tritonserver --model-repository=… …`.
"""

import array
import ctypes
import fcntl
import hashlib
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TOLERANCE = 0.05
"""Largest difference to an answer of the FP32 model, as a release allows when it goes live."""

NOTE = "built_with.json"
"""Beside a plan: the version of TensorRT that built it."""

_REPOSITORY = "--model-repository="
_RECIPE, _GRAPH, _PLAN = "plan.json", "model.onnx", "model.plan"
_TRTEXEC = ("trtexec", "/usr/src/tensorrt/bin/trtexec", "/opt/tensorrt/bin/trtexec")
_MAJORS = (11, 10, 9, 8)
_FP16, _STRONGLY_TYPED = "--fp16", 11
"""An option that trtexec lost in this version, which takes the types of the graph as they are: FP16."""
_CAPABILITY_MAJOR, _CAPABILITY_MINOR = 75, 76  # CUdevice_attribute
_LARGEST_EXPONENT = 700.0
_SECONDS_TO_BUILD, _SECONDS_TO_ANSWER = 3_600, 300


class Refused(Exception):
    """A plan cannot be built here, or answers otherwise than its model; the message says which and why."""


@dataclass(frozen=True)
class Engine:
    """What a plan depends on: the card, as a name for a folder, and the version of TensorRT."""

    card: str
    tensorrt: str

    @classmethod
    def here(cls) -> "Engine":
        """Ask the driver and the library. Raises Refused."""
        version = next(filter(None, (version_here(major=str(major)) for major in _MAJORS)), "")
        if not version:
            raise Refused("no TensorRT (libnvinfer) in this image, so it can build no plan")
        return cls(card=_card(), tensorrt=version)


def main(words: Sequence[str]) -> None:
    """Become the command that follows `--plans=FOLDER`; ends with exit code 1, and why, if that fails."""
    plans = Path(words[0].removeprefix("--plans="))
    try:
        command = [_served(word, plans=plans) for word in words[1:]]
    except Refused as refusal:
        sys.exit(f"serve_plans: {refusal}")
    start(command)


def start(command: Sequence[str]) -> None:
    """Become the command; ends with exit code 1 and one line for each plan that it could not read."""
    repositories = [Path(word.removeprefix(_REPOSITORY)) for word in command if word.startswith(_REPOSITORY)]
    if lines := list(refusals(repositories)):
        sys.exit("\n".join(lines))
    os.execvp(command[0], list(command))


def refusals(repositories: Sequence[Path]) -> Iterator[str]:
    """Yield a line for each plan that cannot be read here."""
    for note in sorted(note for folder in repositories for note in folder.glob(f"*/*/{NOTE}")):
        built_with = str(json.loads(note.read_text(encoding="utf-8"))["tensorrt"])
        here = version_here(major=built_with.partition(".")[0])
        if here != built_with:
            version = f"TensorRT {here}" if here else f"no TensorRT {built_with.partition('.')[0]}"
            yield (
                f"{note.parent}: its plan was built with TensorRT {built_with}, this image has {version}:"
                " build it in the version of this image, or serve it with the image of that version"
            )


def version_here(*, major: str) -> str:
    """Return the version of the installed library of this major version, "" if there is none."""
    try:
        library = ctypes.CDLL(f"libnvinfer.so.{major}")
    except OSError:
        return ""
    number = int(library.getInferLibVersion())
    # Two digits each for minor and patch; before version 10 one for minor.
    own, rest = divmod(number, 10_000 if number >= 100_000 else 1_000)
    return f"{own}.{rest // 100}.{rest % 100}"


def _served(word: str, *, plans: Path) -> str:
    """Return an argument of Triton; a repository with recipes is replaced by a copy that has their plans."""
    repository = Path(word.removeprefix(_REPOSITORY))
    recipes = sorted(repository.glob(f"*/*/{_RECIPE}")) if word.startswith(_REPOSITORY) else []
    if not recipes:
        return word
    # The same at each start of one container, or its copies would add up.
    copy = Path(tempfile.gettempdir(), f"served{str(repository.resolve()).replace('/', '-')}")
    shutil.rmtree(copy, ignore_errors=True)
    graphs = shutil.ignore_patterns(_GRAPH)
    for model in sorted(repository.iterdir()):
        has_recipe = any(recipe.parents[1] == model for recipe in recipes)
        shutil.copytree(model, copy / model.name, ignore=graphs if has_recipe else None)
    for recipe in recipes:
        place = copy / recipe.parent.relative_to(repository)
        if not (place / _PLAN).exists():
            try:
                source = _kept(recipe, engine=Engine.here(), plans=plans)
            except Refused as refusal:
                if "answers" in json.loads(recipe.read_text(encoding="utf-8")):  # scores need this one
                    raise
                print(f"serve_plans: {refusal}; served without {place.parent.name}", flush=True)
                shutil.rmtree(place.parent)
                continue
            for file in (_PLAN, NOTE):
                (place / file).symlink_to(source / file)
    if lines := list(refusals([copy])):
        raise Refused("\n".join(lines))
    for recipe in recipes:
        _ask(recipe, plan=copy / recipe.parent.relative_to(repository) / _PLAN)
    return f"{_REPOSITORY}{copy}"


def _kept(recipe: Path, *, engine: Engine, plans: Path) -> Path:
    """Return the folder of a graph's plan for this card and TensorRT, built if it is not there.

    Raises Refused.
    """
    graph = recipe.with_name(_GRAPH)
    digest = hashlib.sha256(recipe.read_bytes() + graph.read_bytes()).hexdigest()[:16]
    folder = plans / engine.card / engine.tensorrt / digest
    with _alone(plans):
        if not folder.is_dir():
            where = f"{engine.card}, TensorRT {engine.tensorrt}"
            print(f"serve_plans: building the plan of {graph} for {where}: minutes, once", flush=True)
            _build(recipe, folder=folder, engine=engine)
    return folder


@contextmanager
def _alone(plans: Path) -> Iterator[None]:
    """Let one server at a time build what several share."""
    try:
        lock = (plans / ".lock").open("w")
    except OSError as wrong:
        raise Refused(
            f"{plans}: plans cannot be kept there: {wrong.strerror}; mount a writable volume"
        ) from wrong
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _build(recipe: Path, *, folder: Path, engine: Engine) -> None:
    """Build a plan in a folder that appears when it is whole."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        target = Path(scratch, "made")
        target.mkdir()
        arguments = json.loads(recipe.read_text(encoding="utf-8"))["arguments"]
        if int(engine.tensorrt.partition(".")[0]) >= _STRONGLY_TYPED:
            arguments.remove(_FP16)
        files = [f"--onnx={recipe.with_name(_GRAPH)}", f"--saveEngine={target / _PLAN}"]
        words = [*files, *arguments, "--skipInference"]
        _trtexec(words, what=f"no plan of {recipe.parent}", seconds=_SECONDS_TO_BUILD)
        (target / NOTE).write_text(json.dumps({"tensorrt": engine.tensorrt}), encoding="utf-8")
        target.rename(folder)


def _ask(recipe: Path, *, plan: Path) -> None:
    """Compare a plan's answers with those of the model that it was made of. Raises Refused."""
    answers: dict[str, Any] | None = json.loads(recipe.read_text(encoding="utf-8")).get("answers")
    if answers is None:
        return
    with tempfile.TemporaryDirectory() as scratch:
        output = Path(scratch, "said.json")
        inputs = []
        for name, rows in answers["inputs"].items():
            Path(scratch, name).write_bytes(array.array("i", rows).tobytes())
            inputs.append(f"{name}:{Path(scratch, name)}")
        arguments = [
            f"--loadEngine={plan}",
            f"--shapes={answers['shapes']}",
            f"--loadInputs={','.join(inputs)}",
            f"--exportOutput={output}",
            *("--iterations=1", "--warmUp=0", "--duration=0"),
        ]
        _trtexec(arguments, what=f"{plan} does not run", seconds=_SECONDS_TO_ANSWER)
        logits = _logits(output, rows=len(answers["probabilities"]))
    for row, expected in enumerate(answers["probabilities"]):
        estimate = 1 / (1 + math.exp(min(logits[2 * row] - logits[2 * row + 1], _LARGEST_EXPONENT)))
        if not abs(estimate - expected) <= TOLERANCE:  # so written that NaN is refused, too
            raise Refused(
                f"{plan}: P(spam) of probe {row + 1} is {estimate:.3f}, of the model that it was built from"
                f" {expected:.3f}: serve the variant onnxruntime-gpu or cpu instead"
            )


def _logits(said: Path, *, rows: int) -> list[float]:
    """Read what trtexec wrote of the outputs, row by row. Raises Refused."""
    try:
        outputs = json.loads(re.sub(r"-?\b(nan|inf)\b", "NaN", said.read_text(encoding="utf-8")))
        values: list[float] = next(output["values"] for output in outputs if output["name"] == "logits")
        _ = values[2 * rows - 1]
    except (OSError, ValueError, LookupError, StopIteration) as wrong:
        raise Refused(f"{said}: trtexec wrote no {rows} rows of logits: {wrong!r}") from wrong
    return values


def _trtexec(arguments: Sequence[str], *, what: str, seconds: float) -> None:
    """Run trtexec. Raises Refused with its last lines."""
    program = next(filter(None, map(shutil.which, _TRTEXEC)), None)
    if program is None:
        raise Refused(f"{what}: no trtexec in this image: build it by `python -m training tensorrt`")
    try:
        result = subprocess.run(
            [program, *arguments],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired as late:
        raise Refused(f"{what}: trtexec took more than {seconds} s") from late
    if result.returncode != 0:
        last = (result.stdout + result.stderr).splitlines()[-15:]
        raise Refused("\n".join([f"{what}: trtexec ended with {result.returncode}:", *last]))


def _card() -> str:
    """Return the name and compute capability of the first GPU, as a folder's name. Raises Refused."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError as absent:
        raise Refused(
            "no NVIDIA driver (libcuda.so.1): a plan is built on the GPU that it runs on"
        ) from absent
    device, name = ctypes.c_int(0), ctypes.create_string_buffer(128)
    error = driver.cuInit(0) or driver.cuDeviceGet(ctypes.byref(device), 0)
    error = error or driver.cuDeviceGetName(name, len(name), device)
    if error:
        raise Refused(f"the NVIDIA driver gives no GPU (CUDA error {error})")
    parts = [_attribute(driver, which, device) for which in (_CAPABILITY_MAJOR, _CAPABILITY_MINOR)]
    words = re.sub(r"[^A-Za-z0-9]+", "-", name.value.decode(errors="replace")).strip("-")
    return f"{words}-sm{parts[0]}{parts[1]}"


def _attribute(driver: Any, which: int, device: ctypes.c_int) -> int:
    value = ctypes.c_int(0)
    driver.cuDeviceGetAttribute(ctypes.byref(value), which, device)
    return value.value


if __name__ == "__main__":
    main(sys.argv[1:])
