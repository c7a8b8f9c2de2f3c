"""Drawn pictures for tests: small, always the same, in every format."""

import io
import struct
import zlib
from typing import Any

import numpy as np
import zxingcpp
from PIL import Image, ImageDraw, ImageFont

SPAM_LINES = ("WIN 5000 EUR TODAY", "Visit http://paypa1-secure.example/login")


def with_text(*lines: str, size: tuple[int, int] = (640, 160)) -> Image.Image:
    """Return a picture that says these lines, dark on white."""
    picture = Image.new("RGB", size, "white")
    for number, line in enumerate(lines):
        place = (20, 20 + number * 60)
        ImageDraw.Draw(picture).text(place, line, fill=(20, 20, 90), font=ImageFont.load_default(size=28))
    return picture


def with_code(said: str) -> Image.Image:
    """Return a picture of a QR code."""
    code = zxingcpp.create_barcode(said, zxingcpp.BarcodeFormat.QRCode)
    return Image.fromarray(np.asarray(code.to_image(scale=5))).convert("RGB")


def hills(size: tuple[int, int] = (320, 240)) -> Image.Image:
    """Return a picture of soft shapes without symmetry, which a perceptual hash knows again."""
    x, y = np.meshgrid(np.linspace(0, 3, size[0]), np.linspace(0, 2, size[1]))
    shapes = (np.sin(3 * x + y * y), np.cos(2 * y - x * x), np.sin(x * y * 3))
    return Image.fromarray(np.stack([127 + 120 * shape for shape in shapes], axis=2).astype(np.uint8))


def encoded(picture: Image.Image, kind: str, **options: Any) -> bytes:
    """Return the file of a picture."""
    file = io.BytesIO()
    picture.save(file, format=kind, **options)
    return file.getvalue()


def png(*, width: int, height: int, pixels: bytes = b"") -> bytes:
    """Return a PNG of one bit a pixel by hand: its header may promise what its bytes do not hold."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def gif_of_frames(count: int) -> bytes:
    """Return a GIF of so many frames of one pixel."""
    still = encoded(Image.new("P", (1, 1)), "GIF")
    start = still.index(b",")
    return still[:start] + still[start:-1] * count + b";"
