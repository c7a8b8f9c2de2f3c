"""Build an exported model's TensorRT plan, on the GPU it will run on: `python -m scoring.training tensorrt`.

A plan holds code for one kind of GPU and one version of TensorRT, so it is built there and never shipped.
Through `trtexec` where that is on PATH, else through TensorRT's Python API.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import logging
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scoring.training import half_precision, variants
from scoring.training.image import configs as image_configs
from scoring.training.image import repository as image_repository
from scoring.training.model_configs import MAX_BATCH, MAX_TOKENS, Variant

log = logging.getLogger(__name__)

BUILT_WITH = "built_with.json"
"""Beside the plan: the version of TensorRT that built it, which deploy/check_plan.py asks the server for."""

# The first line of trtexec: "&&&& RUNNING TensorRT.trtexec [TensorRT v101303] [b9] # …".
_BANNER = re.compile(r"\[TensorRT v(\d+)\]")


@dataclass(frozen=True)
class Profile:
    """Rows in a batch that a plan is built for, a text of 128 tokens or a picture each; fastest at `opt`."""

    min: int = 1
    opt: int = 16
    max: int = MAX_BATCH


@dataclass(frozen=True, kw_only=True)
class Network:
    """What a plan is built of: its place in a repository, its inputs, and the shape of a row of each."""

    name: str
    inputs: tuple[str, ...]
    row: tuple[int, ...]


TEXTS = Network(name="distilbert", inputs=("input_ids", "attention_mask"), row=(MAX_TOKENS,))


class NoGpu(Exception):
    """There is no NVIDIA GPU here, or no driver for it."""


class NoTensorrt(Exception):
    """Neither trtexec nor TensorRT's Python package is installed."""


class BuildFailed(Exception):
    """TensorRT refused the model; the message is TensorRT's."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m scoring.training tensorrt`."""
    parser.add_argument("--repository", type=Path, default=variants.REPOSITORY, help="the exported model")
    parser.add_argument("--model", choices=variants.MODELS, default=variants.CONTENT, help="which one of it")
    parser.add_argument(
        "--out", type=Path, required=True, help="the repository to write, plan and config.pbtxt"
    )


def main(arguments: argparse.Namespace) -> None:
    """Run the command; without a GPU it ends with one line."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        plan = _BUILDERS[arguments.model](repository=arguments.repository, out=arguments.out)
    except (NoGpu, NoTensorrt, BuildFailed, variants.NoModel, image_repository.NoModel) as refusal:
        raise SystemExit(f"tensorrt: {refusal}") from refusal
    log.info("%s: %d bytes", plan, plan.stat().st_size)


def build(*, repository: Path, out: Path, profile: Profile | None = None) -> Path:
    """Write a whole repository of the tensorrt variant with its plan; return the plan.

    Raises NoGpu, NoTensorrt, BuildFailed, variants.NoModel; without a GPU nothing is written.
    """
    require_gpu()
    variants.write(variant=Variant.TENSORRT, repository=repository, out=out)
    return _plan(TEXTS, repository=repository, out=out, profile=profile or Profile())


def build_image(*, repository: Path, out: Path) -> Path:
    """Write the image model of a repository with a plan for its network; raises as `build` does."""
    require_gpu()
    image_repository.write_variant(variant=Variant.TENSORRT, repository=repository, out=out)
    side = image_repository.served_of(repository).preprocessing.crop
    pictures = Network(name=image_configs.NETWORK, inputs=("pixels",), row=(3, side, side))
    return _plan(
        pictures, repository=repository, out=out, profile=Profile(opt=8, max=image_configs.MAX_BATCH)
    )


_BUILDERS = {variants.CONTENT: build, variants.IMAGE: build_image}


def _plan(network: Network, *, repository: Path, out: Path, profile: Profile) -> Path:
    plan = out / network.name / "1" / "model.plan"
    version = write_plan(
        network, onnx=repository / network.name / "1" / "model.onnx", plan=plan, profile=profile
    )
    plan.with_name(BUILT_WITH).write_text(json.dumps({"tensorrt": version}), encoding="utf-8")
    return plan


def write_plan(network: Network, *, onnx: Path, plan: Path, profile: Profile) -> str:
    """Write the plan of one exported network; return TensorRT's version. Raises NoTensorrt, BuildFailed."""
    with tempfile.TemporaryDirectory() as scratch:
        half = Path(scratch, "model.onnx")
        half_precision.write(source=onnx, target=half)
        if trtexec := shutil.which("trtexec"):
            return _run(trtexec_command(trtexec, network, onnx=half, plan=plan, profile=profile))
        return _build_with_python(network, onnx=half, plan=plan, profile=profile)


