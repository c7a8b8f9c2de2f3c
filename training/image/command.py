"""`python -m training image`: ResNet50 as a model repository for Triton, with the classes of its weights."""

import argparse
import json
import logging
from pathlib import Path

from training import export_onnx
from training.image import backbone as backbones
from training.image import repository

log = logging.getLogger(__name__)


_REFUSED = (backbones.NoWeights, export_onnx.Unfaithful)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m training image`."""
    parser.add_argument("--out", type=Path, required=True, help="model repository that gets it")
    parser.add_argument(
        "--weights",
        default=backbones.DEFAULT,
        help=f"a folder, or a name at Hugging Face's hub; {backbones.DEFAULT} if not given",
    )


def main(arguments: argparse.Namespace) -> None:
    """Run the command; ends with one line if it is refused."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        facts = repository.write(backbones.load(arguments.weights), out=arguments.out)
    except _REFUSED as refusal:
        raise SystemExit(f"image: {refusal}") from refusal
    log.info("%s", json.dumps(facts, indent=1))
