"""What is found in a picture."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """A QR or bar code: its format, such as "QRCode", and what it says."""

    format: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLine:
    """A line of text: confidence in [0, 1]; its box (left, top, right, bottom) as shares of the picture."""

    text: str
    confidence: float
    box: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadText:
    """What a text engine read; an empty `engine` says that none is installed: then the text is unknown."""

    engine: str = ""
    lines: tuple[TextLine, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureFacts:
    """What a picture says.

    `width` and `height` are pixels as people see it, turned as its file asks; of an animation the first frame
    is read. `pdq` is "" where there is no hash; `pdq_turned` are those of its mirrored and turned copies.
    `thumbnail` is WebP, written anew from pixels: the only bytes of a picture that are kept.
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
    texts: tuple[TextLine, ...] = ()
