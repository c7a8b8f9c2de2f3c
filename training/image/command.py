"""`python -m training image`: ResNet50 as a model repository for Triton, and a release that carries it.

With labelled pictures its last layer is fitted to spam; without, it keeps the classes of its weights.
"""

import argparse
import dataclasses
import json
import logging
from pathlib import Path

from scoring import hosting
from scoring.release import Corrupt, Release
from training import export_onnx, labelled_lines, served_content, whole_folder
from training.image import backbone as backbones
from training.image import head, repository

log = logging.getLogger(__name__)


class NotForSpam(ValueError):
    """The options of a release do not agree, or its image model has other classes than those of spam."""


_REFUSED = (
    backbones.NoWeights,
    labelled_lines.Malformed,
    head.TooFew,
    export_onnx.Unfaithful,
    NotForSpam,
    Corrupt,
    FileNotFoundError,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m training image`."""
    parser.add_argument("--out", type=Path, required=True, help="model repository that gets it")
    parser.add_argument(
        "--weights",
        default=backbones.DEFAULT,
        help=f"a folder, or a name at Hugging Face's hub; {backbones.DEFAULT} if not given",
    )
    parser.add_argument("--data", type=Path, help="folder of labelled pictures, with manifest.jsonl")
    parser.add_argument("--release", type=Path, help="folder of the live release")
    parser.add_argument("--release-out", type=Path, help="folder of its copy with the image model")


def main(arguments: argparse.Namespace) -> None:
    """Run the command; ends with one line if it is refused."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        _run(arguments)
    except _REFUSED as refusal:
        raise SystemExit(f"image: {refusal}") from refusal


def _run(arguments: argparse.Namespace) -> None:
    if bool(arguments.release) != bool(arguments.release_out):
        raise NotForSpam("--release and --release-out belong together")
    backbone = backbones.load(arguments.weights)
    about = {}
    if arguments.data:
        backbone, about["data"] = head.fit(backbone, arguments.data)
    if arguments.release and tuple(backbone.labels) != backbones.FOR_SPAM:
        raise NotForSpam("--release takes the classes of spam: give --data, or weights that have them")
    facts = repository.write(backbone, out=arguments.out, about=about)
    if arguments.release:
        write_release(backbone, arguments=arguments)
    log.info("%s", json.dumps(facts, indent=1))


def write_release(backbone: backbones.Backbone, *, arguments: argparse.Namespace) -> None:
    """Pin the image model of --out, with its probes, in a copy of --release.

    It is installed, too, for a shadow run or a promotion. Raises release.Corrupt.
    """
    base = Release.load(arguments.release)
    pin = repository.pinned(backbone, repository=arguments.out)
    with whole_folder.release_like(base, names=base.files, out=arguments.release_out) as (_, manifest):
        manifest["image"] = dataclasses.asdict(pin)
    hosting.install(pin, repository=arguments.out, models=served_content.MODELS)