def require_gpu() -> None:
    """Raise NoGpu unless the driver is loaded and counts at least one GPU."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise NoGpu(
            "no NVIDIA driver here (libcuda.so.1): a plan must be built on the GPU that it will run on"
        ) from error
    count = ctypes.c_int(0)
    failed = driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count))
    if failed or count.value < 1:
        raise NoGpu(f"the NVIDIA driver counts no GPU (CUDA error {failed}): build the plan where one is")


def trtexec_command(trtexec: str, network: Network, *, onnx: Path, plan: Path, profile: Profile) -> list[str]:
    """Return the command line: FP16, the network's inputs in the profile's three shapes."""

    def shapes(rows: int) -> str:
        shape = "x".join(map(str, (rows, *network.row)))
        return ",".join(f"{name}:{shape}" for name in network.inputs)

    return [
        trtexec,
        f"--onnx={onnx}",
        f"--saveEngine={plan}",
        f"--minShapes={shapes(profile.min)}",
        f"--optShapes={shapes(profile.opt)}",
        f"--maxShapes={shapes(profile.max)}",
        "--fp16",
        "--skipInference",
    ]


def _run(command: list[str]) -> str:
    """Build by trtexec; return its version of TensorRT."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    if done.returncode != 0:
        raise BuildFailed("\n".join(said.splitlines()[-15:]))
    banner = _BANNER.search(said)
    if banner is None:
        raise BuildFailed("trtexec built a plan but does not say with which version of TensorRT")
    return spelt(int(banner[1]))


def spelt(version: int) -> str:
    """Return NV_TENSORRT_VERSION in words: 101303 is 10.13.3, 8601 (before version 10) is 8.6.1."""
    major, rest = divmod(version, 10_000 if version >= 100_000 else 1_000)
    return f"{major}.{rest // 100}.{rest % 100}"


def _build_with_python(network: Network, *, onnx: Path, plan: Path, profile: Profile) -> str:
    try:
        import tensorrt
    except ImportError as error:
        raise NoTensorrt(
            "neither trtexec is on PATH nor the package tensorrt installed: put trtexec there, or pip install"
            " tensorrt, either in the version of the Triton that will serve the plan"
        ) from error
    trt: Any = tensorrt
    logger = trt.Logger(trt.Logger.WARNING)
    builder = trt.Builder(logger)
    definition = builder.create_network(_flags(trt))
    parser = trt.OnnxParser(definition, logger)
    if not parser.parse(onnx.read_bytes()):
        raise BuildFailed("; ".join(str(parser.get_error(index)) for index in range(parser.num_errors)))
    shapes = builder.create_optimization_profile()
    for name in network.inputs:
        shapes.set_shape(name, *((rows, *network.row) for rows in (profile.min, profile.opt, profile.max)))
    config = builder.create_builder_config()
    config.add_optimization_profile(shapes)
    if hasattr(trt.BuilderFlag, "FP16"):  # later versions take the types of the network as they are: FP16
        config.set_flag(trt.BuilderFlag.FP16)
    if _major(trt) < 10:
        config.set_tactic_sources(_own_tactics(trt))
    serialised = builder.build_serialized_network(definition, config)
    if serialised is None:
        raise BuildFailed("TensorRT built no plan; its log above says why")
    plan.write_bytes(bytes(serialised))
    return _library_version(trt)


def _major(trt: Any) -> int:
    return int(str(trt.__version__).partition(".")[0])


def _flags(trt: Any) -> int:
    """Return what tells version 8 that the batch is a dimension like others; later ones know no other way."""
    return 1 << int(trt.NetworkDefinitionCreationFlag.EXPLICIT_BATCH) if _major(trt) < 10 else 0


def _own_tactics(trt: Any) -> int:
    """Return TensorRT's own kernels, as version 10 chooses by itself: a plan needs no cuBLAS or cuDNN."""
    others = {"CUBLAS", "CUBLAS_LT", "CUDNN"}
    own = (int(source) for name, source in trt.TacticSource.__members__.items() if name not in others)
    return sum(1 << source for source in own)


def _library_version(trt: Any) -> str:
    """Return the version of the library that built the plan: a server compares it with that of its own.

    The Python package may be of another patch.
    """
    library = ctypes.CDLL(f"libnvinfer.so.{_major(trt)}")
    return spelt(int(library.getInferLibVersion()))
