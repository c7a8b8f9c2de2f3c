"""A release that carries the image model: a copy of another one with the model pinned beside content."""

import argparse
import base64
import dataclasses
import io
from collections.abc import Iterator
from pathlib import Path

from scoring import hosting
from scoring.pins import ImagePin, PictureProbe
from scoring.release import Release
from training import served_content, whole_folder
from training.image import export, head
from training.image.backbone import Backbone
from training.image.configs import MODEL
from training.image.labelled_pictures import decoded, normalised

_VERSION = "1"


class NotForSpam(ValueError):
    """The image model has other classes than spam and not spam."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the release that gets the model."""
    parser.add_argument("--release", type=Path, help="folder of the live release; needs --data")
    parser.add_argument("--release-out", type=Path, help="folder of its copy with the image model")


def check(arguments: argparse.Namespace) -> None:
    """Raise NotForSpam unless the options agree."""
    if bool(arguments.release) != bool(arguments.release_out):
        raise NotForSpam("--release and --release-out belong together")
    if arguments.release and not arguments.data:
        raise NotForSpam("a release needs an image model whose last layer was fitted: give --data")


def write(backbone: Backbone, *, arguments: argparse.Namespace) -> None:
    """Pin the image model of --out, with its probes, in a copy of --release.

    It is installed, too, for a shadow run or a promotion. Raises release.Corrupt.
    """
    base = Release.load(arguments.release)
    pin = pinned(backbone, repository=arguments.out)
    with whole_folder.release_like(base, names=base.files, out=arguments.release_out) as (_, manifest):
        manifest["image"] = dataclasses.asdict(pin)
    hosting.install(pin, repository=arguments.out, models=served_content.MODELS)


def pinned(backbone: Backbone, *, repository: Path) -> ImagePin:
    """Return the pin of a repository's image model; its probes are the framework's own answers."""
    if tuple(backbone.labels) != head.LABELS:
        raise NotForSpam(f"classes are {', '.join(backbone.labels[:3])} …, not {' and '.join(head.LABELS)}")
    return ImagePin(
        model=MODEL,
        version=_VERSION,
        files=hosting.pinned_files(repository, model=MODEL, version=_VERSION),
        probes=tuple(_probes(backbone)),
    )


def _probes(backbone: Backbone) -> Iterator[PictureProbe]:
    import numpy as np
    import torch

    whole, steps = export.with_probabilities(backbone.model), backbone.preprocessing
    for picture in _drawn():
        pixels = normalised(np.stack([decoded(picture, preprocessing=steps)]), preprocessing=steps)
        with torch.inference_mode():
            probability = float(whole(torch.from_numpy(pixels))[0, 1])
        yield PictureProbe(picture=base64.b64encode(picture).decode("ascii"), probability=probability)


def _drawn() -> Iterator[bytes]:
    """Return small pictures as files: rings, and stripes."""
    import numpy as np
    from PIL import Image

    across, down = np.meshgrid(np.arange(48), np.arange(48))
    rings = np.hypot(across - 24, down - 24).astype(int) // 6 % 2 * 255
    stripes = (across + 2 * down) // 8 % 2 * 255
    for red, green, blue in ((rings, 255 - rings, down * 5), (stripes, across * 5, 255 - stripes)):
        buffer = io.BytesIO()
        Image.fromarray(np.dstack([red, green, blue]).astype(np.uint8)).save(buffer, format="PNG")
        yield buffer.getvalue()
