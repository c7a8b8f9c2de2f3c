"""How long does it take to read the text in a picture? RapidOCR on drawn lines, in the process that reads.

.venv/bin/python -m lab picture_text --pictures 30
"""

from __future__ import annotations

import argparse
import io
import os
import random
import resource
import time

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from moderation.evidence.picture_text import is_installed
from moderation.evidence.reader import Reader

SIZE = (900, 300)
_WORDS = [
    "claim",
    "your",
    "free",
    "prize",
    "now",
    "call",
    "this",
    "number",
    "before",
    "friday",
    "and",
    "pay",
    "nothing",
    "at",
    "all",
    "today",
]


def main() -> None:
    """Read pictures one after another and print the table."""
    options = _options()
    if not is_installed():
        raise SystemExit("No text engine is installed: requirements/runtime.txt brings one.")
    chance = random.Random(options.seed)
    pictures = [_drawn(chance) for _ in range(options.pictures)]
    _, start = _read(pictures[:1])
    seconds, processor = _read([pictures[0], *pictures])
    fastest, median, p95 = np.percentile(seconds[1:], (0, 50, 95))
    share = (processor - start) / len(pictures)
    loads = ", ".join(f"{load:.0f}" for load in os.getloadavg())
    print("| pictures | size | processor s each | fastest s | median s | p95 s | load average |")
    print("|---|---|---|---|---|---|---|")
    print(
        f"| {len(pictures)} | {SIZE[0]} x {SIZE[1]} | {share:.2f} | {fastest:.2f} | {median:.2f} | {p95:.2f}"
        f" | {loads} |"
    )


def _read(pictures: list[bytes]) -> tuple[list[float], float]:
    """Read pictures in a process of their own; return how long each took, and the processor time in all.

    The first read also starts the process and loads the models.
    """
    before, reader, seconds = _processor_seconds(), Reader(memory_bytes=2 * 1024**3), []
    try:
        for picture in pictures:
            began = time.perf_counter()
            facts = reader.read("picture", picture, hints={}, seconds=60.0)
            seconds.append(time.perf_counter() - began)
            if not facts["text"]:
                raise SystemExit("A picture was read without its text.")
    finally:
        reader.close()
    return seconds, _processor_seconds() - before


def _processor_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pictures", type=int, default=30)
    parser.add_argument("--seed", type=int, default=5)
    return parser.parse_args()


def _drawn(chance: random.Random) -> bytes:
    """Return a picture of three lines of words, as in an advertisement."""
    picture = Image.new("RGB", SIZE, "white")
    drawing, font = ImageDraw.Draw(picture), ImageFont.load_default(size=36)
    for number in range(3):
        words = " ".join(chance.choices(_WORDS, k=5))
        drawing.text((30, 25 + 90 * number), words, fill="black", font=font)
    file = io.BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()
