"""Text in a picture, by RapidOCR where it is installed: Latin letters, digits and Chinese."""

import functools
import importlib.util
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from moderation.evidence.facts import line, storable
from moderation.evidence.picture import pixels_of

ENGINE = "rapidocr"
MOST_PLACES = 200
"""Of the places that look like text, so many are considered."""
MOST_WIDTH = 40_000
"""Width of all that is read, in pixels at the engine's height of 48: 4 s. The highest letters come first."""
LEAST_CONFIDENCE = 0.5
MOST_TEXT = 5_000
_HEIGHT = 48


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadText:
    """What a text engine read; without a `text_engine` none is installed, and the text is unknown."""

    text_engine: str = ""
    text: str = ""


def is_installed() -> bool:
    """Return whether there is an engine, without loading it."""
    return importlib.util.find_spec("rapidocr") is not None


def start(_hints: Mapping[str, str]) -> None:
    """Load the engine, if it is installed."""
    if is_installed():
        _engine()


def read(data: bytes, _hints: Mapping[str, str]) -> ReadText:
    """Return the lines of a picture, from top to bottom. Raises Unreadable."""
    if not is_installed():
        return ReadText()
    from rapidocr.main import RapidOCRError  # noqa: PLC0415 - only where the engine is installed

    engine, pixels = _engine(), pixels_of(data)
    picture, steps = engine.preprocess_img(np.ascontiguousarray(pixels[:, :, ::-1]))  # it expects blue first
    try:
        # In two steps, not by calling the engine: that reads all it finds, half a minute for a page of print.
        places, _ = engine.detect_and_crop(picture, steps)
        reading = engine.recognize_txt(_chosen(places))
    except RapidOCRError:  # no text at all
        return ReadText(text_engine=ENGINE)
    lines = (
        line(text)
        for text, confidence in zip(reading.txts, reading.scores, strict=True)
        if round(float(confidence), 3) >= LEAST_CONFIDENCE
    )
    return ReadText(text_engine=ENGINE, text=storable("\n".join(filter(None, lines)), most=MOST_TEXT))


def _chosen(places: Sequence[npt.NDArray[np.uint8]]) -> list[npt.NDArray[np.uint8]]:
    """Return the places that are read, in their order."""
    chosen, width = [], 0.0
    for number in sorted(range(len(places)), key=lambda number: -places[number].shape[0]):
        width += _HEIGHT * places[number].shape[1] / places[number].shape[0]
        if width > MOST_WIDTH:
            break
        chosen.append(number)
    return [places[number] for number in sorted(chosen)]


@functools.cache
def _engine() -> Any:
    """Load the engine with its models, once per process: that takes two seconds."""
    import cv2  # noqa: PLC0415 - only where the engine is installed
    from rapidocr import RapidOCR  # noqa: PLC0415 - as above

    logging.getLogger("RapidOCR").disabled = True  # it reports every picture without text as a warning
    cv2.setNumThreads(1)
    return RapidOCR(
        params={
            # One core: the worker beside it scores posts.
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            # By default it enlarges each picture to 736 pixels of the shorter side, at three times the cost.
            "Det.limit_type": "max",
            "Det.limit_side_len": 960,
            "Det.max_candidates": MOST_PLACES,
            "Rec.rec_batch_num": 1,
            "Global.max_side_len": 2_000,
            "Global.use_cls": False,
            "Global.log_level": "critical",
        }
    )
