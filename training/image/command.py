"""`python -m training image`: ResNet50 as a model repository for Triton.

With labelled pictures its last layer is fitted to spam; without, it keeps its own classes, those of ImageNet.
"""

import argparse
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scoring.release import Corrupt
from training import export_onnx, labelled_lines
from training.evaluate import Quality
from training.image import backbone as backbones
from training.image import head, labelled_pictures, release_with, repository

log = logging.getLogger(__name__)

REFUSED = (
    backbones.NoWeights,
    labelled_lines.Malformed,
    head.TooFew,
    export_onnx.Unfaithful,
    release_with.NotForSpam,
    Corrupt,
)

CARD = "image-card.md"
_DIFFERENCE = "(logarithm of a probability, ONNX Runtime, FP32)"
_MEASURED = (
    "Measured on the test part, whose groups the fit has not seen; in brackets the 95 % interval of a"
    " bootstrap over groups."
)
_WARNING = """> **RANDOM WEIGHTS.** They come from a seed: this network was never trained. It shows that the
> path works, from file to served answer. What it answers means nothing; judge no post by it.
"""


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
    quality: list[Quality] = []
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
    _write_card(arguments.out, about=facts, quality=quality)
    if arguments.release:
        release_with.write(backbone, arguments=arguments)
    log.info("%s", (arguments.out / CARD).read_text(encoding="utf-8"))


def _write_card(out: Path, *, about: Mapping[str, Any], quality: Sequence[Quality]) -> None:
    """Write the card of a repository."""
    served = about["served"]
    lines = ["# Image model", ""]
    if served["is_random"]:
        lines += [_WARNING]
    lines += [
        "| | |",
        "|---|---|",
        "| network | ResNet50, as torchvision defines it |",
        f"| weights | {served['origin']} |",
        f"| classes | {served['classes']} |",
        f"| largest difference to torch | {about['largest_difference']:.1e} {_DIFFERENCE} |",
    ]
    if data := about.get("data"):
        lines += _of_data(data, quality)
    (out / CARD).write_text("\n".join(lines) + "\n", encoding="utf-8")


def _of_data(data: Mapping[str, Any], quality: Sequence[Quality]) -> list[str]:
    parts = ", ".join(f"{count} {part}" for part, count in data["parts"].items())
    lines = [
        f"| last layer | fitted to {data['manifest']} (SHA-256 {data['sha256']}): {parts} |",
        f"| left out | {len(data['unread'])} files that are no picture |",
        "",
        _MEASURED,
        "",
        "| source | pictures (spam) | ROC-AUC | F1 at 0.5 | precision / recall | calibration error |",
        "|---|---|---|---|---|---|",
    ]
    for row in quality:
        auc, f1 = (f"{it.value:.3f} ({it.low:.3f} to {it.high:.3f})" for it in (row.roc_auc, row.f1))
        rest = f"{row.precision:.3f} / {row.recall:.3f} | {row.calibration_error:.3f}"
        lines.append(f"| {row.source} | {row.rows} ({row.spam}) | {auc} | {f1} | {rest} |")
    return lines
