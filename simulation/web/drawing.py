"""Pictures drawn with Pillow: the same picture and version give the same bytes."""

import functools
import io
import random
import textwrap
from pathlib import Path

import numpy as np
import zxingcpp
from PIL import Image, ImageDraw, ImageFilter, ImageFont, ImageOps

from simulation.web import pictures
from simulation.web.pictures import Alteration, Picture, Show

_FONTS = Path(__file__).resolve().parents[2] / "static" / "fonts"
# The desk's own fonts and the one inside Pillow: no font of the machine, which another machine may lack.
_FACES = ("atkinson-next-latin", "atkinson-mono-latin", "")
_WEIGHTS = (300, 400, 500, 650, 800)
_SIZES = (22, 26, 30, 36, 44)
_DARK = ((15, 15, 20), (20, 40, 90), (90, 10, 20), (10, 60, 30), (60, 20, 80))
_LIGHT = ((255, 255, 255), (255, 250, 205), (225, 240, 255), (255, 225, 230), (220, 250, 225), (255, 214, 80))
_MARGIN = 24


@functools.lru_cache(maxsize=2_000)
def drawn(picture: Picture) -> bytes:
    """Return the file of a picture."""
    rng = random.Random(f"drawing {picture.rng.random()}")
    image = _photo(rng) if picture.show == Show.PHOTO else _poster(picture, rng=rng)
    return _encoded(_altered(image, picture.alteration), picture)


def _poster(picture: Picture, *, rng: random.Random) -> Image.Image:
    width = rng.choice((560, 640, 720, 900))
    is_dark = rng.random() < 0.4
    ink, ground = rng.choice(_LIGHT if is_dark else _DARK), rng.choice(_DARK if is_dark else _LIGHT)
    size, face, weight = rng.choice(_SIZES), rng.choice(_FACES), rng.choice(_WEIGHTS)
    code = _code(pictures.code(picture), rng=rng)
    wrapped = _wrapped(picture, width=width - 2 * _MARGIN, size=size)
    height = max(220, 2 * _MARGIN + sum(int(own * 1.35) for _, own in wrapped) + (code.height if code else 0))
    image = _ground(width, height, ground=ground, rng=rng)
    draw, top = ImageDraw.Draw(image), _MARGIN
    for line, own in wrapped:
        draw.text((_MARGIN, top), line, fill=ink, font=_font(face, own, weight))
        top += int(own * 1.35)
    if code:
        image.paste(
            code, (rng.choice((_MARGIN, width - code.width - _MARGIN)), height - code.height - _MARGIN // 2)
        )
    if rng.random() < 0.3 and not code:
        image = image.rotate(rng.uniform(-2.5, 2.5), resample=Image.Resampling.BICUBIC, fillcolor=ground)
    return _with_noise(image, level=rng.choice((0.0, 0.0, 3.0, 7.0)), rng=rng)


def _wrapped(picture: Picture, *, width: int, size: int) -> list[tuple[str, int]]:
    """Return the lines of a picture with the size of their letters; a title is larger."""
    wrapped: list[tuple[str, int]] = []
    for number, text in enumerate(pictures.lines(picture)):
        own = int(size * 1.5) if number == 0 and picture.show != Show.WORDS else size
        lines = textwrap.wrap(_drawable(text), width=max(12, int(width / (own * 0.58))))
        wrapped += [(line, own) for line in lines]
        wrapped.append(("", own // 2))
    return wrapped


def _drawable(text: str) -> str:
    """Return the letters that the fonts have."""
    return " ".join("".join(letter for letter in text if letter < "\u0250" or letter in "€–…„“").split())


@functools.cache
def _font(face: str, size: int, weight: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    if not face:
        return ImageFont.load_default(size=size)
    font = ImageFont.truetype(_FONTS / f"{face}.woff2", size)
    font.set_variation_by_axes([weight])
    return font


def _ground(width: int, height: int, *, ground: tuple[int, int, int], rng: random.Random) -> Image.Image:
    if rng.random() < 0.6:
        return Image.new("RGB", (width, height), ground)
    other = tuple(max(0, min(255, part + rng.randint(-35, 35))) for part in ground)
    ramp = Image.linear_gradient("L").resize((width, height))
    return ImageOps.colorize(ramp, ground, other)


def _code(said: str, *, rng: random.Random) -> Image.Image | None:
    if not said:
        return None
    code = zxingcpp.create_barcode(said, zxingcpp.BarcodeFormat.QRCode)
    squares = Image.fromarray(np.asarray(code.to_image(scale=rng.choice((4, 5, 6))))).convert("RGB")
    return ImageOps.expand(squares, border=16, fill="white")


def _photo(rng: random.Random) -> Image.Image:
    """Return soft shapes of a few colours: a picture without text, which a perceptual hash knows again."""
    numbers = np.random.default_rng(rng.randrange(2**32))
    coarse = numbers.integers(20, 235, size=(rng.randint(4, 9), rng.randint(5, 11), 3), dtype=np.uint8)
    image = Image.fromarray(coarse).resize(
        (rng.choice((480, 640, 800)), rng.choice((360, 480, 600))), Image.Resampling.BICUBIC
    )
    draw = ImageDraw.Draw(image)
    for _ in range(rng.randint(2, 7)):
        x, y, wide, high = (
            rng.randint(0, 400),
            rng.randint(0, 300),
            rng.randint(30, 220),
            rng.randint(30, 200),
        )
        colour = (rng.randint(0, 255), rng.randint(0, 255), rng.randint(0, 255))
        draw.ellipse((x, y, x + wide, y + high), fill=colour)
    return _with_noise(image.filter(ImageFilter.GaussianBlur(rng.uniform(2, 6))), level=5.0, rng=rng)


def _with_noise(image: Image.Image, *, level: float, rng: random.Random) -> Image.Image:
    if not level:
        return image
    numbers = np.random.default_rng(rng.randrange(2**32))
    pixels = np.asarray(image, dtype=np.float32)
    return Image.fromarray(np.clip(pixels + numbers.normal(0, level, pixels.shape), 0, 255).astype(np.uint8))


def _altered(image: Image.Image, alteration: Alteration) -> Image.Image:
    width, height = image.size
    match alteration:
        case Alteration.MIRRORED:
            return ImageOps.mirror(image)
        case Alteration.CROPPED:
            return image.crop((width // 25, height // 25, width - width // 40, height - height // 30))
        case Alteration.RECOMPRESSED:
            small = image.resize((width * 4 // 5, height * 4 // 5), Image.Resampling.LANCZOS)
            return Image.open(io.BytesIO(_saved(small, "JPEG", quality=45))).convert("RGB")
        case Alteration.NONE:
            return image


def _encoded(image: Image.Image, picture: Picture) -> bytes:
    ending = picture.name.rpartition(".")[2]
    if ending == "png":
        return _saved(image, "PNG")
    return _saved(image, "JPEG" if ending == "jpg" else "WEBP", quality=85)


def _saved(image: Image.Image, kind: str, **options: int) -> bytes:
    file = io.BytesIO()
    image.save(file, format=kind, **options)
    return file.getvalue()
