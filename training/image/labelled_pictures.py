"""Labelled pictures: a folder with `manifest.jsonl`, read as the served model reads them."""

from __future__ import annotations

import functools
import importlib.util
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scoring.release import file_sha256
from training import labelled_lines
from training.dataset import Example
from training.image.backbone import Preprocessing
from training.labelled_lines import LabelledLine, Malformed

if TYPE_CHECKING:
    from PIL import Image

MANIFEST = "manifest.jsonl"
THUMBNAIL_SIDE, THUMBNAIL_QUALITY = 640, 80
"""As the product keeps pictures for the model (moderation/evidence/picture.py)."""
SERVED = Path(__file__).resolve().parents[2] / "triton_image"
_HASHED = (9, 8)


@dataclass(frozen=True, kw_only=True)
class Labelled:
    """The pictures that could be read, their pixels uint8 [n, side, side, 3], and the names of the others.

    `examples` have an empty text; `sha256` is the manifest's.
    """

    examples: list[Example]
    pixels: NDArray[np.uint8]
    unread: dict[str, str]
    sha256: str


def load(folder: Path, *, preprocessing: Preprocessing) -> Labelled:
    """Read every picture that the manifest names.

    A line has `file` (within the folder) and `label` (1 spam or unsafe, 0 neither), and may have `source` and
    `group`: pictures of one group, or without it those that look the same, are in one part. A picture that
    cannot be decoded is left out and named. Raises Malformed.
    """
    path = folder / MANIFEST
    if not path.is_file():
        raise Malformed(f"{path}: not there")
    examples, pixels, unread = [], [], {}
    for line in labelled_lines.lines(path):
        row = _row(line)
        file = _inside(folder, row["file"], where=line.where)
        try:
            thumbnail, group = as_kept(file.read_bytes())
            pixels.append(decoded(thumbnail, preprocessing=preprocessing))
        except Exception as broken:  # noqa: BLE001 - bytes that a decoder does not foresee raise anything
            unread[row["file"]] = str(broken) or type(broken).__name__
            continue
        examples.append(
            Example(
                id=row["file"],
                source=str(row.get("source") or folder.name),
                text="",
                label=row["label"],
                group=str(row.get("group") or group),
            )
        )
    side = preprocessing.crop
    return Labelled(
        examples=examples,
        pixels=np.stack(pixels) if pixels else np.empty((0, side, side, 3), dtype=np.uint8),
        unread=unread,
        sha256=file_sha256(path),
    )


def as_kept(data: bytes) -> tuple[bytes, str]:
    """Return the thumbnail that the product would keep, and a hash that copies of the picture share."""
    from PIL import Image, ImageOps

    with Image.open(io.BytesIO(data), formats=("JPEG", "PNG", "WEBP", "GIF", "BMP")) as opened:
        upright = ImageOps.exif_transpose(opened)
        if upright.has_transparency_data:
            upright = upright.convert("RGBA")
            upright = Image.alpha_composite(Image.new("RGBA", upright.size, "white"), upright)
        picture = upright.convert("RGB")
    picture.thumbnail((THUMBNAIL_SIDE, THUMBNAIL_SIDE))
    buffer = io.BytesIO()
    picture.save(buffer, format="WEBP", quality=THUMBNAIL_QUALITY)
    return buffer.getvalue(), _looks(picture)


def decoded(data: bytes, *, preprocessing: Preprocessing) -> NDArray[np.uint8]:
    """Return the pixels of a file as Triton's step decodes it: uint8 [side, side, 3]. Raises ValueError."""
    picture = served_decoder().decoded(data, resize=preprocessing.resize, crop=preprocessing.crop)
    return np.asarray(picture)


def normalised(pixels: NDArray[np.uint8], *, preprocessing: Preprocessing) -> NDArray[np.float32]:
    """Return [n, 3, side, side] as the network takes it."""
    mean, deviation = (np.array(part, np.float32) for part in (preprocessing.mean, preprocessing.deviation))
    shares = (pixels.astype(np.float32) / np.float32(255) - mean) / deviation
    return np.ascontiguousarray(shares.transpose(0, 3, 1, 2))


@functools.cache
def served_decoder() -> Any:
    """Return the module that decodes on Triton, so that a model is trained on its later input."""
    path = SERVED / "pixels" / "1" / "decode.py"
    spec = importlib.util.spec_from_file_location("served_decoder", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _row(line: LabelledLine) -> Mapping[str, Any]:
    if not isinstance(line.stored.get("file"), str) or line.stored.get("label") not in (0, 1):
        raise Malformed(f"{line.where}: `file` must be a name, `label` 0 or 1")
    return line.stored


def _inside(folder: Path, name: str, *, where: str) -> Path:
    try:
        path = (folder / name).resolve()
    except (ValueError, OSError, RuntimeError) as wrong:  # a zero byte, half a character, a loop of links
        raise Malformed(f"{where}: {name!r} is no name of a file") from wrong
    if not path.is_relative_to(folder.resolve()):
        raise Malformed(f"{where}: {name!r} is not within the folder")
    return path


def _looks(picture: Image.Image) -> str:
    """Return which of 64 neighbouring pairs of a tiny copy become brighter (difference hash), in hex."""
    tiny = np.asarray(picture.convert("L").resize(_HASHED), dtype=np.int16)
    return np.packbits(tiny[:, 1:] > tiny[:, :-1]).tobytes().hex()
