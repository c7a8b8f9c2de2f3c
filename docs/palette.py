"""Screenshots as PNG files of at most 256 colours: a third of the size, and no eye tells the difference.

The browser decodes, so no image library is needed.
"""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Page

_COLOURS = 256
_DECODE = """
async (address) => {
  const bitmap = await createImageBitmap(await (await fetch(address)).blob());
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
  canvas.drawImage(bitmap, 0, 0);
  const bytes = canvas.getImageData(0, 0, bitmap.width, bitmap.height).data;
  let text = "";
  for (let at = 0; at < bytes.length; at += 32768)
    text += String.fromCharCode(...bytes.subarray(at, at + 32768));
  return [bitmap.width, bitmap.height, btoa(text)];
}
"""


def shrink(png: bytes, *, page: Page) -> bytes:
    """Return the picture with its most frequent colours only; `page` is an empty one that decodes it."""
    address = "data:image/png;base64," + base64.b64encode(png).decode()
    width, height, encoded = page.evaluate(_DECODE, address)
    pixels = np.frombuffer(base64.b64decode(encoded), np.uint8).reshape(height * width, 4)[:, :3]
    packed = pixels.astype(np.uint32) @ np.array([65_536, 256, 1], np.uint32)
    found, places, counts = np.unique(packed, return_inverse=True, return_counts=True)
    colours = np.stack([found >> 16, found >> 8 & 255, found & 255], axis=1).astype(np.int32)
    palette = _chosen(colours, counts)
    distances = ((colours[:, None, :] - palette[None, :, :]) ** 2).sum(axis=2)
    nearest = distances.argmin(axis=1).astype(np.uint8)
    return _png(nearest[places].reshape(height, width), palette=palette.astype(np.uint8))


def _chosen(colours: NDArray[np.int32], counts: NDArray[np.intp]) -> NDArray[np.int32]:
    """Return the most frequent colours, one of each neighbourhood of 8 x 8 x 8 at first."""
    order = np.argsort(-counts, kind="stable")
    neighbourhoods = (colours[order] >> 3) @ np.array([1024, 32, 1])
    _, first = np.unique(neighbourhoods, return_index=True)
    kept = np.sort(first)[:_COLOURS]
    others = np.setdiff1d(np.arange(len(order)), kept)[: _COLOURS - len(kept)]
    chosen: NDArray[np.int32] = colours[order[np.concatenate([kept, others])]]
    return chosen


def _png(indices: NDArray[np.uint8], *, palette: NDArray[np.uint8]) -> bytes:
    height, width = indices.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), indices], axis=1)
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = ((b"IHDR", header), (b"PLTE", palette.tobytes()), (b"IDAT", zlib.compress(rows.tobytes(), 9)))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*part) for part in (*parts, (b"IEND", b"")))


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
