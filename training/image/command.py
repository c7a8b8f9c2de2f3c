"""`python -m training image`: ResNet50 as a model repository for Triton.

With labelled pictures its last layer is fitted to spam; without, it keeps its own classes, those of ImageNet.
"""

from __future__ import annotations

import argparse
import logging
from pathlib import Path
from typing import Any

from scoring.release import Corrupt
from training import export_onnx
from training.image import backbone as backbones
from training.image import card, export, head, labelled_pictures, release_with, repository

log = logging.getLogger(__name__)

REFUSED = (
    backbones.NoWeights,
    labelled_pictures.Malformed,
    head.TooFew,
    export_onnx.Unfaithful,
    release_with.NotForSpam,
    Corrupt,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m training image`."""
    parser.add_argument("--out", type=Path, required=True, help="model repository that gets it")
    parser.add_argument(
        "--weights",
        default=backbones.HUB_DEFAULT,
        help=f"name at the hub ({backbones.HUB_DEFAULT} if not given), file, or {backbones.RANDOM}: "
        "then it was never trained and its answers mean nothing",
    )
    parser.add_argument("--seed", type=int, default=0, help="of random weights, and of the intervals")
    parser.add_argument("--labels", type=Path, help="file of the classes' names; ImageNet's if not given")
    parser.add_argument(
        "--data", type=Path, help=f"folder of labelled pictures with {labelled_pictures.MANIFEST}"
    )
    parser.add_argument("--torchscript", type=Path, help="also write the same function as TorchScript")
    release_with.add_arguments(parser)


def main(arguments: argparse.Namespace) -> None:
    """Run the command; ends with one line if it is refused."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        _run(arguments)
    except REFUSED as refusal:
        raise SystemExit(f"image: {refusal}") from refusal


def _run(arguments: argparse.Namespace) -> None:
    release_with.check(arguments)
    backbone = backbones.load(arguments.weights, seed=arguments.seed, labels=arguments.labels)
    if backbone.is_random:
        log.warning("RANDOM WEIGHTS: this network was never trained, what it answers means nothing")
    about: dict[str, Any] = {}
    quality = []
    if arguments.data:
        labelled = labelled_pictures.load(arguments.data, preprocessing=backbone.preprocessing)
        fitted = head.fit(backbone, labelled, seed=arguments.seed)
        backbone, quality = fitted.backbone, fitted.quality
        about["data"] = {
            "manifest": labelled_pictures.MANIFEST,
            "sha256": labelled.sha256,
            "parts": fitted.parts,
            "penalty": fitted.penalty,
            "unread": labelled.unread,
            "roc_auc": quality[-1].roc_auc.value,
        }
        for name, why in labelled.unread.items():
            log.warning("left out: %s: %s", name, why)
    facts = repository.write(backbone, out=arguments.out, about=about)
    card.write(arguments.out, about=facts, quality=quality)
    if arguments.torchscript:
        export.write_torchscript(backbone.model, side=backbone.preprocessing.crop, path=arguments.torchscript)
    if arguments.release:
        release_with.write(backbone, arguments=arguments)
    log.info("%s", (arguments.out / card.CARD).read_text(encoding="utf-8"))
