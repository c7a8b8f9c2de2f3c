"""A picture → what it says. Hostile by default: its size is checked before its pixels are decoded, time and
memory are bounded by the reader.
"""

import io
import struct
import warnings
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import zxingcpp
from PIL import ExifTags, Image, ImageOps, UnidentifiedImageError
from PIL.ImageFile import ImageFile

from moderation.evidence import pdq
from moderation.evidence.facts import Reason, Unreadable, storable

FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "AVIF", "BMP")
"""The formats that are decoded, told by the first bytes, never by the name or the sender."""
MOST_BYTES = 20_000_000
MOST_PIXELS = 40_000_000
"""Width x height; decoded, that is 160 MB, and there are three copies while it is made smaller."""
MOST_CODES, MOST_CHARACTERS = 10, 2_048
READ_SIDE, THUMBNAIL_SIDE = 2_000, 640
"""Pixels of the longer side: as it is read, and as it is kept."""

_BROKEN = (
    OSError,
    SyntaxError,
    ValueError,
    EOFError,
    IndexError,
    KeyError,
    TypeError,
    struct.error,
    zlib.error,
)
"""Exceptions that the decoders raise for unexpected bytes."""
_TURNED_SIDEWAYS = (5, 6, 7, 8)
"""Values of the EXIF field "orientation" that swap width and height."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """A QR or bar code: its format, such as "QRCode", and what it says."""

    format: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureFacts:
    """What a picture says.

    `width` and `height` are pixels as people see it, turned as its file asks; of an animation the first frame
    is read. `pdq` is "" where there is no hash; `pdq_turned` are those of its mirrored and turned copies.
    `thumbnail` is WebP, written anew from pixels: the only bytes of a picture that are kept. Without a
    `text_engine` the text is unknown.
    """

    format: str
    width: int
    height: int
    is_animated: bool
    thumbnail: bytes
    pdq: str = ""
    pdq_quality: int = 0
    pdq_turned: tuple[str, ...] = ()
    codes: tuple[Code, ...] = ()
    text: str = ""
    text_engine: str = ""


def read(data: bytes, _hints: Mapping[str, str]) -> PictureFacts:
    """Return what a picture says, but for its text (`picture_text`). Raises Unreadable."""
    opened = _opened(data)
    stored_size, is_animated = opened.size, _is_animated(opened)
    pixels, is_sideways = _upright_pixels(opened)
    width, height = reversed(stored_size) if is_sideways else stored_size
    picture = Image.fromarray(pixels)
    fingerprint = pdq.of(pixels)
    return PictureFacts(
        format=opened.format or "",
        width=width,
        height=height,
        is_animated=is_animated,
        thumbnail=_thumbnail(picture),
        pdq=fingerprint.hash if fingerprint else "",
        pdq_quality=fingerprint.quality if fingerprint else 0,
        pdq_turned=fingerprint.turned if fingerprint else (),
        codes=read_codes(picture),
    )


def pixels_of(data: bytes) -> npt.NDArray[np.uint8]:
    """Return a picture's pixels, as they are read. Raises Unreadable."""
    return _upright_pixels(_opened(data))[0]


def _opened(data: bytes) -> ImageFile:
    """Read the header alone."""
    if len(data) > MOST_BYTES:
        raise Unreadable(Reason.TOO_LARGE)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # our own limit is lower
            opened = Image.open(io.BytesIO(data), formats=FORMATS)
    except UnidentifiedImageError as unknown:
        raise Unreadable(Reason.WRONG_KIND) from unknown
    except Image.DecompressionBombError as bomb:
        raise Unreadable(Reason.TOO_LARGE) from bomb
    except _BROKEN as broken:
        raise Unreadable(Reason.BROKEN) from broken
    if opened.width * opened.height > MOST_PIXELS:
        raise Unreadable(Reason.TOO_LARGE)
    return opened


def _upright_pixels(opened: ImageFile) -> tuple[npt.NDArray[np.uint8], bool]:
    """Decode the first frame to RGB of at most READ_SIDE, on white; tell if that swapped width and height.

    Nothing else of the file is left.
    """
    try:
        opened.draft("RGB", (READ_SIDE, READ_SIDE))  # JPEG alone can be decoded at a fraction of its size
        opened.thumbnail((READ_SIDE, READ_SIDE))
        is_sideways = opened.getexif().get(ExifTags.Base.Orientation) in _TURNED_SIDEWAYS
        small = ImageOps.exif_transpose(opened)
        if small.has_transparency_data:
            small = small.convert("RGBA")
            small = Image.alpha_composite(Image.new("RGBA", small.size, "white"), small)
        return np.asarray(small.convert("RGB")), is_sideways
    except _BROKEN as broken:
        raise Unreadable(Reason.BROKEN) from broken


def _is_animated(opened: ImageFile) -> bool:
    try:
        return bool(getattr(opened, "is_animated", False))  # looks for a second frame
    except _BROKEN as broken:
        raise Unreadable(Reason.BROKEN) from broken


def _thumbnail(picture: Image.Image) -> bytes:
    picture = picture.copy()
    picture.thumbnail((THUMBNAIL_SIDE, THUMBNAIL_SIDE))
    written = io.BytesIO()
    picture.save(written, format="WEBP", quality=80, method=2)  # half the time of 4, 3 % larger
    return written.getvalue()


def read_codes(picture: Image.Image) -> tuple[Code, ...]:
    """Return the codes of an RGB picture, also those of light squares on dark ground."""
    barcodes = zxingcpp.read_barcodes(picture, try_invert=True)
    named = {code.text: code.format.name for code in barcodes if code.valid and code.text}
    return tuple(
        Code(format=format_name, text=storable(text, most=MOST_CHARACTERS))
        for text, format_name in list(named.items())[:MOST_CODES]
    )
