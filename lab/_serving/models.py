"""Which weights are compared, and the servers that hold them."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from deploy.local.places import ROOT
from lab._serving import weights
from lab._serving.servers import Server, Starter
from training import export_onnx

if TYPE_CHECKING:
    from transformers import PreTrainedModel

REPOSITORY = ROOT / "triton_repo"
PEERS = ("128", "batch")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what is compared."""
    parser.add_argument("--model", choices=("full", "shipped"), required=True)
    parser.add_argument("--peers", nargs="*", choices=PEERS, default=list(PEERS))
    parser.add_argument(
        "--repository", type=Path, default=REPOSITORY, help="the model repository that Triton serves"
    )


def tokenizer(options: argparse.Namespace) -> Path:
    """Both sides' tokenizer."""
    repository: Path = options.repository
    return repository / "tokenizer" / "1" / "tokenizer.json"


def shipped(options: argparse.Namespace) -> Path:
    """The float file that the repository serves."""
    repository: Path = options.repository
    return repository / "distilbert" / "1" / "model.onnx"


def start(options: argparse.Namespace, *, start: Starter, folder: Path) -> list[Server]:
    """Write the weights in every form and start every server, peers first."""
    model = weights.full() if options.model == "full" else weights.of(shipped(options))
    weights.script(model, path=folder / "script.pt")
    targets = [
        start.peer(pad=pad, script=folder / "script.pt", tokenizer=tokenizer(options))
        for pad in options.peers
    ]
    path = folder / "float.onnx"
    write(model, path=path)
    targets.append(start.triton(name="float", model=path, repository=options.repository))
    return targets


def write(model: PreTrainedModel, *, path: Path) -> None:
    """Export as the product does."""
    with tempfile.TemporaryDirectory() as scratch:
        full = Path(scratch, "fp32.onnx")
        export_onnx.write_onnx(model, path=full)
        export_onnx.store_compactly(source=full, target=path)
