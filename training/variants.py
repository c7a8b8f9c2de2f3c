"""Triton's model repository in its variants, from one description: `python -m training variants`.

cpu is the one that is committed and served locally; the other two are for NVIDIA's container on a GPU.
"""

import argparse
import json
import logging
import shutil
from collections.abc import Mapping
from pathlib import Path

from scoring import hosting
from scoring.pins import ContentPin
from training import model_configs, onnx_weights, tensorrt_graph
from training.image import repository as image_repository
from training.model_configs import NoModel, Variant
from training.plan_recipe import TOPICS
from training.served_content import SHIPPED

log = logging.getLogger(__name__)

CONTENT, IMAGE = MODELS = ("content", "image")
_VERSION = "1"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m training variants`."""
    parser.add_argument("--variant", nargs="+", type=Variant, choices=list(Variant), default=list(Variant))
    parser.add_argument(
        "--repository", type=Path, default=SHIPPED, help="the exported model, as served on CPU"
    )
    parser.add_argument("--model", choices=MODELS, default=CONTENT, help="which one of the repository")
    parser.add_argument("--out", type=Path, required=True, help="each variant becomes a folder in here")
    parser.add_argument("--models", type=Path, help="Triton's folder of released models, which gets it, too")
    parser.add_argument(
        "--configs-only",
        action="store_true",
        help="rewrite the config.pbtxt files of --out/<model>, and no more",
    )


def main(arguments: argparse.Namespace) -> None:
    """Run the command."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    if arguments.configs_only:
        write_configs(variant=arguments.variant[0], out=arguments.out)
        return
    for variant in arguments.variant:
        out, model = arguments.out / variant, arguments.model
        write(variant=variant, repository=arguments.repository, out=out, model=model)
        of = exported_files(arguments.repository, model=model)
        finish(out, of=of, model=model, models=arguments.models)
        log.info("%s", out)


def exported_files(repository: Path, *, model: str) -> Mapping[str, str]:
    """Return the digests of an exported model's files, by which releases pin it, also from a variant of it.

    Raises release.Corrupt.
    """
    note = repository / model / hosting.ORIGIN
    if not note.is_file():
        return hosting.pinned_files(repository, model=model, version=_VERSION)
    of: Mapping[str, str] = json.loads(note.read_text(encoding="utf-8"))["of"]
    return of


def finish(out: Path, *, of: Mapping[str, str], model: str, models: Path | None) -> None:
    """Note beside a variant which exported files it was made of, and install it in `models`, if given.

    So a release that pins those files goes live in this variant. Raises release.Corrupt.
    """
    note = {"of": dict(of), "files": hosting.pinned_files(out, model=model, version=_VERSION)}
    (out / model / hosting.ORIGIN).write_text(json.dumps(note, indent=1) + "\n", encoding="utf-8")
    if models is not None:
        hosting.install(ContentPin(model=model, version=_VERSION, files=of), repository=out, models=models)


def write_configs(*, variant: Variant, out: Path) -> None:
    """Write the config.pbtxt of each model below `out`."""
    for model, text in model_configs.texts(variant).items():
        (out / model / "1").mkdir(parents=True, exist_ok=True)
        (out / model / "config.pbtxt").write_text(text)


def write(*, variant: Variant, repository: Path, out: Path, model: str = CONTENT) -> None:
    """Write a whole repository of this variant below `out`, from the exported one at `repository`.

    It lacks TensorRT's plans, but has their recipes. Raises NoModel or served_weights.Unreadable.
    """
    if model == IMAGE:
        image_repository.write_variant(variant=variant, repository=repository, out=out)
        return
    network, tokenizer = repository / "distilbert" / "1", repository / "tokenizer" / "1"
    for path in (network / "model.onnx", tokenizer / "tokenizer.json", tokenizer / "model.py"):
        if not path.is_file():
            raise NoModel(f"{path} is missing: export a model first")
    write_configs(variant=variant, out=out)
    for name in ("tokenizer.json", "model.py"):
        shutil.copyfile(tokenizer / name, out / "tokenizer" / "1" / name)
    (out / "content" / "1" / ".gitkeep").touch()  # an ensemble needs its version folder
    target = out / "distilbert" / "1"
    if variant is Variant.CPU:
        for name in ("model.onnx", "model.py"):
            shutil.copyfile(network / name, target / name)
    elif variant is Variant.ONNXRUNTIME_GPU:
        onnx_weights.write_half(source=network / "model.onnx", target=target / "model.onnx")
    else:
        tensorrt_graph.write(repository=repository, folder=target)
    if (topics := repository / "topics").is_dir():
        shutil.copytree(topics, out / "topics", ignore=image_repository.COMPILED, dirs_exist_ok=True)
        if variant is Variant.TENSORRT:
            tensorrt_graph.write_encoder(source=topics / "1" / "model.onnx", folder=out / TOPICS)
