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
from training.image.backbone import Backbone, pixels
from training.image.configs import MODEL
from training.image.repository import with_probabilities

_VERSION = "1"


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
    return ImagePin(
        model=MODEL,
        version=_VERSION,
        files=hosting.pinned_files(repository, model=MODEL, version=_VERSION),
        probes=tuple(_probes(backbone)),
    )


def _probes(backbone: Backbone) -> Iterator[PictureProbe]:
    import torch

    whole = with_probabilities(backbone.model)
    for picture in _drawn():
        square = pixels(picture, preprocessing=backbone.preprocessing)
        with torch.inference_mode():
            probability = float(whole(torch.from_numpy(square[None]))[0, 1])
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
