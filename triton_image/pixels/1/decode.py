"""The process that decodes hostile pictures: `decode.py RESIZE CROP BYTES_OF_MEMORY`, which may be lost.

It takes frames on its input (a length and the bytes of a picture) and answers each on its output with a
length and either "+" and the pixels, RGB of CROP x CROP, or "-" and why not. The steps and their rounding are
those of torchvision's ImageClassification preset, so that a picture gets the pixels that the model was
trained on.
"""

from __future__ import annotations

import io
import os
import resource
import struct
import sys
import warnings

from PIL import Image, ImageOps, UnidentifiedImageError

FORMATS = ("JPEG", "PNG", "WEBP")
"""What is decoded at all, by the first bytes and never by what the client says."""
MOST_BYTES = 20_000_000
MOST_PIXELS = 40_000_000
MOST_SCANS = 200
"""Of a JPEG: a progressive one has ten or so, and each passes over the whole picture."""
MOST_ASPECT = 20
"""Longer side to shorter side; the ends of a longer strip are cut off before it is scaled."""
LENGTH = struct.Struct(">I")
_SCAN = b"\xff\xda"


class Refused(ValueError):
    """No picture that is decoded; the message goes to the client."""


def main() -> None:
    """Answer frames until the input ends."""
    resize, crop, memory = map(int, sys.argv[1:])
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # What a library prints must not come between the answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    frames = sys.stdin.buffer
    while head := frames.read(LENGTH.size):
        answer = _answer(frames.read(*LENGTH.unpack(head)), resize=resize, crop=crop)
        answers.write(LENGTH.pack(len(answer)) + answer)
        answers.flush()


def _answer(data: bytes, *, resize: int, crop: int) -> bytes:
    try:
        return b"+" + decoded(data, resize=resize, crop=crop).tobytes()
    except Refused as refused:
        return f"-{refused}".encode()
    except MemoryError:
        return b"-it takes too much memory"


def decoded(data: bytes, *, resize: int, crop: int) -> Image.Image:
    """Return the middle of a picture, upright and on white: RGB of crop x crop pixels. Raises Refused."""
    opened = _opened(data)
    try:
        upright = ImageOps.exif_transpose(opened)
        if upright.has_transparency_data:
            upright = upright.convert("RGBA")
            upright = Image.alpha_composite(Image.new("RGBA", upright.size, "white"), upright)
        picture = upright.convert("RGB")
    except Exception as broken:  # bytes that a decoder does not foresee raise anything
        raise Refused(f"broken: {type(broken).__name__}") from broken
    return _cropped(_resized(picture, side=resize), side=crop)


def _opened(data: bytes) -> Image.Image:
    """Read the header alone."""
    if len(data) > MOST_BYTES:
        raise Refused(f"{len(data)} bytes, at most {MOST_BYTES} are read")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # our own limit is lower
            opened = Image.open(io.BytesIO(data), formats=FORMATS)
    except UnidentifiedImageError as unknown:
        raise Refused(f"not a picture in {', '.join(FORMATS)}") from unknown
    except Image.DecompressionBombError as bomb:
        raise Refused(f"more than {MOST_PIXELS} pixels") from bomb
    except Exception as broken:
        raise Refused(f"broken: {type(broken).__name__}") from broken
    if opened.width * opened.height > MOST_PIXELS:
        raise Refused(f"{opened.width} x {opened.height} pixels, at most {MOST_PIXELS} in all are read")
    if opened.format == "JPEG" and data.count(_SCAN) > MOST_SCANS:
        raise Refused(f"a JPEG of more than {MOST_SCANS} scans")
    return opened


def _resized(picture: Image.Image, *, side: int) -> Image.Image:
    """Scale the shorter side. As torchvision does, the longer one is rounded down."""
    width, height = picture.size
    shorter, longer = sorted(picture.size)
    # A strip of a million pixels by one would become far more; what lies so far out is cut off later anyway.
    if longer > MOST_ASPECT * shorter:
        box = _middle(picture.size, (min(width, MOST_ASPECT * shorter), min(height, MOST_ASPECT * shorter)))
        picture = picture.crop(box)
        longer = MOST_ASPECT * shorter
    other = int(side * longer / shorter)
    size = (side, other) if width <= height else (other, side)
    return picture.resize(size, Image.Resampling.BILINEAR)


def _cropped(picture: Image.Image, *, side: int) -> Image.Image:
    return picture.crop(_middle(picture.size, (side, side)))


def _middle(size: tuple[int, int], wanted: tuple[int, int]) -> tuple[int, int, int, int]:
    # round() is torchvision's: to the even one of two halves.
    left, top = (round((whole - part) / 2) for whole, part in zip(size, wanted, strict=True))
    return left, top, left + wanted[0], top + wanted[1]


if __name__ == "__main__":
    main()
