"""Build an exported model's TensorRT plan, on the GPU it will run on: `python -m training tensorrt`."""

import argparse
import ctypes
import json
import logging
import shutil
from pathlib import Path
from typing import Any

from scoring.release import Corrupt
from training import served_weights, variants
from training.image.configs import NETWORK
from training.image.repository import PROFILE, pictures
from training.model_configs import NoModel, Variant
from training.plan_recipe import GRAPH, RECIPE, TEXTS, Network, Profile
from training.served_content import SHIPPED

log = logging.getLogger(__name__)

BUILT_WITH = "built_with.json"
"""Beside the plan: the version of TensorRT that built it, which deploy/serve_plans.py asks the server for."""


class NoPlan(Exception):
    """There is no GPU, driver or TensorRT here, or it refused the model; the message says which and why."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m training tensorrt`."""
    parser.add_argument("--repository", type=Path, default=SHIPPED, help="the exported model")
    parser.add_argument("--model", choices=variants.MODELS, default=variants.CONTENT, help="which one of it")
    parser.add_argument(
        "--out", type=Path, required=True, help="the repository to write, plan and config.pbtxt"
    )
    parser.add_argument("--models", type=Path, help="Triton's folder of released models, which gets it, too")


def main(arguments: argparse.Namespace) -> None:
    """Run the command; without a GPU it ends with one line."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        of = variants.exported_files(arguments.repository, model=arguments.model)
        plan = build(repository=arguments.repository, out=arguments.out, model=arguments.model)
        variants.finish(arguments.out, of=of, model=arguments.model, models=arguments.models)
    except (NoPlan, NoModel, served_weights.Unreadable, Corrupt) as refusal:
        raise SystemExit(f"tensorrt: {refusal}") from refusal
    log.info("%s: %d bytes", plan, plan.stat().st_size)


def build(*, repository: Path, out: Path, model: str = variants.CONTENT) -> Path:
    """Write a whole repository of the tensorrt variant with the plan of content or image model; return that.

    A `repository` that is of this variant already is taken as it is, so a machine with a GPU needs no torch.
    Raises NoPlan, NoModel, served_weights.Unreadable; without a GPU nothing is written.
    """
    require_gpu()
    is_image = model == variants.IMAGE
    name = NETWORK if is_image else TEXTS.name
    if (repository / name / "1" / RECIPE).is_file():
        shutil.copytree(repository, out, dirs_exist_ok=True)
    else:
        variants.write(variant=Variant.TENSORRT, repository=repository, out=out, model=model)
    network, profile = (pictures(out), PROFILE) if is_image else (TEXTS, Profile())
    plan = out / name / "1" / "model.plan"
    version = write_plan(network, graph=plan.with_name(GRAPH), plan=plan, profile=profile)
    plan.with_name(BUILT_WITH).write_text(json.dumps({"tensorrt": version}), encoding="utf-8")
    return plan


def require_gpu() -> None:
    """Raise NoPlan unless the driver is loaded and counts at least one GPU."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise NoPlan("no NVIDIA driver here (libcuda.so.1): build where the plan will run") from error
    count = ctypes.c_int(0)
    code = driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count))
    if code or count.value < 1:
        raise NoPlan(f"the NVIDIA driver counts no GPU (CUDA error {code}): build the plan where one is")


def write_plan(network: Network, *, graph: Path, plan: Path, profile: Profile) -> str:
    """Write the plan of a network's graph; return TensorRT's version. Raises NoPlan."""
    try:
        import tensorrt
    except ImportError as error:
        raise NoPlan("tensorrt is not installed: pip install the version of Triton's image") from error
    trt: Any = tensorrt
    logger = trt.Logger(trt.Logger.WARNING)
    builder = trt.Builder(logger)
    definition = builder.create_network(_flags(trt))
    parser = trt.OnnxParser(definition, logger)
    if not parser.parse(graph.read_bytes()):
        raise NoPlan("; ".join(str(parser.get_error(index)) for index in range(parser.num_errors)))
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
        raise NoPlan("TensorRT built no plan; its log above says why")
    plan.write_bytes(bytes(serialised))
    return _library_version(trt)


def _major(trt: Any) -> int:
    return int(str(trt.__version__).partition(".")[0])


def _flags(trt: Any) -> int:
    """Return the flags by which version 8 treats the batch as a dimension; later ones always do."""
    return 1 << int(trt.NetworkDefinitionCreationFlag.EXPLICIT_BATCH) if _major(trt) < 10 else 0


def _own_tactics(trt: Any) -> int:
    """Return TensorRT's own kernels, as version 10 chooses by itself: a plan needs no cuBLAS or cuDNN."""
    others = {"CUBLAS", "CUBLAS_LT", "CUDNN"}
    sources = (int(source) for name, source in trt.TacticSource.__members__.items() if name not in others)
    return sum(1 << source for source in sources)


def _library_version(trt: Any) -> str:
    """Return the version of the library that built the plan: a server compares it with that of its own.

    The Python package may be of another patch. 101303 is 10.13.3, 8601 (before version 10) is 8.6.1.
    """
    version = int(ctypes.CDLL(f"libnvinfer.so.{_major(trt)}").getInferLibVersion())
    major, rest = divmod(version, 10_000 if version >= 100_000 else 1_000)
    return f"{major}.{rest // 100}.{rest % 100}"
