"""Pictures as files, honest and hostile."""

import io
import struct
import zlib

import numpy as np
from PIL import Image


def drawn(*, width: int = 400, height: int = 300, seed: int = 0, mode: str = "RGB") -> Image.Image:
    """Coarse squares of random colours: content in every frequency that a network looks at."""
    random = np.random.default_rng(seed)
    coarse = Image.fromarray(random.integers(0, 256, size=(12, 16, 3), dtype=np.uint8))
    return coarse.resize((width, height), Image.Resampling.NEAREST).convert(mode)


def as_file(picture: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    written = io.BytesIO()
    picture.save(written, format=kind, **options)
    return written.getvalue()


def png_that_claims(*, width: int, height: int) -> bytes:
    """A few bytes that say they hold so many pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = zlib.compress(bytes(1000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def jpeg_of_many_scans() -> bytes:
    """A small progressive JPEG whose scans are repeated a thousand times."""
    whole = as_file(drawn(width=64, height=64), "JPEG", progressive=True)
    first = whole.index(b"\xff\xda")
    scan = whole[first : whole.index(b"\xff\xda", first + 2)]
    return whole[:-2] + 1000 * scan + whole[-2:]
